import { texts } from '../../texts/index.ts';

const words = texts.audit.timeRange;
export interface Preset {
  readonly id: string;
  readonly label: string;
  /** undefined: from the beginning. */
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

/** ID of the active preset; undefined with a custom range. */
export function presetOf({ range, from, to }: AskedTime): string | undefined {
  if (from !== undefined || to !== undefined) return undefined;
  return (PRESETS.find(({ id }) => id === range) ?? DEFAULT).id;
}

const MINUTE_MS = 60_000;

/** Query of the API. A preset begins at a full minute, so that the query stays the same for a while. `now` in ms. */
export function toTimeQuery(asked: AskedTime, now: number): { readonly from?: string; readonly to?: string } {
  const { from, to } = asked;
  const preset = presetOf(asked);
  if (preset === undefined) return { ...(isTime(from) && { from }), ...(isTime(to) && { to }) };
  const ms = PRESETS.find(({ id }) => id === preset)?.ms;
  if (ms === undefined) return {};
  return { from: new Date(Math.floor((now - ms) / MINUTE_MS) * MINUTE_MS).toISOString() };
}

const AROUND_MS = 5 * MINUTE_MS;

/** Five minutes before and after. */
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

/** The URL may contain anything. */
export function isTime(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text)) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);
}
