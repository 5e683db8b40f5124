import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call, routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import type { TrafficRange } from './ranges.ts';

/** Polling interval: counts emit no events, and filters report every ten seconds. A hidden page does not poll. */
const ASK_EVERY_MS = 10_000;
const ASK_SELDOM_MS = 30_000;

/** Loads the counts of a policy, or of the whole project, in a range that ends now. */
export function useTraffic(range: TrafficRange, policy?: string) {
  const project = useProject();
  return useQuery({
    queryKey: ['policy-traffic', project.id, policy ?? 'all', range.id],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - range.ms).toISOString();
      const query = { project: project.id, from, ...(policy !== undefined && { policy }) };
      const [series, counters] = await Promise.all([
        call(routes.metrics.shieldSeries, { query: { ...query, step_s: range.stepS } }, { signal }),
        call(routes.metrics.shieldCounters, { query }, { signal }),
      ]);
      return { series: series.body, counters: counters.body };
    },
    placeholderData: keepPreviousData,
    refetchInterval: range.stepS > 60 ? ASK_SELDOM_MS : ASK_EVERY_MS,
  });
}
