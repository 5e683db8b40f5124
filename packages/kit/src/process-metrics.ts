/** No timer of the engine's runs for longer. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * For `collectDefaultMetrics` of prom-client: its histogram of the event loop's delay wakes the process each time it
 * samples, by default a hundred times a second, which takes a hundredth of a core of a process that does nothing.
 */
export const WITHOUT_SAMPLING = { eventLoopMonitoringPrecision: NEVER_MS };

const SAMPLED = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

/** Takes the metrics away that have no samples then. The lag at the moment of the question stays. */
export function dropSampledMetrics(registry: { removeSingleMetric(name: string): void }, prefix = ''): void {
  for (const of of SAMPLED) registry.removeSingleMetric(`${prefix}nodejs_eventloop_lag_${of}_seconds`);
}
