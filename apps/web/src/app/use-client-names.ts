import { useMemo } from 'react';
import { routes, useApi } from '../api/index.ts';
import { useProject } from './project.tsx';

const ENOUGH = 1000;

/** Maps client IDs of the project to names; an unknown ID stays as it is. */
export function useClientNames(): (clientId: string) => string {
  const project = useProject();
  const { data } = useApi(
    routes.fleet.clients,
    { query: { project: project.id, limit: ENOUGH } },
    { topics: ['client'] },
  );
  return useMemo(() => {
    const names = new Map(data?.body.items.map(({ client_id, name }) => [client_id, name]));
    return (clientId) => names.get(clientId) ?? clientId;
  }, [data]);
}

/** Returns when disconnected clients were last seen; null if unknown. Loaded only when `isNeeded`. */
export function useLastSeen(isNeeded: boolean): (clientId: string) => string | null {
  const project = useProject();
  const { data } = useApi(
    routes.fleet.clients,
    { query: { project: project.id, limit: ENOUGH, status: ['Offline'] } },
    { topics: ['client'], enabled: isNeeded },
  );
  return useMemo(() => {
    const seen = new Map(data?.body.items.map(({ client_id, last_seen }) => [client_id, last_seen]));
    return (clientId) => seen.get(clientId) ?? null;
  }, [data]);
}
