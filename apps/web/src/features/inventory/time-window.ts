import type { UrlSearch } from '../../app/url-state.ts';
import { isTime } from '../audit/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Events are kept, and may be read, for this long. */
export const WINDOW_MAX_MS = 7 * DAY_MS;

export const RANGES = [
  { value: '15m', label: '15 min', ms: 15 * MINUTE_MS },
  { value: '1h', label: '1 h', ms: HOUR_MS },
  { value: '6h', label: '6 h', ms: 6 * HOUR_MS },
  { value: '24h', label: '24 h', ms: DAY_MS },
  { value: '7d', label: '7 d', ms: WINDOW_MAX_MS },
] as const;

export type RangeName = (typeof RANGES)[number]['value'];
export const DEFAULT_RANGE: RangeName = '1h';

export interface TimeWindow {
  readonly from: string;
  readonly to: string;
}

export interface AskedWindow extends TimeWindow {
  /** undefined: a custom range. */
  readonly preset: RangeName | undefined;
  /** The custom range was longer than events are kept: `from` was moved. */
  readonly isCut: boolean;
}

/** Reads the range from parameters of the URL, which may contain anything. `now` is in ms since 1970. */
export function readWindow(get: (name: string) => string | undefined, now: number, tickMs = MINUTE_MS): AskedWindow {
  const [from, to] = [get('from'), get('to')];
  const end = Math.floor(now / tickMs) * tickMs;
  const until = isTime(to) ? Date.parse(to) : end;
  if (isTime(from) && Date.parse(from) < until) {
    const start = Math.max(Date.parse(from), until - WINDOW_MAX_MS);
    return { ...between(start, until), preset: undefined, isCut: start > Date.parse(from) };
  }
  const range = RANGES.find(({ value }) => value === get('range')) ?? RANGES[1];
  return { ...between(end - range.ms, end), preset: range.value, isCut: false };
}

function between(from: number, to: number): TimeWindow {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** The parameters of the URL that show this window on another screen. */
export function toSearch({ preset, from, to }: AskedWindow): Readonly<Record<string, string>> {
  if (preset === undefined) return { from, to };
  return preset === DEFAULT_RANGE ? {} : { range: preset };
}

/** The parameters of the URL that say which time range a screen shows. */
export const TIME_NAMES = ['range', 'from', 'to'] as const;

/** The time range of a screen, for a link to another one. */
export function keepTimes(search: UrlSearch): UrlSearch {
  return Object.fromEntries(
    TIME_NAMES.filter((name) => search[name] !== undefined).map((name) => [name, search[name]]),
  );
}

/** Shortest range to zoom into: two of the shortest steps. */
const ZOOM_MIN_MS = 2 * MINUTE_MS;

/** Widens a selection that is too short to have points. */
export function toZoom(from: string, to: string): TimeWindow {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  return between(start, Math.max(end, start + ZOOM_MIN_MS));
}
