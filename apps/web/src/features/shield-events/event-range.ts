import { isTime } from '../audit/index.ts';
import { texts } from './texts.tsx';

const text = texts.eventRange;

interface EventRange {
  readonly id: string;
  readonly label: string;
  readonly ms: number;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DEFAULT: EventRange = { id: '24h', label: '24 h', ms: 24 * HOUR_MS };

/** Ranges up to a week, because events are kept for a week. */
export const EVENT_RANGES: readonly EventRange[] = [
  { id: '15m', label: text.quarter, ms: HOUR_MS / 4 },
  { id: '1h', label: '1 h', ms: HOUR_MS },
  DEFAULT,
  { id: '7d', label: '7 d', ms: 7 * 24 * HOUR_MS },
];

export interface AskedRange {
  readonly range: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Returns the ID of the active range; undefined with a custom range. */
export function rangeOf({ range, from, to }: AskedRange): string | undefined {
  if (isTime(from) || isTime(to)) return undefined;
  return (EVENT_RANGES.find(({ id }) => id === range) ?? DEFAULT).id;
}

/** Returns the query of the API. It begins at a full minute, so that it stays the same for a while. `now` in ms. */
export function toTimes(asked: AskedRange, now: number): { readonly from?: string; readonly to?: string } {
  const id = rangeOf(asked);
  if (id === undefined)
    return { ...(isTime(asked.from) && { from: asked.from }), ...(isTime(asked.to) && { to: asked.to }) };
  const { ms } = EVENT_RANGES.find((range) => range.id === id) ?? DEFAULT;
  return { from: new Date(Math.floor((now - ms) / MINUTE_MS) * MINUTE_MS).toISOString() };
}
