import { TRAFFIC_METRICS, type TrafficMetricName } from '@flotilla/proto';

/** The names that a statistic may belong to. `server` is Envoy as a whole. */
export type Owner = 'cluster' | 'host' | 'listener' | 'route' | 'server';

/** Where a name of a statistic begins and which names may follow. `listener_http` is `listener.<listener>.http.<prefix>`. */
export type Family = 'cluster' | 'http' | 'listener' | 'listener_http' | 'tcp' | 'vhost';

/** The meaning of a statistic. The metric `latency` is a histogram, and `expiry` a time at which a certificate expires. */
export interface StatRule {
  readonly family: Family;
  /** The part after the known name, with its dot. */
  readonly tail: string;
  readonly metric: TrafficMetricName | 'expiry' | 'latency';
  readonly owners: readonly Owner[];
}

const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const CIRCUITS = ['default', 'high'].flatMap((priority) =>
  ['cx_open', 'rq_open', 'rq_pending_open', 'rq_retry_open'].map((name) => `circuit_breakers.${priority}.${name}`),
);
const TLS_ERRORS = [
  'connection_error',
  'fail_verify_cert_hash',
  'fail_verify_error',
  'fail_verify_no_cert',
  'fail_verify_san',
];

/** Statistics of Envoy 1.36.4 and 1.40.0. Statuses of a listener are counted per listener, other statistics of HTTP per prefix. */
export const STAT_RULES: readonly StatRule[] = [
  ...STATUS_CLASSES.flatMap((status) => [
    ...rules('cluster', ['cluster'], `requests_${status}`, `upstream_rq_${status}`),
    ...rules('listener_http', ['listener', 'route', 'server'], `requests_${status}`, `downstream_rq_${status}`),
    ...rules('vhost', ['host'], `requests_${status}`, `upstream_rq_${status}`),
  ]),
  ...rules('cluster', ['cluster'], 'latency', 'upstream_rq_time'),
  ...rules('cluster', ['cluster'], 'resets', 'upstream_rq_rx_reset', 'upstream_rq_tx_reset'),
  ...rules('cluster', ['cluster'], 'timeouts', 'upstream_rq_timeout', 'upstream_rq_per_try_timeout'),
  ...rules('cluster', ['cluster', 'server'], 'retries', 'upstream_rq_retry'),
  ...rules('cluster', ['cluster'], 'connections_opened', 'upstream_cx_total'),
  ...rules('cluster', ['cluster', 'server'], 'connect_failures', 'upstream_cx_connect_fail'),
  ...rules('cluster', ['cluster'], 'tls_errors', ...TLS_ERRORS.map((name) => `ssl.${name}`)),
  ...rules('cluster', ['cluster'], 'bytes_received', 'upstream_cx_rx_bytes_total'),
  ...rules('cluster', ['cluster'], 'bytes_sent', 'upstream_cx_tx_bytes_total'),
  ...rules(
    'cluster',
    ['cluster', 'server'],
    'overflows',
    'upstream_rq_pending_overflow',
    'upstream_rq_active_overflow',
  ),
  ...rules('cluster', ['cluster', 'server'], 'ejections', 'outlier_detection.ejections_enforced_total'),
  ...rules('cluster', ['cluster', 'server'], 'no_healthy_upstream', 'upstream_cx_none_healthy'),
  ...rules('cluster', ['cluster'], 'connections_active', 'upstream_cx_active'),
  ...rules('cluster', ['cluster'], 'requests_active', 'upstream_rq_active'),
  ...rules('cluster', ['cluster', 'server'], 'endpoints', 'membership_total'),
  ...rules('cluster', ['cluster', 'server'], 'endpoints_healthy', 'membership_healthy'),
  ...rules('cluster', ['cluster', 'server'], 'endpoints_ejected', 'outlier_detection.ejections_active'),
  ...rules('cluster', ['cluster', 'server'], 'circuit_open', ...CIRCUITS),
  ...rules('listener', ['listener', 'server'], 'connections_opened', 'downstream_cx_total'),
  ...rules('listener', ['listener', 'server'], 'connections_active', 'downstream_cx_active'),
  ...rules('listener', ['listener', 'server'], 'tls_errors', ...TLS_ERRORS.map((name) => `ssl.${name}`)),
  ...rules('http', ['listener', 'route', 'server'], 'latency', 'downstream_rq_time'),
  ...rules('http', ['listener', 'route', 'server'], 'requests_active', 'downstream_rq_active'),
  ...rules('http', ['listener', 'route', 'server'], 'resets', 'downstream_rq_rx_reset', 'downstream_rq_tx_reset'),
  ...rules(
    'http',
    ['listener', 'route', 'server'],
    'timeouts',
    ...[
      'downstream_rq_timeout',
      'downstream_rq_header_timeout',
      'downstream_rq_idle_timeout',
      'downstream_rq_max_duration_reached',
    ],
  ),
  ...rules('http', ['listener', 'server'], 'bytes_received', 'downstream_cx_rx_bytes_total'),
  ...rules('http', ['listener', 'server'], 'bytes_sent', 'downstream_cx_tx_bytes_total'),
  ...rules('tcp', ['listener', 'server'], 'bytes_received', 'downstream_cx_rx_bytes_total'),
  ...rules('tcp', ['listener', 'server'], 'bytes_sent', 'downstream_cx_tx_bytes_total'),
  ...rules('vhost', ['host'], 'latency', 'upstream_rq_time'),
  ...rules('vhost', ['host'], 'timeouts', 'upstream_rq_timeout', 'upstream_rq_per_try_timeout'),
  ...rules('vhost', ['host'], 'retries', 'upstream_rq_retry'),
];

/** `<listener or cluster>.ssl.certificate.<certificate>.expiration_unix_time_seconds` */
export const CERTIFICATE = {
  middle: '.ssl.certificate.',
  tail: '.expiration_unix_time_seconds',
  rules: {
    listener: { family: 'listener', tail: '', metric: 'expiry', owners: ['listener', 'server'] },
    cluster: { family: 'cluster', tail: '', metric: 'expiry', owners: ['cluster', 'server'] },
  },
} as const satisfies { middle: string; tail: string; rules: Record<string, StatRule> };

/**
 * Selects the statistics of the table, as a regular expression (RE2) that Envoy applies to each name. It has only an end, because RE2
 * then begins there and is finished with most names after a few letters.
 */
export const STATS_FILTER = `\\.(?:${[...new Set([...STAT_RULES, CERTIFICATE].map(({ tail }) => escapeDots(tail.slice(1))))].join('|')})$`;

export function isGauge(metric: StatRule['metric']): boolean {
  return metric === 'expiry' || (metric !== 'latency' && TRAFFIC_METRICS[metric].kind === 'gauge');
}

function rules(family: Family, owners: readonly Owner[], metric: StatRule['metric'], ...tails: string[]): StatRule[] {
  return tails.map((tail) => ({ family, tail: `.${tail}`, metric, owners }));
}

function escapeDots(text: string): string {
  return text.replace(/[.]/g, '\\.');
}
