import { fail, SERIES_POINTS_MAX, SERIES_STEP_MAX_S, SERIES_STEP_MIN_S } from '@flotilla/contract';

export interface RangeQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step_s?: number | undefined;
}

/** `from` is the start of a step; `to` is exclusive. */
export interface Range {
  readonly from: Date;
  readonly to: Date;
  readonly stepS: number;
}

const RANGE_DEFAULT_MS = 3_600_000;
const RANGE_MAX_MS = 366 * 86_400_000;
/** As many points as a chart can display separately. */
const POINTS_WANTED = 240;
const STEPS_S = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, SERIES_STEP_MAX_S];

/** Throws request.invalid if the span ends before it starts, or is longer than a year. */
export function parseSpan(query: RangeQuery, now: Date, defaultMs = RANGE_DEFAULT_MS): { from: Date; to: Date } {
  const to = query.to === undefined ? now : new Date(query.to);
  const from = query.from === undefined ? new Date(to.getTime() - defaultMs) : new Date(query.from);
  const spanMs = to.getTime() - from.getTime();
  if (spanMs <= 0) throw invalid('to', 'must be later than from');
  if (spanMs > RANGE_MAX_MS) throw invalid('from', 'must not be more than a year before to');
  return { from, to };
}

/** Divides the span into steps: the requested size, or the next coarser one that fits the maximum number of points. */
export function parseRange(query: RangeQuery, now: Date): Range {
  const { from, to } = parseSpan(query, now);
  const spanS = (to.getTime() - from.getTime()) / 1000;
  const fits = (stepS: number, points: number) => spanS / stepS + 1 <= points;
  const wanted = query.step_s;
  const stepS =
    wanted !== undefined && fits(wanted, SERIES_POINTS_MAX)
      ? wanted
      : (STEPS_S.find((step) => fits(step, wanted === undefined ? POINTS_WANTED : SERIES_POINTS_MAX)) ??
        SERIES_STEP_MAX_S);
  const stepMs = Math.max(stepS, SERIES_STEP_MIN_S) * 1000;
  return { from: new Date(Math.floor(from.getTime() / stepMs) * stepMs), to, stepS };
}

function invalid(path: string, message: string): Error {
  return fail('request.invalid', { reason: `${path} ${message}` }, { details: [{ path, rule: 'range', message }] });
}
