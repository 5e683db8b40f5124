import type { AuditEntryView } from '@flotilla/contract';
import { Drawer } from '@mantine/core';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Loaded, Neighbours } from '../../ui/index.ts';
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
  const listed = rows.find((row) => row.id === id);
  const asked = useApi(
    routes.audit.get,
    { params: { entry_id: id ?? '' }, query: isAll ? {} : { project: project.id } },
    { enabled: id !== undefined && listed === undefined },
  );
  const entry = listed ?? asked.data?.body;
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => url.set({ entry: undefined })}
      size="min(620px, 100vw)"
      title={entry ? entryWords(entry) : text.title}
    >
      <Neighbours name="entry" rows={rows} words={text} />
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
