import type { EnvoyStat } from '@flotilla/contract';

/** The values of one answer. */
export interface StatSample {
  /** Milliseconds of the browser's clock at which the answer arrived. */
  readonly atMs: number;
  readonly stats: readonly EnvoyStat[];
}

export interface StatRow extends EnvoyStat {
  /** Change per second since the previous sample. Null without one, for texts, and for a counter that was reset. */
  readonly rate: number | null;
}

export function deriveStatRows(newest: StatSample, previous: StatSample | undefined): StatRow[] {
  const seconds = previous === undefined ? 0 : (newest.atMs - previous.atMs) / 1000;
  const before = new Map(previous?.stats.map(({ name, value }) => [name, value]));
  return newest.stats.map(({ name, value }) => ({ name, value, rate: deriveRate(value, before.get(name), seconds) }));
}

function deriveRate(value: EnvoyStat['value'], before: EnvoyStat['value'] | undefined, seconds: number): number | null {
  if (typeof value !== 'number' || typeof before !== 'number' || seconds <= 0 || value < before) return null;
  return (value - before) / seconds;
}

/** Keeps the order of Envoy for equal rates; rows without a rate are last. */
export function sortStatRows(rows: readonly StatRow[], order: 'name' | 'rate'): StatRow[] {
  const byName = rows.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  return order === 'name' ? byName : byName.toSorted((a, b) => (b.rate ?? -1) - (a.rate ?? -1));
}

/** `0`, `0.25`, `12.3`, `1,234`. */
export function formatRate(rate: number): string {
  const digits = rate >= 100 ? 0 : rate >= 10 ? 1 : 2;
  return rate.toLocaleString('en', { maximumFractionDigits: digits });
}
