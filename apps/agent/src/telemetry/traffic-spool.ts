import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';

export interface SpoolLimits {
  /** Limit for all services together. */
  readonly bytes: number;
  readonly ageMs: number;
}

export const SPOOL_LIMITS: SpoolLimits = { bytes: 32 * 1024 * 1024, ageMs: 60 * 60_000 };
/** Size of a message, well below the limit of the controller. One interval may be larger. */
const MESSAGE_BYTES = 512 * 1024;
/** Size of all messages in flight. After a long absence, the others follow when these are stored. */
const IN_FLIGHT_BYTES = 4 * 1024 * 1024;
/** The controller answers within seconds unless it wants the intervals later. */
const RESEND_MS = 30_000;

interface Stored {
  readonly seq: bigint;
  readonly bytes: Uint8Array;
  readonly addedMs: number;
}

interface Queue {
  lastSeq: bigint;
  intervals: Stored[];
  /** Time of the message in flight. Undefined if there is none on this stream. */
  sentMs: number | undefined;
  sentBytes: number;
}

/**
 * Keeps intervals until the controller has stored them. Each service has one message in flight, which is repeated. While the
 * controller is away, the intervals wait here: in memory, encoded, for an hour, and within a limit that drops the oldest first.
 */
export class TrafficSpool {
  readonly #epoch: string;
  readonly #limits: SpoolLimits;
  readonly #queues = new Map<string, Queue>();
  #bytes = 0;

  constructor(epoch: string, limits: SpoolLimits = SPOOL_LIMITS) {
    this.#epoch = epoch;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Numbers the interval. */
  add(serviceId: string, interval: fleet.TrafficInterval, nowMs: number): void {
    const queue = this.#queues.get(serviceId) ?? { lastSeq: 0n, intervals: [], sentMs: undefined, sentBytes: 0 };
    this.#queues.set(serviceId, queue);
    queue.lastSeq += 1n;
    interval.seq = queue.lastSeq;
    const bytes = toBinary(fleet.TrafficIntervalSchema, interval);
    queue.intervals.push({ seq: queue.lastSeq, bytes, addedMs: nowMs });
    this.#bytes += bytes.length;
    this.#trim(nowMs);
  }

  /** Returns the messages to send now: those never sent on this stream and those sent long ago. */
  due(nowMs: number, sentMs: number): fleet.TrafficReport[] {
    this.#trim(nowMs);
    const isInFlight = ({ sentMs: at }: Queue) => at !== undefined && nowMs - at < RESEND_MS;
    let inFlight = 0;
    for (const queue of this.#queues.values()) if (isInFlight(queue)) inFlight += queue.sentBytes;
    const reports: fleet.TrafficReport[] = [];
    for (const [serviceId, queue] of [...this.#queues]) {
      if (inFlight >= IN_FLIGHT_BYTES) break;
      if (queue.intervals.length === 0 || isInFlight(queue)) continue;
      const chosen = takeFitting(queue.intervals);
      queue.sentMs = nowMs;
      queue.sentBytes = chosen.reduce((sum, { bytes }) => sum + bytes.length, 0);
      inFlight += queue.sentBytes;
      // The others are next.
      this.#queues.delete(serviceId);
      this.#queues.set(serviceId, queue);
      const intervals = chosen.map(({ bytes }) => fromBinary(fleet.TrafficIntervalSchema, bytes));
      const header = { serviceId, epoch: this.#epoch, sentMs: BigInt(Math.round(sentMs)) };
      reports.push(create(fleet.TrafficReportSchema, { ...header, intervals }));
    }
    return reports;
  }

  /** Marks every message as unsent because there is a new stream. */
  resend(): void {
    for (const queue of this.#queues.values()) queue.sentMs = undefined;
  }

  /** Drops what the controller has stored. Returns false for a confirmation of another start of the agent. */
  stored({ serviceId, epoch, seq }: fleet.TrafficStored): boolean {
    const queue = this.#queues.get(serviceId);
    if (!queue || epoch !== this.#epoch) return false;
    while (queue.intervals[0] && queue.intervals[0].seq <= seq) this.#dropOldest(queue);
    queue.sentMs = undefined;
    return true;
  }

  /** Forgets a service that was removed from this host. Its sequence continues if it comes back. */
  forget(serviceId: string): void {
    const queue = this.#queues.get(serviceId);
    while (queue && queue.intervals.length > 0) this.#dropOldest(queue);
  }

  #trim(nowMs: number): void {
    for (const queue of this.#queues.values()) {
      while (queue.intervals[0] && nowMs - queue.intervals[0].addedMs > this.#limits.ageMs) this.#dropOldest(queue);
    }
    while (this.#bytes > this.#limits.bytes) {
      const oldest = [...this.#queues.values()].reduce<Queue | undefined>((found, queue) => {
        const at = queue.intervals[0]?.addedMs;
        return at !== undefined && at < (found?.intervals[0]?.addedMs ?? Number.POSITIVE_INFINITY) ? queue : found;
      }, undefined);
      if (!oldest) return;
      this.#dropOldest(oldest);
    }
  }

  #dropOldest(queue: Queue): void {
    this.#bytes -= queue.intervals.shift()?.bytes.length ?? 0;
  }
}

/** Returns the oldest intervals that fit into one message, at least one. */
function takeFitting(intervals: readonly Stored[]): readonly Stored[] {
  let size = 0;
  const cut = intervals.findIndex(({ bytes }) => {
    size += bytes.length;
    return size > MESSAGE_BYTES;
  });
  return cut === -1 ? intervals : intervals.slice(0, Math.max(1, cut));
}
