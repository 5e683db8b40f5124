import { combine, findColumn } from './columns.ts';

/** One value per step. A plain array, because most columns have one step, and a typed array per value caused much of the garbage. */
type Column = number[];

/** Values of one name: by column, one per step. A missing column is zero. */
export interface Series {
  readonly scope: number;
  /** null: names beyond the limit, counted together. */
  readonly name: string | null;
  readonly columns: Map<number, Column>;
}

/** The traffic of one node in some steps of equal length. A raw interval is a block with one step. */
export interface Block {
  readonly steps: number;
  /** Reported part of each step. 0: unknown. */
  readonly coveredMs: Column;
  readonly series: Map<string, Series>;
}

export function createBlock(steps: number): Block {
  return { steps, coveredMs: createColumn(steps), series: new Map() };
}

function createColumn(steps: number): Column {
  return steps === 1 ? [0] : new Array<number>(steps).fill(0);
}

export function seriesOf(block: Block, scope: number, name: string | null): Series {
  return seriesAt(block, { key: toKey(scope, name), scope, name });
}

/** `key`: that of `toKey`. */
export function seriesAt(
  block: Block,
  { key, scope, name }: Pick<Series, 'scope' | 'name'> & { readonly key: string },
): Series {
  const known = block.series.get(key);
  if (known) return known;
  const series: Series = { scope, name, columns: new Map() };
  block.series.set(key, series);
  return series;
}

export function toKey(scope: number, name: string | null): string {
  return name === null ? `${scope}` : `${scope} ${name}`;
}

export function columnOf(series: Series, id: number, steps: number): Column {
  const known = series.columns.get(id);
  if (known) return known;
  const column = createColumn(steps);
  series.columns.set(id, column);
  return column;
}

/** Adds series of the same steps. Gauges are combined as those of several names or nodes. */
export function addSeries(to: Series, from: Series, steps: number): void {
  for (const [id, values] of from.columns) {
    const across = findColumn(id)?.across ?? 'sum';
    const column = columnOf(to, id, steps);
    for (let step = 0; step < steps; step += 1) column[step] = combine(across, column[step] ?? 0, values[step] ?? 0);
  }
}

/** The sums over all names of each scope, under the name null. */
export function sumUp(block: Block): Block {
  const totals: Block = { steps: block.steps, coveredMs: block.coveredMs, series: new Map() };
  for (const series of block.series.values()) addSeries(seriesOf(totals, series.scope, null), series, block.steps);
  return totals;
}

/** Keeps the names with the largest weight and counts the others together. Returns the number of those. */
export function limitNames(block: Block, max: number, weigh: (series: Series) => number): number {
  const named = [...block.series.entries()].filter(([, { name }]) => name !== null && name !== '');
  if (named.length <= max) return 0;
  const weights = new Map(named.map(([key, series]) => [key, weigh(series)]));
  const least = named.toSorted(([a], [b]) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0)).slice(max);
  for (const [key, series] of least) {
    block.series.delete(key);
    addSeries(seriesOf(block, series.scope, null), series, block.steps);
  }
  return least.length;
}
