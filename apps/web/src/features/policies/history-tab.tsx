import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, type Loaded, routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { History, ifMatchOf, type RevisionEntry } from '../../changes/index.ts';
import { type Policy, toComparableText, toContent } from './model.ts';

export function HistoryTab({ answer: { body: policy, etag } }: { answer: Loaded<Policy> }) {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const client = useQueryClient();
  const params = { name: policy.name };
  const query = { project: project.id };
  const list = useApiList<RevisionEntry>(routes.policy.listRevisions, { params, query }, { topics: ['policy'] });
  const load = async (revision: number, signal: AbortSignal) => {
    const { body } = await call(routes.policy.getRevision, { params: { ...params, revision }, query }, { signal });
    return toComparableText(toContent(body));
  };
  const restore = async (revision: number) => {
    const { body } = await call(
      routes.policy.restore,
      { params, query, body: { revision } },
      { ifMatch: ifMatchOf({ etag, revision: policy.revision }) },
    );
    await invalidate(client, routes.policy.get, routes.policy.list, routes.policy.listRevisions);
    url.set({ saved: String(body.revision) });
    return body.revision;
  };
  return (
    <History
      subject={`policy ${policy.id}`}
      list={list}
      load={load}
      language="yaml"
      restore={can(routes.policy.restore) ? restore : undefined}
    />
  );
}
