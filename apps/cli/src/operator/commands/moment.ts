import { CliFailure, EXIT } from '../exit-codes.ts';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `15m` ago, or a moment as RFC 3339 has it, as the API takes it. */
export function parseMoment(text: string, nowMs: number): string {
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  const unit = UNITS_MS[ago?.[2] ?? ''];
  const ms = ago && unit !== undefined ? nowMs - Number(ago[1]) * unit : Date.parse(text);
  if (Number.isNaN(ms)) throw new CliFailure(EXIT.usage, `"${text}" is neither a time nor how long ago, such as 15m`);
  return new Date(ms).toISOString();
}
