import { type Db, isRefusedValue } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { FlushLoop } from '../../../platform/database/flush-loop.ts';
import { addIntervals, type IntervalRow, type NodeRow } from './interval-store.ts';
import type { Block } from './model/block.ts';
import { HostClocks } from './model/clock.ts';
import { encodeBlock } from './model/codec.ts';
import { toReasons } from './model/problems.ts';
import { type Interval, isAddressed, toReading } from './model/reading.ts';

const FLUSH_INTERVAL_MS = 1_000;
/** Intervals per statement. */
const CHUNK = 500;
const WAITING_BYTES_PER_CLIENT_MAX = 8 * 1024 * 1024;
const WAITING_BYTES_PER_CLIENT_CROWDED = 256 * 1024;
const CROWDED_BYTES = 64 * 1024 * 1024;
/** Names that a client may report per minute: some hundred busy services. */
const NAMES_PER_CLIENT_AND_MINUTE = 2_000_000;
/** An hour that was kept while the controller was away, plus the current ones. */
const INTERVALS_PER_NODE_AND_MINUTE = 400;
const SERVICES_PER_CLIENT_MAX = 10_000;
const MINUTE_MS = 60_000;

/** Gets every stored interval once. */
export interface TrafficListener {
  stored(node: { readonly clientId: string; readonly serviceId: string }, totals: Block, at: Date): void;
}

export interface TrafficRecorderDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly listener: TrafficListener;
  readonly flushIntervalMs?: number;
}

interface Waiting {
  readonly clientId: string;
  readonly rows: readonly IntervalRow[];
  readonly totals: readonly Block[];
  readonly node: NodeRow | undefined;
  readonly bytes: number;
  /** false: the agent sends it again. */
  readonly resolve: (isDone: boolean) => void;
}

/**
 * Collects what agents report about the traffic of their Envoys and writes it every second, so that the number of statements
 * does not depend on the number of clients. Nothing is lost: an agent keeps what was not acknowledged. An agent above its share
 * gets no acknowledgement until it sends less.
 */
export class TrafficRecorder implements Closable {
  readonly #deps: TrafficRecorderDeps;
  readonly #loop: FlushLoop;
  readonly #clocks = new HostClocks();
  #waiting: Waiting[] = [];
  /** Everything that is waiting or being written. */
  readonly #open = new Set<Waiting>();
  #waitingBytes = 0;
  readonly #waitingBytesOf = new Map<string, number>();
  #minute = 0;
  /** Names taken in this minute, by client, and intervals by service. */
  readonly #takenOf = new Map<string, { names: number; readonly intervalsOf: Map<string, number> }>();

  constructor(deps: TrafficRecorderDeps) {
    this.#deps = deps;
    this.#loop = new FlushLoop({
      intervalMs: deps.flushIntervalMs ?? FLUSH_INTERVAL_MS,
      write: () => this.#write(),
      onFailure: (error) => deps.logger.warn({ err: error }, 'traffic.flush_failed'),
    });
  }

  /** Resolves after storing with the number of the last interval that the agent may forget; undefined: send it again. */
  async note(clientId: string, report: fleet.TrafficReport): Promise<bigint | undefined> {
    if (!isAddressed(report)) return undefined;
    const room = this.#admit(clientId, report);
    const nowMs = this.#deps.now().getTime();
    const shiftMs = this.#clocks.note(clientId, Number(report.sentMs), nowMs);
    const reading = toReading(report, { nowMs, shiftMs }, room);
    if (!reading || reading.intervals.length === 0) return reading?.lastSeq;
    const { serviceId, epoch } = report;
    const rows = reading.intervals.map((interval) => toRow({ clientId, serviceId, epoch }, interval));
    const bytes = rows.reduce((sum, { totals, names }) => sum + totals.length + names.length, 0);
    if (!this.#reserve(clientId, bytes)) return undefined;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const node = toNode({ clientId, serviceId }, reading.intervals, shiftMs);
    const totals = reading.intervals.map((interval) => interval.totals);
    const waiting = { clientId, rows, totals, node, bytes, resolve };
    this.#waiting.push(waiting);
    this.#open.add(waiting);
    return (await promise) ? reading.lastSeq : undefined;
  }

  /** The client's stream has ended. Its reports are still written. */
  forget(clientId: string): void {
    this.#clocks.forget(clientId);
  }

  /** Writes the waiting intervals. Flushes run one after the other. */
  flush(): Promise<void> {
    return this.#loop.flush();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  /** Number of intervals that are accepted now, the oldest first. */
  #admit(clientId: string, { serviceId, intervals }: fleet.TrafficReport): number {
    const minute = Math.floor(this.#deps.now().getTime() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#takenOf.clear();
    }
    const taken = this.#takenOf.get(clientId) ?? { names: 0, intervalsOf: new Map<string, number>() };
    this.#takenOf.set(clientId, taken);
    const before = taken.intervalsOf.get(serviceId);
    if (before === undefined && taken.intervalsOf.size >= SERVICES_PER_CLIENT_MAX) return 0;
    const room = Math.min(INTERVALS_PER_NODE_AND_MINUTE - (before ?? 0), intervals.length);
    const names = intervals.reduce((sum, { series }) => sum + series.length, 0);
    if (room <= 0 || taken.names + names > NAMES_PER_CLIENT_AND_MINUTE) return 0;
    taken.names += names;
    taken.intervalsOf.set(serviceId, (before ?? 0) + room);
    return room;
  }

  #reserve(clientId: string, bytes: number): boolean {
    const waiting = (this.#waitingBytesOf.get(clientId) ?? 0) + bytes;
    const most = this.#waitingBytes < CROWDED_BYTES ? WAITING_BYTES_PER_CLIENT_MAX : WAITING_BYTES_PER_CLIENT_CROWDED;
    if (waiting > most) return false;
    this.#waitingBytesOf.set(clientId, waiting);
    this.#waitingBytes += bytes;
    return true;
  }

  async #write(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < waiting.length; ) {
      const some: Waiting[] = [];
      for (let rows = 0; i < waiting.length && rows < CHUNK; i += 1) {
        const one = waiting[i];
        if (one) some.push(one);
        rows += one?.rows.length ?? 0;
      }
      try {
        await this.#writeOrSplit(some);
      } catch (error) {
        // Nothing is acknowledged: the agents send what waits again.
        for (const one of [...some, ...waiting.slice(i)]) this.#settle(one, false);
        throw error;
      }
    }
  }

  /** A report that the database refuses must not hold back the others: it is dropped, because it would be refused for ever. */
  async #writeOrSplit(some: readonly Waiting[]): Promise<void> {
    try {
      await this.#writeSome(some);
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      const [one] = some;
      if (one && some.length === 1) {
        this.#deps.logger.warn({ err: error, client: one.clientId }, 'traffic.report_refused');
        this.#settle(one, true);
        return;
      }
      const half = Math.ceil(some.length / 2);
      await this.#writeOrSplit(some.slice(0, half));
      await this.#writeOrSplit(some.slice(half));
    }
  }

  async #writeSome(some: readonly Waiting[]): Promise<void> {
    const { db, now, listener } = this.#deps;
    const at = now();
    const nodes = new Map<string, NodeRow>();
    for (const { node } of some) if (node) nodes.set(keyOf(node), mergeNodes(nodes.get(keyOf(node)), node));
    const rows = some.flatMap((one) => one.rows);
    const added = await addIntervals(db, { intervals: rows, nodes: [...nodes.values()] }, at);
    const totalsOf = new Map<string, Block>();
    for (const { rows: own, totals } of some) {
      for (const [i, row] of own.entries()) {
        const block = totals[i];
        if (block) totalsOf.set(keyOfInterval(row), block);
      }
    }
    for (const one of added) {
      const totals = totalsOf.get(keyOfInterval(one));
      if (totals) listener.stored({ clientId: one.client_id, serviceId: one.service_id }, totals, at);
    }
    for (const one of some) this.#settle(one, true);
  }

  /** Does nothing the second time. */
  #settle(one: Waiting, isDone: boolean): void {
    if (!this.#open.delete(one)) return;
    const { clientId, bytes, resolve } = one;
    const left = (this.#waitingBytesOf.get(clientId) ?? 0) - bytes;
    if (left > 0) this.#waitingBytesOf.set(clientId, left);
    else this.#waitingBytesOf.delete(clientId);
    this.#waitingBytes -= bytes;
    resolve(isDone);
  }
}

interface NodeKey {
  readonly clientId: string;
  readonly serviceId: string;
}

function toRow({ clientId, serviceId, epoch }: NodeKey & { epoch: string }, interval: Interval): IntervalRow {
  const { seq, fromMs, durationMs, totals, names, minutes } = interval;
  return {
    client_id: clientId,
    service_id: serviceId,
    epoch,
    seq: Number(seq),
    from_at: new Date(fromMs).toISOString(),
    until_at: new Date(fromMs + durationMs).toISOString(),
    totals: encodeBlock(totals, { isDeflated: false }).toString('base64'),
    names: encodeBlock(names, { isDeflated: false }).toString('base64'),
    minutes,
  };
}

function toNode(
  { clientId, serviceId }: NodeKey,
  intervals: readonly Interval[],
  shiftMs: number,
): NodeRow | undefined {
  const [first, ...others] = intervals;
  if (!first) return undefined;
  const endOf = ({ fromMs, durationMs }: Interval) => fromMs + durationMs;
  const newest = others.reduce((last, one) => (endOf(one) >= endOf(last) ? one : last), first);
  const reportedAt = new Date(endOf(newest)).toISOString();
  return {
    client_id: clientId,
    service_id: serviceId,
    first_at: new Date(Math.min(...intervals.map(({ fromMs }) => fromMs))).toISOString(),
    reported_at: reportedAt,
    clock_offset_ms: shiftMs,
    problems: newest.problems.map((problem) => ({ ...problem, since: reportedAt })),
    problems_omitted: newest.problemsOmitted,
    names_omitted: newest.namesOmitted,
    reasons: toReasons(newest.problems),
  };
}

/** One statement can write a node only once. */
function mergeNodes(one: NodeRow | undefined, other: NodeRow): NodeRow {
  if (!one) return other;
  const newest = other.reported_at >= one.reported_at ? other : one;
  return { ...newest, first_at: [one.first_at, other.first_at].toSorted()[0] ?? one.first_at };
}

function keyOf({ client_id, service_id }: Pick<NodeRow, 'client_id' | 'service_id'>): string {
  return `${client_id} ${service_id}`;
}

function keyOfInterval(row: Pick<IntervalRow, 'client_id' | 'service_id' | 'epoch' | 'seq'>): string {
  return `${keyOf(row)} ${row.epoch} ${row.seq}`;
}
