import type { Platform } from '../../platform/platform.ts';
import { TrafficMetrics, TrafficRecorder, TrafficRollUp } from './series/index.ts';

export function composeTraffic({
  database: { db },
  logger,
  metrics,
  lifecycle,
}: Pick<Platform, 'database' | 'logger' | 'metrics' | 'lifecycle'>) {
  const now = () => new Date();
  const traffic = new TrafficRecorder({ db, logger, now, listener: new TrafficMetrics(metrics, now) });
  lifecycle.add(() => traffic.close());
  return {
    traffic,
    /** For processes that serve agents: the others store nothing. */
    startRollUp() {
      const rollUp = new TrafficRollUp({ db, logger, now });
      lifecycle.add(() => rollUp.close());
    },
  };
}
