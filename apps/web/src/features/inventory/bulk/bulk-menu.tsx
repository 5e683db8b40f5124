import { Button, Menu } from '@mantine/core';
import { useState } from 'react';
import { routes } from '../../../api/index.ts';
import { useCan } from '../../../app/project.tsx';
import { useKept } from '../../../ui/index.ts';
import type { BulkInput, BulkName } from './bulk-call.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { texts } from './texts.tsx';

const ROUTES = {
  reset: routes.inventoryAction.resetMany,
  delete: routes.inventoryAction.deleteMany,
  stale: routes.inventoryAction.cleanupStale,
  rebaseline: routes.inventoryAction.rebaselineScores,
} as const;
const NAMES = Object.keys(ROUTES) as readonly BulkName[];

/** Changes many endpoints at once, for those who may. */
export function BulkMenu({ filtered }: Pick<BulkInput, 'filtered'>) {
  const can = useCan();
  const [asked, setAsked] = useState<BulkName>();
  const shown = useKept(asked);
  const allowed = NAMES.filter((name) => can(ROUTES[name]));
  if (allowed.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Button variant="default">{texts.button}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {allowed.map((name) => (
            <Menu.Item key={name} onClick={() => setAsked(name)}>
              {texts.actions[name].item}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {shown !== undefined && (
        <BulkDialog
          key={shown}
          name={shown}
          filtered={filtered}
          isOpen={asked !== undefined}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
