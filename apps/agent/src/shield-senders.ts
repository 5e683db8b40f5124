import type { Clock, Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { ServiceHost } from './host/index.ts';
import type { Outbox } from './link/outbox.ts';
import { ShieldEventFeed } from './shield-event-feed.ts';
import { ShieldReadings } from './shield-readings.ts';

/** Also without a stream: a filter that ends by accident has been read a short while before. */
const COUNTERS_INTERVAL_MS = 5000;
const EVENTS_INTERVAL_MS = 1000;

interface SenderOptions {
  readonly host: ServiceHost;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly logger: Logger;
}

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
  const timer = setInterval(read, COUNTERS_INTERVAL_MS);
  timer.unref();
  return {
    tellAgain() {
      readings.all().forEach(put);
      read();
    },
    close: () => clearInterval(timer),
  };
}

/** Reads what the filters find, and tells it until the controller has stored it: of each service one message at a time. */
export function createEventSender({ host, outbox, clock, logger }: SenderOptions) {
  const feed = new ShieldEventFeed();
  const keyOf = (serviceId: string) => `events ${serviceId}`;
  const tell = () => {
    for (const value of feed.due(clock.monotonic()))
      outbox.put(keyOf(value.serviceId), { case: 'shieldEvents', value });
  };
  let isReading = false;
  const read = async () => {
    // A filter that answers slowly is not asked twice at once.
    if (isReading) return;
    isReading = true;
    try {
      feed.take(await host.shieldEvents((serviceId) => feed.isFull(serviceId)));
    } catch (error) {
      logger.warn({ err: error }, 'events.failed');
    } finally {
      isReading = false;
    }
    tell();
  };
  const timer = setInterval(() => void read(), EVENTS_INTERVAL_MS);
  timer.unref();
  return {
    stored(stored: fleet.ShieldEventsStored) {
      if (!feed.stored(stored)) return;
      outbox.drop(keyOf(stored.serviceId));
      tell();
    },
    tellAgain() {
      feed.tellAgain();
      tell();
    },
    close: () => clearInterval(timer),
  };
}
