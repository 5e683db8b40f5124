import type { fleet } from '@flotilla/proto';

/** Limit of a service's unsent findings. Above it, the filter is not asked for more. */
const WAITING_MAX = 1_000;
/** Above this limit, the findings of ended filters are dropped. */
const WAITING_AT_MOST = 4_000;
/** The controller answers within seconds unless it wants the findings later. */
const TELL_AGAIN_MS = 30_000;

interface Queue {
  readonly messages: fleet.ShieldEvents[];
  events: number;
  /** Time at which the first message was sent. Undefined if it has not been sent on this stream. */
  toldAtMs: number | undefined;
}

/**
 * What filters found, on its way to the controller: of each service one message at a time, told until the controller has
 * stored it. Messages are kept in memory only. Those that an agent loses with its end are still in the filter, which keeps
 * its newest findings: the next agent reads them from there, and what the controller has already it leaves out.
 */
export class ShieldEventFeed {
  readonly #queues = new Map<string, Queue>();

  /** Whether so many findings wait that no more should be read for the service. */
  isFull(serviceId: string): boolean {
    return (this.#queues.get(serviceId)?.events ?? 0) >= WAITING_MAX;
  }

  take(messages: readonly fleet.ShieldEvents[]): void {
    for (const message of messages) {
      const count = message.events.length;
      if (count === 0) continue;
      const queue = this.#queues.get(message.serviceId) ?? { messages: [], events: 0, toldAtMs: undefined };
      if (queue.events + count > WAITING_AT_MOST) continue;
      queue.messages.push(message);
      queue.events += count;
      this.#queues.set(message.serviceId, queue);
    }
  }

  /** Returns the messages to send now: those never sent and those sent long ago. */
  due(nowMs: number): fleet.ShieldEvents[] {
    return [...this.#queues.values()].flatMap((queue) => {
      const [first] = queue.messages;
      if (!first || (queue.toldAtMs !== undefined && nowMs - queue.toldAtMs < TELL_AGAIN_MS)) return [];
      queue.toldAtMs = nowMs;
      return [first];
    });
  }

  /** Marks every message as unsent because there is a new stream. */
  tellAgain(): void {
    for (const queue of this.#queues.values()) queue.toldAtMs = undefined;
  }

  /** Returns false, and changes nothing, if this does not confirm the last message sent. */
  stored({ serviceId, epoch, seq }: fleet.ShieldEventsStored): boolean {
    const queue = this.#queues.get(serviceId);
    const [first] = queue?.messages ?? [];
    if (!queue || !first || first.epoch !== epoch || first.events.at(-1)?.seq !== seq) return false;
    queue.messages.shift();
    queue.events -= first.events.length;
    queue.toldAtMs = undefined;
    if (queue.messages.length === 0) this.#queues.delete(serviceId);
    return true;
  }
}
