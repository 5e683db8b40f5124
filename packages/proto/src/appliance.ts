/** Limits of support bundles, which the controller and the agent share. */
export const SUPPORT_BUNDLE_LIMITS = {
  /** Bytes of the archive. */
  bytesMax: 256 * 1024 ** 2,
  /** Bytes of one chunk. As text in a result, it is a third longer. */
  chunkMax: 1024 ** 2,
  /** Hours after which a finished bundle is deleted. */
  keptHours: 24,
  /** Finished bundles of a host. A new one replaces the oldest. */
  readyMax: 3,
} as const;

/** The id of a bundle: the id of the command that has created it, without dashes. */
export const SUPPORT_BUNDLE_ID = /^[0-9a-f]{32}$/;

/**
 * RUNNING  it is being created
 * READY    it can be downloaded
 * FAILED   it could not be created; `reason` says why
 * EXPIRED  its file was deleted, because it was too old or a newer bundle needed its place
 */
export const SUPPORT_BUNDLE_STATES = ['RUNNING', 'READY', 'FAILED', 'EXPIRED'] as const;
export type SupportBundleState = (typeof SUPPORT_BUNDLE_STATES)[number];

/** Ascending: the level is the index. */
export const HEALTH_SEVERITIES = ['OK', 'INFO', 'WARN', 'CRIT'] as const;
export type HealthSeverity = (typeof HEALTH_SEVERITIES)[number];
