import type { ShieldSeries } from '@flotilla/contract';
import type { Range } from '../../../platform/http/time-range.ts';
import type { Reported } from './report-store.ts';

/** A minute is reported within about ten seconds after its end. */
const REPORT_DELAY_MS = 20_000;

/** Returns the start of the first step that is not complete yet. */
export function findOpenStep({ from, to, stepS }: Range, now: Date): Date | undefined {
  const stepMs = stepS * 1000;
  const ended = Math.floor((now.getTime() - REPORT_DELAY_MS) / stepMs) * stepMs;
  const open = Math.max(ended, from.getTime());
  return open < to.getTime() ? new Date(open) : undefined;
}

/** Steps without a count that no filter has reported, after the first report. */
export function findGaps(
  { from, to, stepS }: Range,
  { reported, points }: { readonly reported: Reported; readonly points: ShieldSeries['points'] },
): string[] {
  const { first } = reported;
  if (first === undefined) return [];
  const stepMs = stepS * 1000;
  const toStep = (ms: number) => Math.floor(ms / stepMs) * stepMs;
  const covered = new Set([...reported.minutes].map(toStep));
  for (const { at } of points) covered.add(Date.parse(at));
  const gaps: string[] = [];
  for (let at = Math.max(from.getTime(), toStep(first.getTime())); at < to.getTime(); at += stepMs) {
    if (!covered.has(at)) gaps.push(new Date(at).toISOString());
  }
  return gaps;
}
