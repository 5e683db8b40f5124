/** Limits of HA pairs (specification, "Limits"). The port is fixed, so that firewalls can be prepared. */
export const HA_LIMITS = {
  port: 8650,
  intervalMinMs: 100,
  intervalMaxMs: 1000,
  missesMin: 2,
  missesMax: 10,
  priorityMin: 1,
  priorityMax: 1000,
  fenceTargetsMax: 8,
  nextHopsMax: 16,
} as const;

/** The heartbeats of a pair that names none. */
export const HA_HEARTBEAT_DEFAULT = { port: HA_LIMITS.port, interval_ms: 200, misses: 5 } as const;
