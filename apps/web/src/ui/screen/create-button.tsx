import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { RouteRef } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';

/** Where records are created. */
export interface CreateTarget {
  readonly route: RouteRef;
  /** The parameters of the URL that open the form. */
  readonly opens: Readonly<Record<string, string>>;
}

interface CreateButtonProps extends CreateTarget {
  readonly word: string | undefined;
  readonly icon?: boolean;
}

/** Opens the form of a new record. Hidden without permission. */
export function CreateButton({ route, opens, word, icon }: CreateButtonProps) {
  const can = useCan();
  const url = useUrlState();
  if (!can(route) || word === undefined) return null;
  return (
    <Button leftSection={icon && <IconPlus size={14} />} onClick={() => url.set(opens, 'push')}>
      {word}
    </Button>
  );
}
