/** The classes of the catalogue. */
export type RiskClass =
  | 'auth'
  | 'attack_pattern'
  | 'transport'
  | 'data_leak'
  | 'discovery'
  | 'behavior'
  | 'consistency';
export type RiskSeverity = 'critical' | 'high' | 'medium' | 'low' | 'info';
/** What a flag speaks about: somebody who attacks, or an operation that is open to attacks. */
export type RiskAxis = 'threat' | 'exposure';
/** Where it is fixed: a filter of the proxy, its TLS and transport, the application; `none` for information. */
export type RiskRemedy = 'filter' | 'transport' | 'application' | 'none';

export interface RiskFlagFacts {
  /** The number of its bit in the event store. Never used again for another flag. */
  readonly bit: number;
  readonly severity: RiskSeverity;
  readonly axis: RiskAxis;
  readonly class: RiskClass;
  /** Of the OWASP API Security Top 10 of 2023, such as `API2`; null: none. */
  readonly owasp: string | null;
  readonly remedy: RiskRemedy;
  /** Follows from several requests of an operation: no event has it. */
  readonly isDerived: boolean;
}

/** What people read about a flag. Informational flags have no steps. */
export interface FlagTexts {
  readonly title: string;
  readonly what: string;
  readonly why: string;
  readonly detected: string;
  readonly steps: readonly string[];
}

type Row = readonly [RiskSeverity, RiskAxis, RiskClass, string | null, RiskRemedy];

const facts = (bit: number, [severity, axis, riskClass, owasp, remedy]: Row, isDerived = false): RiskFlagFacts => ({
  bit,
  severity,
  axis,
  class: riskClass,
  owasp,
  remedy,
  isDerived,
});

/** The catalogue of flags. Severities are those of the second generation of the reference. */
export const RISK_FLAGS = {
  brute_force_suspect: facts(0, ['critical', 'threat', 'attack_pattern', 'API2', 'filter']),
  payment_abuse_suspect: facts(1, ['critical', 'threat', 'attack_pattern', 'API6', 'filter']),
  threat_intel_hit: facts(2, ['critical', 'threat', 'attack_pattern', 'API8', 'filter']),
  bfla_suspect: facts(3, ['critical', 'threat', 'attack_pattern', 'API5', 'filter']),
  weak_tls_version: facts(4, ['critical', 'exposure', 'transport', 'API8', 'transport']),
  basic_auth_plaintext: facts(5, ['critical', 'exposure', 'auth', 'API2', 'transport']),
  bola_suspect: facts(6, ['high', 'threat', 'attack_pattern', 'API1', 'application']),
  rate_anomaly: facts(7, ['high', 'threat', 'attack_pattern', 'API4', 'filter']),
  ip_rate_anomaly: facts(8, ['high', 'threat', 'attack_pattern', 'API4', 'filter']),
  replay_suspect: facts(9, ['medium', 'threat', 'attack_pattern', 'API8', 'application']),
  scanner_user_agent: facts(10, ['high', 'threat', 'attack_pattern', 'API8', 'filter']),
  vuln_probe_path: facts(11, ['high', 'threat', 'attack_pattern', 'API8', 'filter']),
  path_scan_suspect: facts(12, ['high', 'threat', 'attack_pattern', 'API8', 'filter']),
  impossible_travel: facts(13, ['high', 'threat', 'attack_pattern', 'API2', 'application']),
  unsafe_method_on_readonly: facts(14, ['medium', 'threat', 'attack_pattern', 'API8', 'filter']),
  unauthenticated: facts(15, ['medium', 'exposure', 'auth', 'API2', 'filter']),
  weak_token_ttl: facts(16, ['high', 'exposure', 'auth', 'API2', 'application']),
  plain_text_transport: facts(17, ['high', 'exposure', 'transport', 'API8', 'transport']),
  missing_hsts: facts(18, ['high', 'exposure', 'transport', 'API8', 'filter']),
  permissive_cors: facts(19, ['medium', 'exposure', 'transport', 'API8', 'filter']),
  cors_credentials_wildcard: facts(20, ['high', 'exposure', 'transport', 'API8', 'filter']),
  cors_origin_reflection: facts(21, ['medium', 'exposure', 'transport', 'API8', 'filter'], true),
  cookie_missing_secure: facts(22, ['medium', 'exposure', 'transport', null, 'application']),
  cookie_samesite_none_insecure: facts(23, ['medium', 'exposure', 'transport', null, 'application']),
  cookie_missing_httponly: facts(24, ['low', 'exposure', 'transport', null, 'application']),
  legacy_protocol: facts(25, ['info', 'exposure', 'transport', null, 'none']),
  missing_x_content_type_options: facts(26, ['low', 'exposure', 'transport', 'API8', 'filter']),
  missing_x_frame_options: facts(27, ['low', 'exposure', 'transport', 'API8', 'filter']),
  missing_csp: facts(28, ['low', 'exposure', 'transport', 'API8', 'filter']),
  unverified_proxy_tls: facts(29, ['info', 'exposure', 'transport', null, 'none']),
  pii_observed: facts(30, ['high', 'threat', 'data_leak', 'API3', 'application']),
  credential_in_query: facts(31, ['high', 'exposure', 'data_leak', 'API2', 'application']),
  oversized_response: facts(32, ['high', 'threat', 'data_leak', 'API4', 'application']),
  sensitive_path_keyword: facts(33, ['info', 'exposure', 'discovery', null, 'none']),
  version_disclosure: facts(34, ['low', 'exposure', 'discovery', 'API8', 'filter']),
  internal_host: facts(35, ['info', 'exposure', 'discovery', null, 'none']),
  external_host: facts(36, ['info', 'exposure', 'discovery', null, 'none']),
  error_status: facts(37, ['low', 'exposure', 'behavior', null, 'application']),
  client_error_status: facts(38, ['info', 'exposure', 'behavior', null, 'none']),
  latency_anomaly: facts(39, ['info', 'exposure', 'behavior', null, 'none']),
  error_rate_spike: facts(40, ['medium', 'threat', 'behavior', null, 'application']),
  geo_change: facts(41, ['info', 'exposure', 'behavior', null, 'none']),
  auth_inconsistent: facts(42, ['high', 'threat', 'consistency', 'API5', 'filter'], true),
  mixed_auth_schemes: facts(43, ['info', 'exposure', 'consistency', null, 'none'], true),
} as const satisfies Readonly<Record<string, RiskFlagFacts>>;

export type RiskFlag = keyof typeof RISK_FLAGS;
export const RISK_FLAG_NAMES = Object.keys(RISK_FLAGS) as readonly RiskFlag[];

export const SEVERITY_POINTS: Readonly<Record<RiskSeverity, number>> = {
  critical: 10,
  high: 7,
  medium: 4,
  low: 1,
  info: 0,
};

export interface RiskScores {
  readonly threat: number;
  readonly exposure: number;
}

/** threat: the largest severity and a quarter of the others; exposure: the sum. Both end at 255. */
export function scoreFlags(flags: Iterable<RiskFlag>): RiskScores {
  let [largest, threats, exposure] = [0, 0, 0];
  for (const flag of flags) {
    const { severity, axis } = RISK_FLAGS[flag];
    const points = SEVERITY_POINTS[severity];
    if (axis === 'exposure') exposure += points;
    else {
      threats += points;
      largest = Math.max(largest, points);
    }
  }
  const threat = largest + Math.floor((threats - largest) / 4);
  return { threat: Math.min(threat, 255), exposure: Math.min(exposure, 255) };
}

/**
 * Bands of a score: the bounds follow from the formula. A critical flag alone (10) is high, with two further critical ones (15) critical; a
 * high flag alone (7) is medium.
 */
export type RiskBand = 'none' | 'low' | 'medium' | 'high' | 'critical';

/** The lowest score of each band, the worst band first. */
export const RISK_BANDS = [
  { band: 'critical', from: 15 },
  { band: 'high', from: 10 },
  { band: 'medium', from: 4 },
  { band: 'low', from: 1 },
  { band: 'none', from: 0 },
] as const satisfies readonly { readonly band: RiskBand; readonly from: number }[];

export function bandOf(score: number): RiskBand {
  return RISK_BANDS.find(({ from }) => score >= from)?.band ?? 'none';
}
