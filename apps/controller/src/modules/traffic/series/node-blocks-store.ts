import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Block, columnOf, createBlock, seriesOf } from './model/block.ts';
import { readBlock, type Wanted } from './model/codec.ts';
import { findColumn } from './model/columns.ts';
import { IntervalValues } from './model/interval-values.ts';
import type { SeriesRange } from './model/range.ts';
import { blockSpanMs, HOUR_S, MINUTE_S, type StoredStep } from './model/roll-up.ts';
import { addInterval } from './model/spread.ts';

/** The part of the traffic that a caller reads. */
export interface TrafficFilter {
  readonly projectId: string;
  /** Condition for a column with a service id. */
  readonly seen: (id: `${string}.${string}`) => RawBuilder<SqlBool>;
  readonly serviceIds?: readonly string[] | undefined;
  readonly clientId?: string | undefined;
}

/** The traffic of a node in the steps of a range. */
export interface NodeBlock {
  readonly serviceId: string;
  readonly clientId: string;
  readonly block: Block;
}

interface Piece {
  readonly service_id: string;
  readonly client_id: string;
  /** Length of the steps in seconds; null: one interval. */
  readonly step_s: StoredStep | null;
  readonly from_at: Date;
  readonly until_at: Date;
  readonly bytes: Buffer;
}

/** Other requests get their turn after so many pieces. */
const PIECES_AT_ONCE = 200;

/**
 * Reads every node's blocks and the intervals that are not in blocks yet, in one statement. `isNamed` reads all names instead
 * of the sums of the scopes.
 */
export async function* readNodeBlocks(
  db: Db,
  filter: TrafficFilter,
  { range, wanted, isNamed }: { readonly range: SeriesRange; readonly wanted: Wanted; readonly isNamed: boolean },
): AsyncGenerator<NodeBlock> {
  const pieces = await readPieces(db, filter, { range, column: isNamed ? 'names' : 'totals' });
  const grid = { startMs: range.fromMs, stepMs: range.stepS * 1000 };
  const interval = new IntervalValues();
  let node: (NodeBlock & { readonly replaced: Set<number> }) | undefined;
  for (const [i, piece] of pieces.entries()) {
    if (i % PIECES_AT_ONCE === PIECES_AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
    if (node?.serviceId !== piece.service_id || node.clientId !== piece.client_id) {
      if (node) yield node;
      const { service_id: serviceId, client_id: clientId } = piece;
      node = { serviceId, clientId, block: createBlock(range.steps), replaced: new Set() };
    }
    const fromMs = piece.from_at.getTime();
    if (piece.step_s === null) {
      if (!interval.read(piece.bytes, wanted)) continue;
      addInterval(node.block, grid, { fromMs, durationMs: piece.until_at.getTime() - fromMs, values: interval });
    } else {
      const values = readBlock(piece.bytes, wanted);
      if (!values) continue;
      // The minutes of a changed hour replace what its week has of it.
      if (range.resolution === HOUR_S && piece.step_s === MINUTE_S) node.replaced.add(fromMs);
      addBlock(node.block, grid, { values, startMs: fromMs, stepMs: piece.step_s * 1000, without: node.replaced });
    }
  }
  if (node) yield node;
}

interface Source {
  readonly values: Block;
  readonly startMs: number;
  readonly stepMs: number;
  /** Starts of steps that are read elsewhere. */
  readonly without: ReadonlySet<number>;
}

/** Adds stored steps to the coarser or equal steps in which they begin. */
function addBlock(
  block: Block,
  grid: { readonly startMs: number; readonly stepMs: number },
  { values, startMs, stepMs, without }: Source,
): void {
  const targets: Array<readonly [number, number]> = [];
  for (let step = 0; step < values.steps; step += 1) {
    const at = startMs + step * stepMs;
    const target = Math.floor((at - grid.startMs) / grid.stepMs);
    const covered = values.coveredMs[step] ?? 0;
    if (target < 0 || target >= block.steps || covered === 0) continue;
    if (stepMs === HOUR_S * 1000 && without.has(at)) continue;
    block.coveredMs[target] = (block.coveredMs[target] ?? 0) + covered;
    targets.push([step, target]);
  }
  for (const { scope, name, columns } of values.series.values()) {
    const series = seriesOf(block, scope, name);
    for (const [id, from] of columns) {
      const to = columnOf(series, id, block.steps);
      const isGauge = findColumn(id)?.kind === 'gauge';
      for (const [step, target] of targets) to[target] = (isGauge ? 0 : (to[target] ?? 0)) + (from[step] ?? 0);
    }
  }
}

function readPieces(
  db: Db,
  filter: TrafficFilter,
  { range, column }: { readonly range: SeriesRange; readonly column: 'names' | 'totals' },
): Promise<Piece[]> {
  const bytes = sql.ref(column);
  const from = new Date(range.fromMs);
  const to = new Date(range.toMs);
  const isRaw = range.resolution === 10;
  const blocks = (stepS: StoredStep, condition: RawBuilder<SqlBool>) => sql`
    select b.service_id, b.client_id, b.step_s, b.start_at as from_at, b.start_at as until_at, b.${bytes} as bytes
    from traffic_blocks b
    where b.step_s = ${stepS} and b.start_at > ${new Date(range.fromMs - blockSpanMs(stepS))} and b.start_at < ${to}
      and ${condition} and ${matches(filter, 'b')}`;
  const intervals = sql`
    select i.service_id, i.client_id, null::int as step_s, i.from_at, i.until_at, i.${bytes} as bytes
    from traffic_intervals i
    ${isRaw ? sql`` : sql`join traffic_nodes n on n.service_id = i.service_id and n.client_id = i.client_id and i.id > n.rolled_to`}
    where i.until_at > ${from} and i.from_at < ${to} and ${matches(filter, 'i')}`;
  const everything = sql<SqlBool>`true`;
  const parts = isRaw
    ? [intervals]
    : range.resolution === MINUTE_S
      ? [blocks(MINUTE_S, everything), intervals]
      : [blocks(HOUR_S, everything), blocks(MINUTE_S, sql<SqlBool>`b.is_changed`), intervals];
  return sql<Piece>`
    select * from (${sql.join(parts, sql` union all `)}) pieces
    order by service_id, client_id, step_s nulls last, from_at`
    .execute(db)
    .then(({ rows }) => rows);
}

export function matches({ projectId, seen, serviceIds, clientId }: TrafficFilter, table: string): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql<SqlBool>`${column('project_id')} = ${projectId} and ${seen(`${table}.service_id`)}
    ${serviceIds === undefined ? sql`` : sql`and ${column('service_id')} = any(${[...serviceIds]}::uuid[])`}
    ${clientId === undefined ? sql`` : sql`and ${column('client_id')} = ${clientId}`}`;
}
