import { CliFailure, EXIT } from '../exit-codes.ts';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a future time: a duration from now such as `90d`, or an RFC 3339 time. */
export function parseFuture(text: string, nowMs: number): string {
  const ms = lengthMs(text);
  const at = ms === undefined ? Date.parse(text) : nowMs + ms;
  if (Number.isNaN(at)) throw new CliFailure(EXIT.usage, `"${text}" is neither a time nor a duration such as 90d`);
  return new Date(at).toISOString();
}

/** Parses a past time: a duration before now such as `15m`, or an RFC 3339 time. */
export function parsePast(text: string, nowMs: number): string {
  const ms = lengthMs(text);
  const at = ms === undefined ? Date.parse(text) : nowMs - ms;
  if (Number.isNaN(at)) throw new CliFailure(EXIT.usage, `"${text}" is neither a time nor a duration such as 15m`);
  return new Date(at).toISOString();
}

/** Parses a duration such as `90s`, `1h` or `7d` to seconds. */
export function parseDurationS(text: string): number {
  const ms = lengthMs(text);
  if (ms === undefined) throw new CliFailure(EXIT.usage, `"${text}" is not a duration such as 1h`);
  return ms / 1000;
}

function lengthMs(text: string): number | undefined {
  const length = /^(\d{1,6})([smhd])$/.exec(text);
  const unit = UNITS_MS[length?.[2] ?? ''];
  return length && unit !== undefined ? Number(length[1]) * unit : undefined;
}
