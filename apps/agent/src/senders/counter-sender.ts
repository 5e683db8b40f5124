import type { fleet } from '@flotilla/proto';
import type { SenderOptions } from './sender-options.ts';
import { ShieldReadings } from './shield-readings.ts';

/** Also without a stream: a filter that ends by accident has been read a short while before. */
const INTERVAL_MS = 5000;

/** Reads what the filters count and how they are, and tells what is new; under one key for every run of a filter. */
export function createCounterSender({ host, outbox, clock, logger }: SenderOptions) {
  const readings = new ShieldReadings();
  const put = (reading: fleet.ShieldCounters) =>
    outbox.put(`counters ${reading.serviceId} ${reading.epoch}`, { case: 'shieldCounters', value: reading });
  const read = () => {
    // What is new of it comes with the report of the service.
    host.checkFilters().catch((error: unknown) => logger.warn({ err: error }, 'filters.failed'));
    host.shieldCounters().then(
      (found) => readings.take(found, clock.now()).forEach(put),
      (error: unknown) => logger.warn({ err: error }, 'counters.failed'),
    );
  };
  const timer = setInterval(read, INTERVAL_MS);
  timer.unref();
  return {
    tellAgain() {
      readings.all().forEach(put);
      read();
    },
    close: () => clearInterval(timer),
  };
}
