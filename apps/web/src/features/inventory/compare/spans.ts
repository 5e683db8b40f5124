import { isTime } from '../../audit/index.ts';
import { texts } from './texts.tsx';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTE_MS = 60_000;

/** Two ranges of equal length. `agoMs`: how much earlier the base range is. */
export const SPANS = [
  { value: 'week', label: texts.spans.week, ms: 7 * DAY_MS, agoMs: 7 * DAY_MS, roundMs: HOUR_MS },
  { value: 'day', label: texts.spans.day, ms: DAY_MS, agoMs: DAY_MS, roundMs: 15 * MINUTE_MS },
  { value: 'weekday', label: texts.spans.weekday, ms: DAY_MS, agoMs: 7 * DAY_MS, roundMs: HOUR_MS },
  { value: 'hour', label: texts.spans.hour, ms: HOUR_MS, agoMs: HOUR_MS, roundMs: MINUTE_MS },
] as const;
export type SpanName = (typeof SPANS)[number]['value'];
export const SPAN_INITIAL: SpanName = 'week';

export interface AskedSpan {
  /** undefined: own ranges. */
  readonly span: SpanName | undefined;
  readonly from: string;
  readonly to: string;
  readonly base_from: string;
  readonly base_to: string;
}

export const TIME_NAMES = ['from', 'to', 'base_from', 'base_to'] as const;
export type OwnRanges = Readonly<Record<(typeof TIME_NAMES)[number], string>>;

/** Reads the ranges from the URL, which may contain anything: own ranges have all four times. `now` in ms. */
export function readSpan(get: (name: string) => string | undefined, now: number): AskedSpan {
  const own = readOwn(get);
  if (own !== undefined) return { span: undefined, ...own };
  const span = SPANS.find(({ value }) => value === get('span')) ?? SPANS[0];
  const end = Math.floor(now / span.roundMs) * span.roundMs;
  const at = (ms: number) => new Date(ms).toISOString();
  return {
    span: span.value,
    from: at(end - span.ms),
    to: at(end),
    base_from: at(end - span.ms - span.agoMs),
    base_to: at(end - span.agoMs),
  };
}

function readOwn(get: (name: string) => string | undefined): OwnRanges | undefined {
  const [from, to, baseFrom, baseTo] = TIME_NAMES.map(get);
  if (!isTime(from) || !isTime(to) || !isTime(baseFrom) || !isTime(baseTo)) return undefined;
  return isRange(from, to) && isRange(baseFrom, baseTo)
    ? { from, to, base_from: baseFrom, base_to: baseTo }
    : undefined;
}

export function isRange(from: string, to: string): boolean {
  return Date.parse(from) < Date.parse(to);
}

/** The relative change; undefined from zero or to an unknown value. */
export function changeOf(now: number | null, base: number | null): number | undefined {
  if (now === null || base === null || base === 0) return undefined;
  return (now - base) / base;
}

/** `+12%`, `−3.4%`, `×5.2` from a factor of two on. */
export function formatChange(change: number): string {
  if (Math.abs(change) < 0.0005) return texts.same;
  if (change >= 1) return texts.times(Number((change + 1).toPrecision(2)).toLocaleString('en'));
  const percent = Math.abs(change * 100);
  const text = percent >= 10 ? percent.toFixed(0) : percent.toFixed(1);
  return change > 0 ? texts.more(text) : texts.less(text);
}
