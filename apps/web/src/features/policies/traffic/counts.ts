import type { ShieldCounter, ShieldPoint, ShieldSeries } from '@flotilla/contract';

type Count = Exclude<keyof ShieldPoint, 'at'>;

export interface Counted {
  /** Every step of the time asked for, ascending, RFC 3339. */
  readonly times: readonly string[];
  readonly allowed: readonly number[];
  readonly blocked: readonly number[];
  readonly detected: readonly number[];
}

/** The API leaves out steps in which nothing was counted; a chart needs them. */
export function toCounted({ from, to, step_s, points }: ShieldSeries): Counted {
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point]));
  const times: number[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += step_s * 1000) times.push(at);
  const values = (field: Count) => times.map((at) => byTime.get(at)?.[field] ?? 0);
  return {
    times: times.map((at) => new Date(at).toISOString()),
    allowed: values('allowed'),
    blocked: values('blocked'),
    detected: values('detected'),
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

/** What engines objected to, most frequent first; over several policies added up. */
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
