import { isTime } from '../audit/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const RANGES = [
  { value: '15m', label: '15 min', ms: 15 * MINUTE_MS },
  { value: '1h', label: '1 h', ms: HOUR_MS },
  { value: '6h', label: '6 h', ms: 6 * HOUR_MS },
  { value: '24h', label: '24 h', ms: DAY_MS },
  { value: '14d', label: '14 d', ms: 14 * DAY_MS },
] as const;

const DEFAULT = RANGES[1];

/** How far back the compared range lies. `previous`: directly before. */
const OFFSETS = { previous: 0, day: DAY_MS, week: 7 * DAY_MS } as const;
export type Comparison = keyof typeof OFFSETS;

/** A range of time in the API's form. */
export interface TimeWindow {
  readonly from: string;
  readonly to: string;
}

export interface AskedWindow extends TimeWindow {
  /** undefined: a custom range. */
  readonly preset: string | undefined;
  readonly comparison: Comparison | undefined;
}

const TICK_MS = 10_000;

/** Reads the range from parameters of the URL, which may contain anything. `now` is in ms since 1970. */
export function readWindow(get: (name: string) => string | undefined, now: number): AskedWindow {
  const [from, to, compare] = [get('from'), get('to'), get('compare')];
  const comparison = Object.keys(OFFSETS).find((one): one is Comparison => one === compare);
  const end = Math.floor(now / TICK_MS) * TICK_MS;
  const until = isTime(to) ? Date.parse(to) : end;
  if (isTime(from) && Date.parse(from) < until)
    return { from, to: new Date(until).toISOString(), preset: undefined, comparison };
  const range = RANGES.find(({ value }) => value === get('range')) ?? DEFAULT;
  return { ...between(end - range.ms, end), preset: range.value, comparison };
}

/** Returns the range to compare with: of the same length, and earlier. */
export function toEarlier({ from, to }: TimeWindow, comparison: Comparison): TimeWindow {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const offset = OFFSETS[comparison] || end - start;
  return between(start - offset, end - offset);
}

function between(from: number, to: number): TimeWindow {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** Shortest range to zoom into: two of the shortest steps. */
const ZOOM_MIN_MS = 20_000;

/** Widens a selection that is too short to have points. */
export function toZoom(from: string, to: string): TimeWindow {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return between(start, Math.max(end, start + ZOOM_MIN_MS));
}
