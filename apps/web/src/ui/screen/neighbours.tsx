import { Button, Group, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useUrlState } from '../../app/url-state.ts';

interface NeighboursProps {
  /** The parameter of the URL that names the open row. */
  readonly name: string;
  readonly rows: readonly { readonly id: string }[];
  readonly words: { readonly above: (key: ReactNode) => ReactNode; readonly below: (key: ReactNode) => ReactNode };
}

/** Buttons in the drawer of a row. They and the keys K and J open the rows above and below it. */
export function Neighbours({ name, rows, words }: NeighboursProps) {
  const url = useUrlState();
  const id = url.get(name);
  const index = rows.findIndex((row) => row.id === id);
  const above = index > 0 ? rows[index - 1] : undefined;
  const below = index >= 0 ? rows[index + 1] : undefined;
  const open = (row: typeof above) => row && url.set({ [name]: row.id });
  const keys: Parameters<typeof useHotkeys>[0] = [
    ['j', () => open(below)],
    ['k', () => open(above)],
  ];
  // The drawer fades out after it was closed.
  useHotkeys(id === undefined ? [] : keys);
  return (
    <Group gap="xs" mb="md">
      <Button variant="default" disabled={!above} onClick={() => open(above)} aria-keyshortcuts="k">
        {words.above(<Key name="K" />)}
      </Button>
      <Button variant="default" disabled={!below} onClick={() => open(below)} aria-keyshortcuts="j">
        {words.below(<Key name="J" />)}
      </Button>
    </Group>
  );
}

function Key({ name }: { name: string }) {
  return (
    <Text component="kbd" inherit c="dimmed" ml={6}>
      {name}
    </Text>
  );
}
