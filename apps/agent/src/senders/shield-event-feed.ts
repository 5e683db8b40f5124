import type { fleet } from '@flotilla/proto';

/** Number of unsent findings from which the filter of a service is not asked for more. */
const WAITING_MAX = 1_000;
/** Limit of a service's unsent findings. Above it, new findings are dropped. */
const WAITING_LIMIT = 4_000;
/** The controller answers within seconds unless it wants the findings later. */
const RESEND_MS = 30_000;

interface Queue {
  readonly messages: fleet.ShieldEvents[];
  events: number;
  /** Time at which the first message was sent. Undefined if it has not been sent on this stream. */
  sentAtMs: number | undefined;
}

/**
 * Queues the findings of filters for the controller. Each service has one message in flight, which is repeated until the
 * controller has stored it. Messages are only in memory. If the agent ends, the next agent reads the newest findings from the
 * filter again, and the controller ignores those that it has.
 */
export class ShieldEventFeed {
  readonly #queues = new Map<string, Queue>();

  /** Returns true if so many findings of the service are queued that no more should be read. */
  isFull(serviceId: string): boolean {
    return (this.#queues.get(serviceId)?.events ?? 0) >= WAITING_MAX;
  }

  add(messages: readonly fleet.ShieldEvents[]): void {
    for (const message of messages) {
      const count = message.events.length;
      if (count === 0) continue;
      const queue = this.#queues.get(message.serviceId) ?? { messages: [], events: 0, sentAtMs: undefined };
      if (queue.events + count > WAITING_LIMIT) continue;
      queue.messages.push(message);
      queue.events += count;
      this.#queues.set(message.serviceId, queue);
    }
  }

  /** Returns the messages to send now: those never sent and those sent long ago. */
  due(nowMs: number): fleet.ShieldEvents[] {
    return [...this.#queues.values()].flatMap((queue) => {
      const [first] = queue.messages;
      if (!first || (queue.sentAtMs !== undefined && nowMs - queue.sentAtMs < RESEND_MS)) return [];
      queue.sentAtMs = nowMs;
      return [first];
    });
  }

  /** Marks every message as unsent because there is a new stream. */
  resend(): void {
    for (const queue of this.#queues.values()) queue.sentAtMs = undefined;
  }

  /** Removes the message in flight. Returns false without a change if the confirmation is for another message. */
  stored({ serviceId, epoch, seq }: fleet.ShieldEventsStored): boolean {
    const queue = this.#queues.get(serviceId);
    const [first] = queue?.messages ?? [];
    if (!queue || !first || first.epoch !== epoch || first.events.at(-1)?.seq !== seq) return false;
    queue.messages.shift();
    queue.events -= first.events.length;
    queue.sentAtMs = undefined;
    if (queue.messages.length === 0) this.#queues.delete(serviceId);
    return true;
  }
}
