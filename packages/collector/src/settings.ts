import type { ApiDiscoverySettings } from '@flotilla/contract';
import { compileSearch, type LinearPattern, OperatorRules, type PiiCategory } from '@flotilla/inventory';
import { createBola } from './detectors/bola.ts';
import type { Detector } from './detectors/detector.ts';
import { createBruteForce, createPaymentAbuse } from './detectors/failed-attempts.ts';
import { createGeoSpread } from './detectors/geo-spread.ts';
import { createBehavior, createResponseSize } from './detectors/operation-baselines.ts';
import { createPathScan } from './detectors/path-scan.ts';
import { createAddressRate, createConsumerRate, createReplay } from './detectors/rates.ts';

/** The settings of a project, ready for use. */
export interface CompiledSettings {
  readonly hashesSource: boolean;
  readonly hashesUserAgent: boolean;
  readonly hashesConsumer: boolean;
  /** One of so many harmless events is stored. 1: all of them. */
  readonly keepOneOf: number;
  readonly denied: readonly LinearPattern[];
  readonly excludedMethods: ReadonlySet<string>;
  /** Undefined: no host is. */
  readonly isHostExcluded: ((host: string) => boolean) | undefined;
  readonly excludedListeners: ReadonlySet<string>;
  readonly excludedAgents: readonly string[];
  readonly isProjectExcluded: boolean;
  readonly rules: OperatorRules;
  readonly graphqlPaths: readonly string[];
  readonly credentialNames: ReadonlySet<string>;
  readonly pii: ReadonlySet<PiiCategory>;
  readonly detectsPii: boolean;
  readonly checksHsts: boolean;
  readonly checksTls: boolean;
  /** 0: not checked. */
  readonly tokenLifetimeMaxS: number;
}

export function compileSettings({ policy, detection }: ApiDiscoverySettings, project: string): CompiledSettings {
  const rules = OperatorRules.compile(policy.path_normalize_patterns);
  return {
    hashesSource: policy.hash_source_ip,
    hashesUserAgent: policy.hash_user_agent,
    hashesConsumer: detection.extract_consumer_fingerprint,
    keepOneOf: toSampling(policy.raw_sample_rate),
    denied: policy.ingest_deny_patterns.map(compileSearch).filter((one) => typeof one !== 'string'),
    excludedMethods: new Set(policy.exclude.methods),
    isHostExcluded: compileHosts(policy.exclude.hosts),
    excludedListeners: new Set(policy.exclude.listeners),
    excludedAgents: policy.exclude.user_agents,
    isProjectExcluded: policy.exclude.projects.includes(project),
    rules: rules.ok ? rules.rules : OperatorRules.NONE,
    graphqlPaths: policy.graphql_paths,
    credentialNames: new Set(policy.credential_param_names.map((name) => name.toLowerCase())),
    pii: new Set(PII.filter((category) => policy.pii_detectors[category])),
    detectsPii: detection.detect_pii,
    checksHsts: detection.missing_hsts,
    checksTls: detection.weak_tls,
    tokenLifetimeMaxS: detection.weak_token_ttl_seconds,
  };
}

const PII = ['email', 'phone', 'ssn', 'credit_card', 'iban'] as const satisfies readonly PiiCategory[];
const SAMPLING_MAX = 1000;

/** N from 2 says it directly; less than 1 is the share of events that are kept. */
function toSampling(rate: number): number {
  if (rate >= 2) return Math.min(Math.floor(rate), SAMPLING_MAX);
  return rate > 0 && rate < 1 ? Math.min(Math.round(1 / rate), SAMPLING_MAX) : 1;
}

/** `*.example.com` stands for every name below it. */
function compileHosts(hosts: readonly string[]): ((host: string) => boolean) | undefined {
  if (hosts.length === 0) return undefined;
  const names = hosts.map((host) => host.toLowerCase());
  const exact = new Set(names.filter((name) => !name.startsWith('*.')));
  const endings = names.flatMap((name) => (name.startsWith('*.') ? name.slice(1) : []));
  return (host) => {
    const name = host.replace(/:\d+$/, '');
    return exact.has(name) || exact.has(host) || endings.some((ending) => name.endsWith(ending));
  };
}

/** The detectors that are switched on. Those of the last settings keep their state only if nothing about them changed; the caller decides that. */
export function createDetectors({ detection }: ApiDiscoverySettings): Detector[] {
  const { bola, brute_force: brute, payment_abuse: payment, geo_spread: geo } = detection;
  const { rate_anomaly: rate, ip_rate: addressRate, replay, path_scan: scan } = detection;
  const windowOf = ({ window_seconds: seconds, threshold }: { window_seconds: number; threshold: number }) => ({
    windowMs: seconds * 1000,
    threshold,
  });
  const maker: readonly (readonly [boolean, () => Detector])[] = [
    [
      bola.enabled,
      () =>
        createBola({
          ...windowOf(bola),
          minForbidden: bola.min_forbidden,
          minForbiddenRatio: bola.min_forbidden_ratio,
        }),
    ],
    [
      brute.enabled,
      () =>
        createBruteForce({
          windowMs: brute.window_seconds * 1000,
          consumer: { threshold: brute.threshold, ratio: 0 },
          address: { threshold: brute.threshold_ip, ratio: brute.min_failure_ratio },
        }),
    ],
    [payment.enabled, () => createPaymentAbuse(toPaymentOptions(payment))],
    [
      geo.enabled,
      () =>
        createGeoSpread({
          ...windowOf(geo),
          minSwitches: geo.min_switches,
          escalateHosting: geo.escalate_hosting_asn,
          skipMtls: geo.skip_mtls,
        }),
    ],
    [rate.enabled, () => createConsumerRate(windowOf(rate))],
    [addressRate.enabled, () => createAddressRate(windowOf(addressRate))],
    [replay.enabled, () => createReplay(windowOf(replay))],
    [scan.enabled, () => createPathScan(windowOf(scan))],
  ];
  const windows = maker.flatMap(([enabled, create]) => (enabled ? [create()] : []));
  return [...windows, ...createBaselines(detection)];
}

function toPaymentOptions(payment: ApiDiscoverySettings['detection']['payment_abuse']) {
  const rule = { threshold: payment.threshold, ratio: payment.min_failure_ratio };
  return { windowMs: payment.window_seconds * 1000, consumer: rule, address: rule };
}

function createBaselines({ response_size: size, behavior }: ApiDiscoverySettings['detection']): Detector[] {
  const { latency, error_rate: errors } = behavior;
  return [
    createResponseSize({
      multiplier: size.multiplier,
      minBaselineBytes: size.min_baseline_bytes,
      minEventBytes: size.min_event_bytes,
      warmup: size.warmup_samples,
      sigma: size.sigma,
      inRow: size.consecutive_n,
    }),
    createBehavior({
      warmup: behavior.warmup_samples,
      suppressMs: behavior.startup_suppress_seconds * 1000,
      latency: { sigma: latency.sigma, minMs: latency.min_ms, inRow: latency.consecutive_n },
      errors: {
        fast: errors.fast_alpha,
        slow: errors.slow_alpha,
        multiplier: errors.multiplier,
        minRate: errors.min_rate,
        inRow: errors.consecutive_n,
      },
    }),
  ];
}
