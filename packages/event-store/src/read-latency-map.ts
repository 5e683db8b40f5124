import { refuseQuery } from './errors.ts';
import { LATENCY_BUCKETS } from './latency.ts';
import type { LatencyMap, LatencyMapQuery, ProjectId, Step } from './port.ts';
import { type Plan, planRange, STEP_MS } from './query.ts';
import { type Context, toRead } from './read-context.ts';
import { stepSql, sumsSql } from './sql.ts';
import { addSums, createSums } from './sums.ts';

/** Steps of an answer, each with `LATENCY_BUCKETS` counts. */
export const LATENCY_MAP_STEPS_MAX = 400;

/** Counts requests by step and latency class: from rollups if they have every column of the filter, otherwise from events. */
export async function readLatencyMap(
  context: Context,
  project: ProjectId,
  query: LatencyMapQuery,
): Promise<LatencyMap> {
  const { stepMs } = query;
  const plan = planMap(query);
  const rows = await context.query(project, (dialect) => sumsSql(plan, { keys: [stepSql(plan, stepMs)] }, dialect));
  const steps = new Map<number, ReturnType<typeof createSums>>();
  for (const row of rows) {
    const timeMs = Number(row.k0);
    const sums = steps.get(timeMs) ?? createSums();
    steps.set(timeMs, sums);
    addSums(sums, row);
  }
  const data = [];
  for (let timeMs = plan.from; timeMs < plan.to; timeMs += stepMs) {
    const { events = 0, requests = 0, histogram = NO_REQUESTS } = steps.get(timeMs) ?? {};
    data.push({ timeMs, events, requests, counts: histogram });
  }
  return toRead(plan, data);
}

const NO_REQUESTS: readonly number[] = Array.from({ length: LATENCY_BUCKETS }, () => 0);

/** The window is extended to whole steps. */
function planMap({ stepMs, ...range }: LatencyMapQuery): Plan {
  if (!Number.isSafeInteger(stepMs) || stepMs < STEP_MS['1m'] || stepMs % STEP_MS['1m'] !== 0) {
    throw refuseQuery('The step of a latency map is a number of whole minutes.');
  }
  const plan = planRange(range, [], { step: coarsestOf(stepMs) });
  const from = plan.from - (plan.from % stepMs);
  const to = Math.ceil(plan.to / stepMs) * stepMs;
  if ((to - from) / stepMs > LATENCY_MAP_STEPS_MAX) {
    throw refuseQuery(
      `A latency map has at most ${LATENCY_MAP_STEPS_MAX} steps. Choose longer ones or a shorter window.`,
    );
  }
  return { ...plan, from, to };
}

/** The coarsest rollup whose steps fit into this one. */
function coarsestOf(stepMs: number): Step {
  if (stepMs % STEP_MS['1d'] === 0) return '1d';
  return stepMs % STEP_MS['1h'] === 0 ? '1h' : '1m';
}
