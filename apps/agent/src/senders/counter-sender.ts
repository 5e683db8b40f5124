import type { fleet } from '@flotilla/proto';
import type { SenderOptions } from './sender-options.ts';
import { ShieldReadings } from './shield-readings.ts';

/** Counters are also read without a stream, so that little is lost when a filter ends unexpectedly. */
const INTERVAL_MS = 5000;

/** Reads the filters' counters and health and sends the changes. Each run of a filter has one key. */
export function createCounterSender({ host, outbox, clock, logger }: SenderOptions) {
  const readings = new ShieldReadings();
  const put = (reading: fleet.ShieldCounters) =>
    outbox.put(`counters ${reading.serviceId} ${reading.epoch}`, { case: 'shieldCounters', value: reading });
  const read = () => {
    // The reports of the services contain the changes that this check finds.
    host.checkFilters().catch((error: unknown) => logger.warn({ err: error }, 'filters.failed'));
    host.shieldCounters().then(
      (found) => readings.add(found, clock.now()).forEach(put),
      (error: unknown) => logger.warn({ err: error }, 'counters.failed'),
    );
  };
  const timer = setInterval(read, INTERVAL_MS);
  timer.unref();
  return {
    /** Sends the minutes that did not fit into one message once the controller has stored the first part. */
    stored(stored: fleet.ShieldMinutesStored) {
      const rest = readings.stored(stored);
      if (rest) put(rest);
    },
    resend() {
      readings.all().forEach(put);
      read();
    },
    close: () => clearInterval(timer),
  };
}
