import { texts } from './texts.tsx';

const words = texts.timeRange;
export interface Preset {
  readonly id: string;
  readonly label: string;
  /** undefined: no lower limit. */
  readonly ms: number | undefined;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT: Preset = { id: '7d', label: '7 d', ms: 7 * DAY_MS };

export const PRESETS: readonly Preset[] = [
  { id: '1h', label: '1 h', ms: HOUR_MS },
  { id: '24h', label: '24 h', ms: DAY_MS },
  DEFAULT,
  { id: '30d', label: '30 d', ms: 30 * DAY_MS },
  { id: 'all', label: words.all, ms: undefined },
];

export interface AskedTime {
  readonly range: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Returns the ID of the active preset; undefined with a custom range. */
export function presetOf({ range, from, to }: AskedTime): string | undefined {
  if (from !== undefined || to !== undefined) return undefined;
  return (PRESETS.find(({ id }) => id === range) ?? DEFAULT).id;
}

const MINUTE_MS = 60_000;

/** Returns the query of the API. A preset begins at a full minute, so that the query stays the same for a while. `now` in ms. */
export function toTimeQuery(asked: AskedTime, now: number): { readonly from?: string; readonly to?: string } {
  const { from, to } = asked;
  const preset = presetOf(asked);
  if (preset === undefined) return { ...(isTime(from) && { from }), ...(isTime(to) && { to }) };
  const ms = PRESETS.find(({ id }) => id === preset)?.ms;
  if (ms === undefined) return {};
  return { from: new Date(Math.floor((now - ms) / MINUTE_MS) * MINUTE_MS).toISOString() };
}

const AROUND_MS = 5 * MINUTE_MS;

/** Returns the range from five minutes before to five minutes after. */
export function around(at: string): { readonly from: string; readonly to: string } {
  const time = Date.parse(at);
  return { from: new Date(time - AROUND_MS).toISOString(), to: new Date(time + AROUND_MS).toISOString() };
}

/** Converts RFC 3339 to the value of a `datetime-local` input in the browser's time zone, and back. */
export function toLocalInput(at: string | undefined): string {
  if (!isTime(at)) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

export function fromLocalInput(text: string): string | undefined {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Whether the text is a time. The URL may contain anything. */
export function isTime(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text)) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);
}
