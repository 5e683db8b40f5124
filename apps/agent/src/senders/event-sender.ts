import type { fleet } from '@flotilla/proto';
import type { SenderOptions } from './sender-options.ts';
import { ShieldEventFeed } from './shield-event-feed.ts';

const INTERVAL_MS = 1000;

/** Reads the filters' findings and sends them until the controller has stored them, one message at a time per service. */
export function createEventSender({ host, outbox, clock, logger }: SenderOptions) {
  const feed = new ShieldEventFeed();
  const keyOf = (serviceId: string) => `events ${serviceId}`;
  const send = () => {
    for (const value of feed.due(clock.monotonic()))
      outbox.put(keyOf(value.serviceId), { case: 'shieldEvents', value });
  };
  let isReading = false;
  const read = async () => {
    // A slow filter gets only one request at a time.
    if (isReading) return;
    isReading = true;
    try {
      feed.add(await host.shieldEvents((serviceId) => feed.isFull(serviceId)));
    } catch (error) {
      logger.warn({ err: error }, 'events.failed');
    } finally {
      isReading = false;
    }
    send();
  };
  const timer = setInterval(() => void read(), INTERVAL_MS);
  timer.unref();
  return {
    stored(stored: fleet.ShieldEventsStored) {
      if (!feed.stored(stored)) return;
      outbox.drop(keyOf(stored.serviceId));
      send();
    },
    resend() {
      feed.resend();
      send();
    },
    close: () => clearInterval(timer),
  };
}
