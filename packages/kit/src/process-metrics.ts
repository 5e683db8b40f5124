/** The longest delay of a Node timer. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * For `collectDefaultMetrics` of prom-client, whose event-loop histogram wakes the process for every sample. The
 * default of 100 samples per second costs 1 % of a core in an idle process.
 */
export const WITHOUT_SAMPLING = { eventLoopMonitoringPrecision: NEVER_MS };

const SAMPLED = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

/** Removes the metrics that have no samples under `WITHOUT_SAMPLING`. Keeps the current lag. */
export function dropSampledMetrics(registry: { removeSingleMetric(name: string): void }, prefix = ''): void {
  for (const of of SAMPLED) registry.removeSingleMetric(`${prefix}nodejs_eventloop_lag_${of}_seconds`);
}
