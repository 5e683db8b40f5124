import type { Db } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { ReportQueue } from '../../../platform/database/report-queue.ts';
import { addIntervals, type IntervalRow, type NodeRow } from './interval-store.ts';
import type { Block } from './model/block.ts';
import { HostClocks } from './model/clock.ts';
import { encodeBlock } from './model/codec.ts';
import { toReasons } from './model/problems.ts';
import { type Interval, isAddressed, toReading } from './model/reading.ts';

const INTERVALS_PER_WRITE = 500;
/** Waiting bytes. */
const ROOM = { perClient: 8 * 1024 * 1024, perClientCrowded: 256 * 1024, crowded: 64 * 1024 * 1024 };
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

/** The intervals of one report. */
interface Intervals {
  readonly rows: readonly IntervalRow[];
  readonly totals: readonly Block[];
  readonly node: NodeRow | undefined;
}

/** Stores what agents report about the traffic of their Envoys. An agent above its share gets no acknowledgement until it sends less. */
export class TrafficRecorder implements Closable {
  readonly #deps: TrafficRecorderDeps;
  readonly #queue: ReportQueue<Intervals>;
  readonly #clocks = new HostClocks();
  #minute = 0;
  /** Names taken in this minute, by client, and intervals by service. */
  readonly #takenOf = new Map<string, { names: number; readonly intervalsOf: Map<string, number> }>();

  constructor(deps: TrafficRecorderDeps) {
    this.#deps = deps;
    this.#queue = new ReportQueue({
      room: ROOM,
      sizeOf: ({ rows }) => rows.reduce((sum, { totals, names }) => sum + totals.length + names.length, 0),
      rowsOf: ({ rows }) => rows.length,
      rowsPerWrite: INTERVALS_PER_WRITE,
      write: (reports) => this.#write(reports),
      onFailure: (error) => deps.logger.warn({ err: error }, 'traffic.flush_failed'),
      onRefused: (client, error) => deps.logger.warn({ err: error, client }, 'traffic.report_refused'),
      flushIntervalMs: deps.flushIntervalMs,
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
    const node = toNode({ clientId, serviceId }, reading.intervals, shiftMs);
    const totals = reading.intervals.map((interval) => interval.totals);
    return (await this.#queue.add(clientId, { rows, totals, node })) ? reading.lastSeq : undefined;
  }

  /** The client's stream has ended. Its reports are still written. */
  forget(clientId: string): void {
    this.#clocks.forget(clientId);
  }

  flush(): Promise<void> {
    return this.#queue.flush();
  }

  close(): Promise<void> {
    return this.#queue.close();
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

  async #write(reports: readonly Intervals[]): Promise<void> {
    const { db, now, listener } = this.#deps;
    const at = now();
    const nodes = new Map<string, NodeRow>();
    for (const { node } of reports) if (node) nodes.set(keyOf(node), mergeNodes(nodes.get(keyOf(node)), node));
    const rows = reports.flatMap((one) => one.rows);
    const added = await addIntervals(db, { intervals: rows, nodes: [...nodes.values()] }, at);
    const totalsOf = new Map<string, Block>();
    for (const { rows: own, totals } of reports) {
      for (const [i, row] of own.entries()) {
        const block = totals[i];
        if (block) totalsOf.set(keyOfInterval(row), block);
      }
    }
    for (const one of added) {
      const totals = totalsOf.get(keyOfInterval(one));
      if (totals) listener.stored({ clientId: one.client_id, serviceId: one.service_id }, totals, at);
    }
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
