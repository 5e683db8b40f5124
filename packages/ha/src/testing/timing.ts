import type { Timing } from '../model.ts';

/** Scaled down: a schedule of a minute has many faults. */
export const TIMING: Timing = {
  intervalMs: 100,
  deadMs: 300,
  leaseMs: 1000,
  bootWaitMs: 2000,
  handoverMs: 1000,
  preemptHoldMs: 1500,
  flap: { takeovers: 3, windowMs: 20_000, silences: 5 },
};

/**
 * The longest time with two holders. If both run, one yields within two dead times: its knowledge of the other one is at most one dead
 * time old, and it is heard within another. If it is frozen or dies in the last moment, its lease follows. Holds while the members hear each other in one direction at least, or one of them is cut off from the gateway and
 * gets no old messages.
 */
export const OVERLAP_MAX_MS = TIMING.leaseMs + 2 * TIMING.deadMs;
/** After the last fault: the wait after a start, the end of a fencing, or a suspension, and then a take-over. */
export const RECOVERY_MAX_MS = TIMING.bootWaitMs + TIMING.handoverMs + 12 * TIMING.deadMs;
