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
 * The longest time with two holders: the lease of a member that is frozen or dead, or the dead time and the way of a message for
 * one that runs. Holds while the members hear each other in one direction at least, or one of them is cut off from the gateway and
 * gets no old messages.
 */
export const OVERLAP_MAX_MS = TIMING.leaseMs + TIMING.deadMs;
/** After the last fault: the wait after a start, the end of a fencing, or a suspension, and then a take-over. */
export const RECOVERY_MAX_MS = TIMING.bootWaitMs + TIMING.handoverMs + 12 * TIMING.deadMs;
