import { texts } from '../../texts/index.ts';

const words = texts.audit.timeRange;
export interface Preset {
  readonly id: string;
  readonly label: string;
  /** Undefined: from the beginning. */
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

/** Id of the preset that holds; undefined where own times do. */
export function presetOf({ range, from, to }: AskedTime): string | undefined {
  if (from !== undefined || to !== undefined) return undefined;
  return (PRESETS.find(({ id }) => id === range) ?? DEFAULT).id;
}

const MINUTE_MS = 60_000;

/** What the API is asked for. A preset begins at a whole minute, so that the same question is asked for a while. `now` in ms. */
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

/** RFC 3339 as an input of type `datetime-local` has it, in the zone of the browser; and back. */
export function toLocalInput(at: string | undefined): string {
  if (!isTime(at)) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

export function fromLocalInput(text: string): string | undefined {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** What somebody wrote into the URL may be anything. */
export function isTime(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text)) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);
}
