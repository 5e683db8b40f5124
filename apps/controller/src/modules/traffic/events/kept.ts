import { TRAFFIC_GRANULARITY_MAX_MS, TRAFFIC_WINDOW_MAX_MS } from '@flotilla/contract';
import type { Resolution } from '@flotilla/event-store';
import type { Window } from './window.ts';

const KEPT_MS: Readonly<Record<Resolution, number>> = { raw: TRAFFIC_WINDOW_MAX_MS, ...TRAFFIC_GRANULARITY_MAX_MS };
/** A screen rounds its range down, and what is too old is deleted every some minutes. */
const SLACK_MS = 15 * 60_000;

const RESOLUTIONS = ['raw', '1m', '1h', '1d'] as const;

export interface KeptTimes {
  readonly nowMs: number;
  /** From when on no event is deleted. Sums live longer. */
  readonly completeFromMs: number;
}

/** The resolution itself, or the finest one after it that the store has of the whole window; undefined if that is too old. */
export function coarsenToKept<R extends Resolution>(window: Pick<Window, 'from'>, finest: R, kept: KeptTimes) {
  const coarser = RESOLUTIONS.slice(RESOLUTIONS.indexOf(finest)) as (R | Exclude<Resolution, 'raw'>)[];
  return coarser.find((one) => isKept(window, one, kept));
}

/** Whether the store has the whole window at this resolution: without it, the answer would be a wrong zero. */
export function isKept(
  { from }: Pick<Window, 'from'>,
  resolution: Resolution,
  { nowMs, completeFromMs }: KeptTimes,
): boolean {
  if (resolution === 'raw' && from < completeFromMs) return false;
  return from >= nowMs - KEPT_MS[resolution] - SLACK_MS;
}
