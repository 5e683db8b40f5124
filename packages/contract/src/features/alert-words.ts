/* Lists that the screens need, too: without schemas, which a browser cannot run. */

export const ALERT_SEVERITIES = ['critical', 'warning', 'info'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

/** States of the health of a service that an alert can be about. */
export const ALERT_SERVICE_STATES = ['failed', 'degraded', 'unreachable'] as const;

export const ALERT_CHANNEL_KINDS = ['email', 'webhook', 'slack'] as const;
export type AlertChannelKind = (typeof ALERT_CHANNEL_KINDS)[number];

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Kinds of condition that compare the traffic of a service over a window. */
export const ALERT_TRAFFIC_KINDS = ['error_share', 'latency', 'request_rate'] as const;
export type AlertTrafficKind = (typeof ALERT_TRAFFIC_KINDS)[number];
export const ALERT_QUANTILES = ['p95', 'p99'] as const;
export const ALERT_WINDOW_MAX_S = 3600;
