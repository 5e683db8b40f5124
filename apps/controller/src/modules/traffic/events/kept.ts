import { TRAFFIC_GRANULARITY_MAX_MS, TRAFFIC_WINDOW_MAX_MS } from '@flotilla/contract';
import type { Resolution } from '@flotilla/event-store';
import type { Window } from './window.ts';

const KEPT_MS: Readonly<Record<Resolution, number>> = { raw: TRAFFIC_WINDOW_MAX_MS, ...TRAFFIC_GRANULARITY_MAX_MS };
/** A screen rounds its range down, and what is too old is deleted every some minutes. */
const SLACK_MS = 15 * 60_000;

/** Whether the store has the whole window at this resolution: without it, the answer would be a wrong zero. */
export function isKept({ from }: Pick<Window, 'from'>, resolution: Resolution, nowMs: number): boolean {
  return from >= nowMs - KEPT_MS[resolution] - SLACK_MS;
}
