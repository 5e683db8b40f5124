import { useEffect, useState } from 'react';
import { call, routes } from '../../api/index.ts';
import { pickClientsToAsk, readSample, type Sample } from './fresh-stats.ts';
import type { ClientRow } from './model.ts';

const ASK_AGAIN_AFTER_MS = 60_000;
const WAIT_MS = 10_000;
/** Time of the last query by project, so that opening the list again sends no new query. */
const askedAtMs = new Map<string, number>();

/**
 * Queries the connected clients of a list for CPU and memory when it loads, at most once a minute. Agents also report by themselves, but
 * less often. Returns samples by client ID; empty until they answer.
 */
export function useFreshStats(project: string, rows: readonly ClientRow[]): ReadonlyMap<string, Sample> {
  const [samples, setSamples] = useState<ReadonlyMap<string, Sample>>(new Map());
  const hasRows = rows.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the list loads, not whenever a row changes
  useEffect(() => {
    const clients = pickClientsToAsk(rows);
    if (clients.length === 0 || Date.now() - (askedAtMs.get(project) ?? 0) < ASK_AGAIN_AFTER_MS) return;
    askedAtMs.set(project, Date.now());
    const body = { type: 'CLIENT_STATS', clients };
    call(routes.command.dispatch, { query: { project, wait_ms: WAIT_MS }, body }).then(
      ({ body: { results } }) =>
        setSamples(
          new Map(
            results.flatMap(({ client_id, result }) => {
              const sample = readSample(result);
              return sample ? [[client_id, sample] as const] : [];
            }),
          ),
        ),
      // The list still shows the values that the agents reported.
      () => undefined,
    );
  }, [project, hasRows]);
  return samples;
}
