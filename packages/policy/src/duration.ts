import * as z from 'zod';

const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;

/** Parses a duration, a sum of numbers with the units h, m, s and ms (`1m30s`), to milliseconds. NaN for other text. */
export function parseDurationMs(text: string): number {
  if (!DURATION.test(text)) return Number.NaN;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (MS_PER_UNIT[unit ?? ''] ?? 0);
  return total;
}

/** A duration string. Rejects a bare number, whose unit is unknown. */
export const durationField = z
  .string()
  .refine((text) => DURATION.test(text), { error: 'must be a duration with a unit, such as 30s or 1m30s' });
