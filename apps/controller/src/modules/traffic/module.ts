import type { Platform } from '../../platform/platform.ts';
import { composeTrafficEvents, type EventSource } from './events/index.ts';
import { TrafficMetrics, TrafficRecorder, TrafficRollUp } from './series/index.ts';

/** Until a collector opens a store. */
const NO_EVENTS: EventSource = {
  access: { store: undefined, reason: 'This controller has no event store.' },
  hashFor: async () => [],
};

export function composeTraffic(
  { database, logger, metrics, lifecycle }: Pick<Platform, 'database' | 'logger' | 'metrics' | 'lifecycle'>,
  eventSource: EventSource = NO_EVENTS,
) {
  const { db } = database;
  const now = () => new Date();
  const traffic = new TrafficRecorder({ db, logger, now, listener: new TrafficMetrics(metrics, now) });
  lifecycle.add(() => traffic.close());
  return {
    traffic,
    trafficEvents: composeTrafficEvents({ database, logger, lifecycle }, eventSource),
    /** For processes that serve agents: the others store nothing. */
    startRollUp() {
      const rollUp = new TrafficRollUp({ db, logger, now });
      lifecycle.add(() => rollUp.close());
    },
  };
}
