import { CliFailure, EXIT } from '../exit-codes.ts';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The RFC 3339 time in `90d` from now, or the given RFC 3339 time. */
export function parseAhead(text: string, nowMs: number): string {
  const ms = lengthMs(text);
  const at = ms === undefined ? Date.parse(text) : nowMs + ms;
  if (Number.isNaN(at)) throw new CliFailure(EXIT.usage, `"${text}" is neither a time nor in how long, such as 90d`);
  return new Date(at).toISOString();
}

/** The RFC 3339 time `15m` ago, or the given RFC 3339 time. */
export function parseMoment(text: string, nowMs: number): string {
  const ms = lengthMs(text);
  const at = ms === undefined ? Date.parse(text) : nowMs - ms;
  if (Number.isNaN(at)) throw new CliFailure(EXIT.usage, `"${text}" is neither a time nor how long ago, such as 15m`);
  return new Date(at).toISOString();
}

/** Seconds of `90s`, `1h`, `7d`. */
export function parseLengthS(text: string): number {
  const ms = lengthMs(text);
  if (ms === undefined) throw new CliFailure(EXIT.usage, `"${text}" is no length of time, such as 1h`);
  return ms / 1000;
}

function lengthMs(text: string): number | undefined {
  const length = /^(\d{1,6})([smhd])$/.exec(text);
  const unit = UNITS_MS[length?.[2] ?? ''];
  return length && unit !== undefined ? Number(length[1]) * unit : undefined;
}
