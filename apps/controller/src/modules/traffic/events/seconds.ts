import type { Window } from './window.ts';

/** A window that is not over yet has lasted until now. */
export function secondsOf({ from, to }: Window, nowMs: number): number {
  return Math.max(1, (Math.min(to, nowMs) - from) / 1000);
}
