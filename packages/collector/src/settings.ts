import type { ApiDiscoverySettings } from '@flotilla/contract';
import { compileSearch, type LinearPattern, OperatorRules, type PiiCategory } from '@flotilla/inventory';

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
