import {
  type Dimension,
  findKind,
  isBitColumn,
  isDimension,
  isHashColumn,
  isNumberColumn,
  isWordColumn,
  type SumKind,
} from './columns.ts';
import { refuseQuery } from './errors.ts';
import type { Condition, Range, Resolution, Retention, Step } from './port.ts';

export const STEP_MS: Readonly<Record<Step, number>> = { '1m': 60_000, '1h': 3_600_000, '1d': 86_400_000 };

/** The days for which rollups are kept, by their step. */
export function rollupDays({ minutesDays, hoursDays, daysDays }: Retention): Readonly<Record<Step, number>> {
  return { '1m': minutesDays, '1h': hoursDays, '1d': daysDays };
}
const DAY_MS = 86_400_000;
/** The longest window of each resolution. */
export const WINDOW_MAX_MS: Readonly<Record<Resolution, number>> = {
  raw: 7 * DAY_MS,
  '1m': 30 * DAY_MS,
  '1h': 180 * DAY_MS,
  '1d': 730 * DAY_MS,
};
export const PAGE_MAX = 500;
export const TOP_MAX = 200;
export const GROUPS_MAX = 1_000;
const POINTS_MAX = 50_000;
const CONDITIONS_MAX = 32;
const VALUES_MAX = 20_000;
const TEXT_MAX = 512;
/** Up to here events are read by default: rollups would extend the window by too much of it. */
const RAW_DEFAULT_MS = 2 * 3_600_000;
const MINUTES_DEFAULT_MS = 2 * DAY_MS;
const HOURS_DEFAULT_MS = 60 * DAY_MS;

/** A range that was checked: what to read, and where. */
export interface Plan {
  readonly from: number;
  readonly to: number;
  readonly resolution: Resolution;
  readonly filter: readonly Condition[];
  /** The rollups to read; of no meaning for events. */
  readonly kind: SumKind;
}

interface PlanOptions {
  /** The query is a series, with up to `perStep` points for each step. */
  readonly step?: Step;
  readonly perStep?: number;
  /** The query needs no latencies, so that sums for rankings may answer it. They begin at this time. */
  readonly ranksSinceMs?: number;
}

/** `columns` are further columns that the query reads. */
export function planRange(
  range: Range,
  columns: readonly string[] = [],
  { step, perStep = 1, ranksSinceMs }: PlanOptions = {},
): Plan {
  const { from, to, filter = [] } = range;
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || to > 8.64e15) {
    throw refuseQuery('The window begins and ends at times in whole milliseconds.');
  }
  if (from >= to) throw refuseQuery('The window ends after it begins.');
  checkFilter(filter);
  const kind = findKind([...columns, ...filter.map(({ column }) => column)]);
  const isRanking = kind === 'origin' || kind === 'consumer';
  const isInRollups = kind !== undefined && !isRanking;
  const resolution = range.resolution ?? chooseResolution(to - from, isInRollups, step);
  if (isRanking && ranksSinceMs !== undefined && (resolution === '1h' || resolution === '1d')) {
    return planRanking({ ...range, resolution, filter }, kind, ranksSinceMs);
  }
  if (resolution !== 'raw' && !isInRollups) {
    throw refuseQuery('Rollups do not have a column of this query. Read the events: the window has at most 7 days.');
  }
  checkLength(range, resolution);
  const extended = extend({ from, to }, step ?? resolution);
  if (step !== undefined && ((extended.to - extended.from) / STEP_MS[step]) * perStep > POINTS_MAX) {
    throw refuseQuery(`A series has at most ${POINTS_MAX} points. Choose longer steps or a shorter window.`);
  }
  return { ...extended, resolution, filter, kind: kind ?? 'wide' };
}

function checkLength({ from, to }: Range, resolution: Resolution): void {
  if (to - from > WINDOW_MAX_MS[resolution]) {
    throw refuseQuery(`The window of ${resolution} has at most ${WINDOW_MAX_MS[resolution] / DAY_MS} days.`);
  }
}

/** Sums for rankings begin when the store got them. An earlier window reads the events, because an empty sum would be a wrong zero. */
export function planRanking(
  { from, to, resolution, filter }: { from: number; to: number; resolution: '1h' | '1d'; filter: readonly Condition[] },
  kind: SumKind,
  sinceMs: number,
): Plan {
  const extended = extend({ from, to }, resolution);
  const has = extended.from >= sinceMs;
  checkLength({ from, to }, has ? resolution : 'raw');
  return has ? { ...extended, resolution, filter, kind } : { from, to, resolution: 'raw', filter, kind };
}

function chooseResolution(lengthMs: number, isInRollups: boolean, step: Step | undefined): Resolution {
  if (!isInRollups) return 'raw';
  if (step !== undefined) return step;
  if (lengthMs <= RAW_DEFAULT_MS) return 'raw';
  if (lengthMs <= MINUTES_DEFAULT_MS) return '1m';
  return lengthMs <= HOURS_DEFAULT_MS ? '1h' : '1d';
}

function extend({ from, to }: { from: number; to: number }, to_: Resolution): { from: number; to: number } {
  if (to_ === 'raw') return { from, to };
  const step = STEP_MS[to_];
  return { from: from - (from % step), to: Math.ceil(to / step) * step };
}

export function checkFilter(filter: readonly Condition[]): void {
  if (filter.length > CONDITIONS_MAX) throw refuseQuery(`A filter has at most ${CONDITIONS_MAX} conditions.`);
  for (const condition of filter) checkCondition(condition);
}

function checkCondition(condition: Condition): void {
  const { column } = condition;
  if ('in' in condition) {
    if (!isWordColumn(column) && !isHashColumn(column) && column !== 'requestId') throw refuseColumn(column, 'in');
    if (condition.in.length > VALUES_MAX) throw refuseQuery(`A condition has at most ${VALUES_MAX} values.`);
    for (const value of condition.in) checkText(value);
  } else if ('prefix' in condition) {
    if (!isWordColumn(column)) throw refuseColumn(column, 'prefix');
    checkText(condition.prefix);
  } else if ('contains' in condition) {
    if (!isWordColumn(column)) throw refuseColumn(column, 'contains');
    checkText(condition.contains);
  } else if ('any' in condition) {
    if (!isBitColumn(column)) throw refuseColumn(column, 'any');
    if (condition.any.some((bit) => !Number.isInteger(bit) || bit < 0 || bit > 63)) {
      throw refuseQuery('Bits have the numbers from 0 to 63.');
    }
  } else {
    if (!isNumberColumn(column)) throw refuseColumn(column, 'min');
    const ranges = 'ranges' in condition ? condition.ranges : [condition];
    if (ranges.length > VALUES_MAX) throw refuseQuery(`A condition has at most ${VALUES_MAX} ranges.`);
    for (const bound of ranges.flatMap(({ min, max }) => [min, max])) {
      if (bound !== undefined && !(Number.isFinite(bound) && bound >= 0 && bound <= Number.MAX_SAFE_INTEGER)) {
        throw refuseQuery(`The bounds of ${column} are numbers from zero.`);
      }
    }
  }
}

function checkText(value: unknown): void {
  if (typeof value !== 'string' || value.length > TEXT_MAX) {
    throw refuseQuery(`A value of a filter is a text of at most ${TEXT_MAX} characters.`);
  }
}

function refuseColumn(column: unknown, kind: string) {
  return refuseQuery(`The column ${toQuoted(column)} has no condition "${kind}".`);
}

function toQuoted(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 64).toWellFormed());
}

export function checkDimension(name: string): Dimension {
  if (!isDimension(name)) throw refuseQuery(`Events are not grouped by ${toQuoted(name)}.`);
  return name;
}

export function checkLimit(limit: number | undefined, absent: number, max: number): number {
  const value = limit ?? absent;
  if (!Number.isInteger(value) || value < 1 || value > max) throw refuseQuery(`The limit is from 1 to ${max}.`);
  return value;
}

export interface Cursor {
  readonly timeMs: number;
  readonly batch: bigint;
  readonly ordinal: number;
}

const CURSOR = /^(\d{1,15})\.([0-9a-f]{16})([0-9a-f]{8})$/;

export function parseCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  const [, time, batch, ordinal] = CURSOR.exec(text) ?? [];
  if (time === undefined || batch === undefined || ordinal === undefined) {
    throw refuseQuery('The cursor is not one that a page has answered.');
  }
  return { timeMs: Number(time), batch: BigInt(`0x${batch}`), ordinal: Number.parseInt(ordinal, 16) };
}
