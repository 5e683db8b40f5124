/** Selectable time ranges; the series of a host are kept for a day. */
export const RANGES = [
  { value: '1h', label: '1 h', ms: 3_600_000 },
  { value: '6h', label: '6 h', ms: 21_600_000 },
  { value: '24h', label: '24 h', ms: 86_400_000 },
] as const;

export type Range = (typeof RANGES)[number];

export function findRange(asked: string | undefined): Range {
  return RANGES.find(({ value }) => value === asked) ?? RANGES[0];
}

const MINUTE_MS = 60_000;

/** Returns the start of the query in RFC 3339, rounded so that the query changes once a minute. */
export function startOf(range: Range, nowMs: number): string {
  return new Date(Math.floor(nowMs / MINUTE_MS) * MINUTE_MS - range.ms).toISOString();
}
