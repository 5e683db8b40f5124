import type { ShieldCounter, ShieldPoint, ShieldSeries } from '@flotilla/contract';

type Count = Exclude<keyof ShieldPoint, 'at'>;

export interface Counted {
  /** Every step of the range, ascending, RFC 3339. */
  readonly times: readonly string[];
  /** null if no filter has reported. */
  readonly allowed: readonly (number | null)[];
  readonly blocked: readonly (number | null)[];
  readonly detected: readonly (number | null)[];
  /** Index of the first incomplete step; the length of `times` if all are complete. */
  readonly openFrom: number;
  readonly hasGaps: boolean;
}

/** Converts the series: adds the steps that the API omits because they are zero, and marks gaps, which are not zeros. */
export function toCounted({ from, to, step_s, points, gaps, open_from }: ShieldSeries): Counted {
  const isGap = new Set(gaps.map((at) => Date.parse(at)));
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point]));
  const times: number[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += step_s * 1000) times.push(at);
  const values = (field: Count) => times.map((at) => (isGap.has(at) ? null : (byTime.get(at)?.[field] ?? 0)));
  const openMs = open_from === null ? Number.POSITIVE_INFINITY : Date.parse(open_from);
  return {
    times: times.map((at) => new Date(at).toISOString()),
    allowed: values('allowed'),
    blocked: values('blocked'),
    detected: values('detected'),
    openFrom: times.filter((at) => at < openMs).length,
    hasGaps: isGap.size > 0,
  };
}

/** One reason of one engine. */
export interface ReasonRow {
  readonly engine: string;
  readonly reason: string;
  readonly blocked: number;
  readonly detected: number;
  readonly errors: number;
}

/** Returns the reasons of engines, most frequent first, added up over all policies. */
export function byReason(counters: readonly ShieldCounter[]): readonly ReasonRow[] {
  const rows = new Map<string, ReasonRow>();
  for (const { engine, reason, verdict, count } of counters) {
    if (verdict === 'allowed') continue;
    const key = JSON.stringify([engine, reason]);
    const row = rows.get(key) ?? { engine, reason, blocked: 0, detected: 0, errors: 0 };
    const field = verdict === 'error' ? 'errors' : verdict;
    rows.set(key, { ...row, [field]: row[field] + count });
  }
  const sum = (row: ReasonRow) => row.blocked + row.detected + row.errors;
  return [...rows.values()].sort((a, b) => sum(b) - sum(a) || a.reason.localeCompare(b.reason));
}
