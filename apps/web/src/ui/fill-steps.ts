export interface Steps<P> {
  /** RFC 3339, one for each step, ascending. */
  readonly times: readonly string[];
  /** The point of each step; null if missing. */
  readonly points: readonly (P | null)[];
}

interface SteppedSeries<P> {
  readonly from: string;
  readonly to: string;
  readonly step_s: number;
  readonly points: readonly P[];
}

/** The newest steps may not be reported yet: up to this many missing points are no gap. */
const UNREPORTED_STEPS_MAX = 2;

/**
 * Adds a null for every missing step of the range, so that a chart shows gaps and their length. Omits unreported steps
 * at the end.
 */
export function fillSteps<P extends { readonly at: string }>(series: SteppedSeries<P>): Steps<P> {
  const byTime = new Map(series.points.map((point) => [Date.parse(point.at), point]));
  const stepMs = series.step_s * 1000;
  const times: string[] = [];
  const points: (P | null)[] = [];
  for (let at = Date.parse(series.from); at < Date.parse(series.to); at += stepMs) {
    times.push(new Date(at).toISOString());
    points.push(byTime.get(at) ?? null);
  }
  const known = points.findLastIndex((point) => point !== null) + 1;
  const end = points.length - known <= UNREPORTED_STEPS_MAX ? known : points.length;
  return { times: times.slice(0, end), points: points.slice(0, end) };
}
