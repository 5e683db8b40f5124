import type { HaPair } from '@flotilla/contract';
import { ApiError, routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useKept } from '../../ui/index.ts';

const TOPICS = ['ha_pair', 'client', 'service'] as const;
/** Losses and round-trip times change without an event. */
const FIGURES_MS = 5000;
/** While the addresses move. */
const WATCH_MS = 500;

export const listStale = () => [
  routes.ha.list,
  routes.ha.read,
  routes.ha.eligible,
  routes.ha.services,
  routes.ha.history,
];

export function usePairs() {
  const project = useProject();
  return useApi(routes.ha.list, { query: { project: project.id } }, { topics: TOPICS });
}

export function usePair(pairId: string, { isWatched = false }: { readonly isWatched?: boolean } = {}) {
  const project = useProject();
  return useApi(
    routes.ha.read,
    { params: { pair_id: pairId }, query: { project: project.id } },
    { topics: TOPICS, refetchEveryMs: () => (isWatched ? WATCH_MS : FIGURES_MS) },
  );
}

export function useHistory(pairId: string, { isWatched = false, limit }: { isWatched?: boolean; limit: number }) {
  const project = useProject();
  return useApi(
    routes.ha.history,
    { params: { pair_id: pairId }, query: { project: project.id, limit } },
    { topics: ['ha_pair'], ...(isWatched && { refetchEveryMs: () => WATCH_MS }) },
  );
}

/** Parameters of the routes of one pair. */
export function usePairPlace({ id }: Pick<HaPair, 'id'>) {
  const project = useProject();
  return { params: { pair_id: id }, query: { project: project.id } };
}

interface Asked {
  readonly data: unknown;
  readonly error: unknown;
}

/** Whether the controller was started without the secret that pairs need. Stays true while the question is repeated. */
export function useUnavailable({ data, error }: Asked): boolean {
  const isRefused = error instanceof ApiError && error.code === 'ha.unavailable';
  const wasRefused = useKept(isRefused ? true : undefined) === true;
  return wasRefused && data === undefined;
}
