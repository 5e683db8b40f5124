import type { ShieldPoint, ShieldSeries } from '@flotilla/contract';

export interface Traffic {
  /** RFC 3339, one for each step, ascending. */
  readonly times: readonly string[];
  readonly allowed: readonly number[];
  readonly blocked: readonly number[];
  readonly detected: readonly number[];
  readonly totals: {
    readonly allowed: number;
    readonly blocked: number;
    readonly detected: number;
    readonly errors: number;
  };
}

/**
 * Every whole step of the time asked for: one without a point counted nothing. The step that is not over is only in the sums:
 * drawn, it would look as if traffic broke down.
 */
export function toTraffic({ from, to, step_s, points }: ShieldSeries): Traffic {
  const byTime = new Map(points.map((point) => [Date.parse(point.at), point]));
  const times: number[] = [];
  const stepMs = step_s * 1000;
  for (let at = Date.parse(from); at + stepMs <= Date.parse(to); at += stepMs) times.push(at);
  const values = (field: Exclude<keyof ShieldPoint, 'at'>) => times.map((at) => byTime.get(at)?.[field] ?? 0);
  const sum = (field: Exclude<keyof ShieldPoint, 'at'>) => points.reduce((total, point) => total + point[field], 0);
  return {
    times: times.map((at) => new Date(at).toISOString()),
    allowed: values('allowed'),
    blocked: values('blocked'),
    detected: values('detected'),
    totals: { allowed: sum('allowed'), blocked: sum('blocked'), detected: sum('detected'), errors: sum('errors') },
  };
}
