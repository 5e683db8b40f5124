import { SERIES_POINTS_MAX, SERIES_STEP_MAX_S, TRAFFIC_RESOLUTIONS } from '@flotilla/contract';

export type Resolution = (typeof TRAFFIC_RESOLUTIONS)[number]['step_s'];

/** A range in steps, and the stored intervals from which they are summed up. */
export interface SeriesRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepS: number;
  readonly steps: number;
  readonly resolution: Resolution;
}

const STEPS_S = [10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, SERIES_STEP_MAX_S];
/** As many points as a chart can display separately. */
const POINTS_WANTED = 240;
/** Stored pieces that one answer reads: about a second of work. */
const PIECES_MAX = 30_000;
/** Length of a stored piece: an interval, an hour of minutes, a week of hours. */
const PIECE_S: Readonly<Record<Resolution, number>> = { 10: 10, 60: 3600, 3600: 7 * 86_400 };
/** Pieces per node that are not in blocks yet: 15 on average, at most 30, and smaller than blocks. */
const NEW_PIECES = 20;

export interface RangeWish {
  readonly from: Date;
  readonly to: Date;
  readonly stepS: number | undefined;
}

/**
 * The requested step, or the next coarser one that fits: for the number of points, for the age of the range, and for the number
 * of nodes to read.
 */
export function chooseRange({ from, to, stepS }: RangeWish, nodes: number, now: Date): SeriesRange {
  const spanS = (to.getTime() - from.getTime()) / 1000;
  const ageS = (now.getTime() - from.getTime()) / 1000;
  const wanted = stepS === undefined ? STEPS_S : [stepS, ...STEPS_S.filter((step) => step > stepS)];
  const pointsMax = stepS === undefined ? POINTS_WANTED : SERIES_POINTS_MAX;
  for (const step of wanted) {
    const resolution = chooseResolution(step, { spanS, ageS, nodes });
    if (spanS / step + 1 > pointsMax || resolution === undefined) continue;
    return cutRange(from, to, { stepS: step, resolution });
  }
  return cutRange(from, to, { stepS: SERIES_STEP_MAX_S, resolution: 3600 });
}

/** The coarsest resolution of which the step is a multiple, if it still covers the range. */
function chooseResolution(
  stepS: number,
  { spanS, ageS, nodes }: { readonly spanS: number; readonly ageS: number; readonly nodes: number },
): Resolution | undefined {
  const fitting = TRAFFIC_RESOLUTIONS.filter(({ step_s }) => stepS % step_s === 0).at(-1);
  if (!fitting || ageS > fitting.kept_s + stepS) return undefined;
  const pieces = spanS / PIECE_S[fitting.step_s] + (fitting.step_s === 10 ? 1 : NEW_PIECES);
  const isLast = fitting.step_s === 3600;
  return isLast || pieces * nodes <= PIECES_MAX ? fitting.step_s : undefined;
}

function cutRange(from: Date, to: Date, steps: Pick<SeriesRange, 'stepS' | 'resolution'>): SeriesRange {
  const stepMs = steps.stepS * 1000;
  const fromMs = Math.floor(from.getTime() / stepMs) * stepMs;
  return { ...steps, fromMs, toMs: to.getTime(), steps: Math.ceil((to.getTime() - fromMs) / stepMs) };
}

/** An interval of ten seconds is stored within about two seconds after its end. */
const REPORT_DELAY_MS = 15_000;

/** Start of the first step that is not complete yet. */
export function findOpenStep({ fromMs, toMs, stepS }: SeriesRange, nowMs: number): number | undefined {
  const stepMs = stepS * 1000;
  const open = Math.max(Math.floor((nowMs - REPORT_DELAY_MS) / stepMs) * stepMs, fromMs);
  return open < toMs ? open : undefined;
}
