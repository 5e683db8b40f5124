import type { fleet } from '@flotilla/proto';
import type { SenderOptions } from './sender-options.ts';
import { ShieldReadings } from './shield-readings.ts';

/** Counters are read without a stream too, so that a filter that ends by accident was read shortly before. */
const INTERVAL_MS = 5000;

/** Reads the filters' counters and health and sends the changes. Each run of a filter has one key. */
export function createCounterSender({ host, outbox, clock, logger }: SenderOptions) {
  const readings = new ShieldReadings();
  const put = (reading: fleet.ShieldCounters) =>
    outbox.put(`counters ${reading.serviceId} ${reading.epoch}`, { case: 'shieldCounters', value: reading });
  const read = () => {
    // Changes that this check finds come with the report of the service.
    host.checkFilters().catch((error: unknown) => logger.warn({ err: error }, 'filters.failed'));
    host.shieldCounters().then(
      (found) => readings.take(found, clock.now()).forEach(put),
      (error: unknown) => logger.warn({ err: error }, 'counters.failed'),
    );
  };
  const timer = setInterval(read, INTERVAL_MS);
  timer.unref();
  return {
    /** Minutes that did not fit into one message follow when the controller has stored the first part. */
    stored(stored: fleet.ShieldMinutesStored) {
      const rest = readings.stored(stored);
      if (rest) put(rest);
    },
    tellAgain() {
      readings.all().forEach(put);
      read();
    },
    close: () => clearInterval(timer),
  };
}
