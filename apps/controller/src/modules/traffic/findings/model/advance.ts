import type { FindingState } from '@flotilla/contract';
import type { RiskFlag } from '@flotilla/inventory';
import { type EvidenceStart, toEvidence } from './evidence.ts';
import { EVIDENCE_RULES } from './rules.ts';
import { countEligible, lastReset, lastSighting, type Observed } from './sighting.ts';

/** A flag that is seen all the time is written at most so often; the last time before it is away is written, too. */
export const SIGHTING_EVERY_MS = 10 * 60_000;

/** The part of a stored finding that the traffic moves. */
export interface Standing extends EvidenceStart {
  readonly state: FindingState;
  readonly stateSinceMs: number;
  readonly lastSeenMs: number;
  readonly sightings: number;
}

export interface Advance {
  readonly next: Standing;
  /** Why the state has changed, for the history; undefined: it has not. */
  readonly note: string | undefined;
}

const NOTES = {
  claim: 'The flag was seen after somebody had said that it is fixed.',
  fixed: 'The flag was seen again.',
  gone: 'The operation is there again, with the flag.',
  shown: (requests: number) => `The operation had ${requests} requests without the flag.`,
} as const;

/** The first state of a finding. */
export function open(flag: RiskFlag, observed: Observed, nowMs: number): Standing {
  const seenMs = Math.min(lastSighting(observed, flag), nowMs);
  return {
    flag,
    state: 'new',
    stateSinceMs: nowMs,
    lastSeenMs: seenMs,
    sightings: 1,
    startsMs: seenMs,
    startsWith: 'sighting',
    base: countEligible(observed, EVIDENCE_RULES[flag].counts),
    resetMs: lastReset(observed),
    widestGapS: 0,
  };
}

/**
 * Moves a finding by the traffic: a sighting moves its evidence to the start, and brings it back if it was fixed or said to be; enough requests
 * without the flag fix it. undefined: nothing has changed. A repeated call with the same operation changes nothing more.
 */
export function advance(before: Standing, observed: Observed, nowMs: number): Advance | undefined {
  const seenMs = lastSighting(observed, before.flag);
  if (seenMs > before.lastSeenMs) return sight(before, observed, { seenMs, nowMs });
  if (lastReset(observed) !== before.resetMs || hasFewer(before, observed)) return restart(before, observed);
  return clear(before, observed, nowMs);
}

function sight(
  before: Standing,
  observed: Observed,
  { seenMs, nowMs }: { readonly seenMs: number; readonly nowMs: number },
): Advance | undefined {
  const back = whyBack(before, seenMs);
  const isFrequent = seenMs - before.lastSeenMs < SIGHTING_EVERY_MS && nowMs - seenMs < SIGHTING_EVERY_MS;
  if (back === undefined && isFrequent) return undefined;
  const sighted: Standing = {
    ...before,
    lastSeenMs: seenMs,
    sightings: before.sightings + 1,
    startsMs: seenMs,
    startsWith: 'sighting',
    base: countEligible(observed, EVIDENCE_RULES[before.flag].counts),
    resetMs: lastReset(observed),
    widestGapS: Math.max(before.widestGapS, Math.floor((seenMs - before.lastSeenMs) / 1000)),
  };
  if (back === undefined) return { next: sighted, note: undefined };
  return { next: { ...sighted, state: 'came_back', stateSinceMs: nowMs }, note: back };
}

/** Requests from before a claim may be reported after it: they do not refute it. */
function whyBack({ state, stateSinceMs }: Standing, seenMs: number): string | undefined {
  if (state === 'fix_claimed') return seenMs > stateSinceMs ? NOTES.claim : undefined;
  if (state === 'fixed') return NOTES.fixed;
  return state === 'operation_gone' ? NOTES.gone : undefined;
}

/** The counter was set back without a reset that is known, such as by a deletion. */
function hasFewer({ flag, base }: Standing, observed: Observed): boolean {
  return countEligible(observed, EVIDENCE_RULES[flag].counts) < base;
}

/** A reset deletes the times of the flags, so sightings before it may be unknown: the evidence starts again there. */
function restart(before: Standing, observed: Observed): Advance {
  const reset = lastReset(observed);
  return {
    next: {
      ...before,
      startsMs: Math.max(before.startsMs, reset),
      startsWith: 'reset',
      base: countEligible(observed, EVIDENCE_RULES[before.flag].counts),
      resetMs: reset,
    },
    note: undefined,
  };
}

function clear(before: Standing, observed: Observed, nowMs: number): Advance | undefined {
  if (before.state === 'fixed' || before.state === 'operation_gone') return undefined;
  const evidence = toEvidence(before, observed);
  if (!evidence.is_met) return undefined;
  return { next: { ...before, state: 'fixed', stateSinceMs: nowMs }, note: NOTES.shown(evidence.requests) };
}

/** The finding of an operation that is part of another one now. Earlier requests of that one show nothing about the flag. */
export function moveTo(before: Standing, observed: Observed, nowMs: number): Standing {
  return {
    ...before,
    startsMs: Math.max(before.startsMs, Math.min(observed.lastMs, nowMs)),
    startsWith: 'merge',
    base: countEligible(observed, EVIDENCE_RULES[before.flag].counts),
    resetMs: lastReset(observed),
  };
}
