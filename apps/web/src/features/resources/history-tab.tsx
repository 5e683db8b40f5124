import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, type Loaded, routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { History, ifMatchOf, type RevisionEntry } from '../../changes/index.ts';
import { toDraft, toMergeText } from './draft-model.ts';
import type { StoredDocument } from './rows.ts';

export function HistoryTab({ answer: { body: document, etag } }: { answer: Loaded<StoredDocument> }) {
  const { collection, name, version, id } = document;
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const client = useQueryClient();
  const item = { params: { collection, name }, query: { project: project.id, version } };
  const list = useApiList<RevisionEntry>(routes.xds.listRevisions, item, { topics: ['document'] });
  return (
    <History
      subject={`document ${id}`}
      list={list}
      language="json"
      load={async (revision, signal) => {
        const asked = { ...item, params: { ...item.params, revision } };
        const { body } = await call(routes.xds.getRevision, asked, { signal });
        return toMergeText(toDraft(body));
      }}
      restore={
        can(routes.xds.restore)
          ? async (revision) => {
              const ifMatch = ifMatchOf({ etag, revision: document.revision });
              const { body } = await call(routes.xds.restore, { ...item, body: { revision } }, { ifMatch });
              await invalidate(client, routes.xds.get, routes.xds.list, routes.xds.listRevisions);
              const made = 'revision' in body ? body.revision : revision;
              url.set({ rollout: String(made) });
              return made;
            }
          : undefined
      }
    />
  );
}
