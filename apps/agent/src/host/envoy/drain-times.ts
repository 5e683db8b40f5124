export interface DrainTimes {
  /** Seconds in which an Envoy asks its clients to leave, once it is replaced. Fixed when it starts. */
  readonly drainS: number;
  /** Seconds after which the Envoy that this one replaces ends, even with open connections. */
  readonly shutdownS: number;
}

/** Default drain times. A replaced listener may use its old clusters for `shutdownS`. */
export const ENVOY_DRAIN: DrainTimes = { drainS: 10, shutdownS: 15 };

/**
 * Returns the times of an Envoy that replaces another one, which may finish its connections for `wantedS` seconds (0: not set).
 * Clients are asked to leave within the default time even if the drain lasts longer: the same time applies to connections of a
 * listener that has changed, and these must not use what it was before for an hour.
 */
export function deriveDrainTimes(wantedS: number, fallback: DrainTimes = ENVOY_DRAIN): DrainTimes {
  if (wantedS === 0) return fallback;
  const { drainS, shutdownS } = ENVOY_DRAIN;
  return { drainS: Math.min(wantedS, drainS), shutdownS: wantedS + shutdownS - drainS };
}

/** The same times, but long enough for the replaced Envoy, which asks its clients at the pace with which it was started. */
export function letFinish(times: DrainTimes, old: DrainTimes | undefined): DrainTimes {
  return { ...times, shutdownS: Math.max(times.shutdownS, old?.drainS ?? 0) };
}
