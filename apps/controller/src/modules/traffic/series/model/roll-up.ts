import { type Block, columnOf, createBlock, limitNames, seriesOf, sumUp } from './block.ts';
import { encodeBlock, readBlock } from './codec.ts';
import { findColumn } from './columns.ts';
import { IntervalValues } from './interval-values.ts';
import { NAMES_MAX, weigh } from './reading.ts';
import { addInterval } from './spread.ts';

export const MINUTE_S = 60;
export const HOUR_S = 3600;
/** Minutes of an hour, and hours of a week. */
export const STEPS_OF = { [MINUTE_S]: 60, [HOUR_S]: 168 } as const;
export type StoredStep = keyof typeof STEPS_OF;

export function blockSpanMs(stepS: StoredStep): number {
  return STEPS_OF[stepS] * stepS * 1000;
}

/** Starts of the stored blocks with steps between the times. */
export function listBlockStarts(stepS: StoredStep, fromMs: number, untilMs: number): number[] {
  const spanMs = blockSpanMs(stepS);
  const starts: number[] = [];
  for (let start = Math.floor(fromMs / spanMs) * spanMs; start < untilMs; start += spanMs) starts.push(start);
  return starts;
}

export interface StoredInterval {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly names: Uint8Array;
}

export interface EncodedBlock {
  readonly totals: Buffer;
  readonly names: Buffer;
}

/** Adds intervals to the minutes of the hour that begins at `startMs`. `known`: what the hour has so far. */
export function addToHour(
  known: Uint8Array | undefined,
  startMs: number,
  intervals: readonly StoredInterval[],
): EncodedBlock {
  const block = readKnown(known, MINUTE_S);
  const values = new IntervalValues();
  for (const { fromMs, untilMs, names } of intervals) {
    if (!values.read(names)) continue;
    addInterval(block, { startMs, stepMs: MINUTE_S * 1000 }, { fromMs, durationMs: untilMs - fromMs, values });
  }
  return finish(block);
}

/** A damaged block begins again, so that it does not stop what comes after it. */
function readKnown(known: Uint8Array | undefined, stepS: StoredStep): Block {
  const block = known && readBlock(known);
  return block?.steps === STEPS_OF[stepS] ? block : createBlock(STEPS_OF[stepS]);
}

/** Replaces one hour of a week by the sums of its minutes. */
export function putHour(known: Uint8Array | undefined, step: number, minutes: Uint8Array): EncodedBlock {
  const week = readKnown(known, HOUR_S);
  clearStep(week, step);
  const read = readBlock(minutes);
  if (read) addHour(week, step, read);
  return finish(week);
}

/** Writes the sums over all steps of a block to one step of another. */
function addHour(week: Block, step: number, minutes: Block): void {
  const lastKnown = minutes.coveredMs.findLastIndex((covered) => covered > 0);
  week.coveredMs[step] = minutes.coveredMs.reduce((sum, covered) => sum + covered, 0);
  for (const { scope, name, columns } of minutes.series.values()) {
    const series = seriesOf(week, scope, name);
    for (const [id, values] of columns) {
      const isGauge = findColumn(id)?.kind === 'gauge';
      const value = isGauge ? (values[lastKnown] ?? 0) : values.reduce((sum, one) => sum + one, 0);
      if (value !== 0) columnOf(series, id, week.steps)[step] = value;
    }
  }
}

function clearStep(block: Block, step: number): void {
  block.coveredMs[step] = 0;
  for (const { columns } of block.series.values()) for (const values of columns.values()) values[step] = 0;
}

/** Names without any value are forgotten. */
function finish(block: Block): EncodedBlock {
  for (const [key, { columns }] of block.series) {
    if (![...columns.values()].some((values) => values.some((value) => value !== 0))) block.series.delete(key);
  }
  limitNames(block, NAMES_MAX, weigh);
  return { totals: encodeBlock(sumUp(block)), names: encodeBlock(block) };
}
