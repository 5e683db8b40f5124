import type { CallInput, rolloutRoutes } from '@flotilla/contract';
import { routes, useApi } from '../api/index.ts';
import { useProject } from '../app/project.tsx';

type Asked = NonNullable<CallInput<typeof rolloutRoutes.read>['query']>;

/** Returns the newest revision while a node refuses or withholds it; undefined otherwise, and without permission. */
export function useStandingRefusal({
  collection,
  name,
  version,
}: Pick<Asked, 'collection' | 'name' | 'version'>): number | undefined {
  const project = useProject();
  const { data } = useApi(
    routes.rollout.read,
    { query: { project: project.id, collection, name, ...(version && { version }) } },
    { topics: ['node', 'client', 'document', 'policy'] },
  );
  return data?.body.state === 'refused' ? data.body.current_revision : undefined;
}
