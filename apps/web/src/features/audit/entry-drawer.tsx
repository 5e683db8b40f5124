import type { AuditEntryView } from '@flotilla/contract';
import { Button, Drawer, Group, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Loaded } from '../../ui/index.ts';
import { EntryDetails } from './entry-details.tsx';
import { entryWords } from './entry-words.ts';
import { texts } from './texts.tsx';

const text = texts.entryDrawer;

interface EntryDrawerProps {
  readonly rows: readonly AuditEntryView[];
  readonly isAll: boolean;
  readonly projectNames: ReadonlyMap<string, string> | undefined;
}

/** Shows the entry that the URL names; J and K go to its neighbours in the list. */
export function EntryDrawer({ rows, isAll, projectNames }: EntryDrawerProps) {
  const project = useProject();
  const url = useUrlState();
  const id = url.get('entry');
  const index = rows.findIndex((row) => row.id === id);
  const listed = rows[index];
  const asked = useApi(
    routes.audit.get,
    { params: { entry_id: id ?? '' }, query: isAll ? {} : { project: project.id } },
    { enabled: id !== undefined && listed === undefined },
  );
  const above = index > 0 ? rows[index - 1] : undefined;
  const below = index >= 0 ? rows[index + 1] : undefined;
  const go = (entry: AuditEntryView | undefined) => entry && url.set({ entry: entry.id });
  useHotkeys(
    id === undefined
      ? []
      : [
          ['j', () => go(below)],
          ['k', () => go(above)],
        ],
  );
  const close = () => url.set({ entry: undefined });
  const entry = listed ?? asked.data?.body;
  return (
    <Drawer
      opened={id !== undefined}
      onClose={close}
      size="min(620px, 100vw)"
      title={entry ? entryWords(entry) : text.title}
    >
      <Group gap="xs" mb="md">
        <Button variant="default" disabled={!above} onClick={() => go(above)} aria-keyshortcuts="k">
          {text.above(<Key name="K" />)}
        </Button>
        <Button variant="default" disabled={!below} onClick={() => go(below)} aria-keyshortcuts="j">
          {text.below(<Key name="J" />)}
        </Button>
      </Group>
      {listed ? (
        <EntryDetails entry={listed} projectNames={projectNames} />
      ) : (
        <Loaded query={asked} what={text.what} skeleton={12}>
          {({ body }) => <EntryDetails entry={body} projectNames={projectNames} />}
        </Loaded>
      )}
    </Drawer>
  );
}

function Key({ name }: { name: string }) {
  return (
    <Text component="kbd" inherit c="dimmed" ml={6}>
      {name}
    </Text>
  );
}
