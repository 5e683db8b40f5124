import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconChevronDown, IconDots } from '@tabler/icons-react';
import { Fragment, type ReactNode, useRef } from 'react';
import { OPERATIONS, type Operation, type OperationId } from './operations.ts';
import { useMayOperate } from './use-may-operate.ts';

const GROUPS: readonly (readonly OperationId[])[] = [
  ['start', 'reload', 'restart', 'stop'],
  ['bootstrap', 'upgrade', 'version', 'status'],
  ['deploy', 'undeploy'],
];

interface OperationMenuProps {
  readonly label: string;
  /** Whether to show only dots, for lists; the label is the accessible name. */
  readonly isSmall?: boolean;
  /** Operations to omit, because they are buttons beside the menu. */
  readonly without?: readonly OperationId[];
  /** False: nothing is deployed, so operations that need a node are hidden. */
  readonly hasNodes: boolean;
  readonly onChoose: (operation: Operation) => void;
  readonly more?: ReactNode;
}

export function OperationMenu({ label, isSmall, without = [], hasNodes, onChoose, more }: OperationMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const may = useMayOperate();
  const offered = OPERATIONS.filter((one) => may(one) && !without.includes(one.id) && (hasNodes || one.fits === 'any'));
  const shown = GROUPS.map((ids) => offered.filter(({ id }) => ids.includes(id))).filter((group) => group.length > 0);
  // Opens the dialog, which restores the focus when it closes. The menu item no longer exists then.
  const choose = (operation: Operation) => {
    button.current?.focus();
    onChoose(operation);
  };
  if (shown.length === 0 && !more) return null;
  return (
    <Menu position="bottom-end" withArrow withInitialFocusPlaceholder={false}>
      <Menu.Target>
        {isSmall ? (
          <ActionIcon ref={button} aria-label={label}>
            <IconDots size={16} />
          </ActionIcon>
        ) : (
          <Button ref={button} variant="default" rightSection={<IconChevronDown size={14} />}>
            {label}
          </Button>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {shown.map((group, index) => (
          <Fragment key={group[0]?.id}>
            {index > 0 && <Menu.Divider />}
            {group.map((operation) => (
              <Menu.Item key={operation.id} onClick={() => choose(operation)}>
                {operation.label} …
              </Menu.Item>
            ))}
          </Fragment>
        ))}
        {more && (
          <>
            {shown.length > 0 && <Menu.Divider />}
            {more}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
