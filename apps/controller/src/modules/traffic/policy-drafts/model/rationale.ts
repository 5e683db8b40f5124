import type { InventoryOperationSummary, PolicyDraftRoute } from '@flotilla/contract';
import { RISK_FLAGS, RISK_TEXTS, type RiskFlag } from '@flotilla/inventory';
import type { PathGroup } from './plan.ts';

/** Flags for which requests need credentials. */
const CREDENTIAL_FLAGS: ReadonlySet<RiskFlag> = new Set([
  'unauthenticated',
  'auth_inconsistent',
  'bfla_suspect',
  'bola_suspect',
]);
/** Flags for which requests are limited. */
const RATE_FLAGS: ReadonlySet<RiskFlag> = new Set([
  'rate_anomaly',
  'ip_rate_anomaly',
  'brute_force_suspect',
  'payment_abuse_suspect',
  'path_scan_suspect',
]);
/** Categories with few requests of each client. */
const SENSITIVE: ReadonlySet<string> = new Set(['auth_endpoint', 'payment_endpoint', 'admin_endpoint']);

export interface GroupFacts {
  readonly flags: readonly RiskFlag[];
  readonly needsCredentials: boolean;
  readonly credentialFlags: readonly RiskFlag[];
  readonly needsLimit: boolean;
  readonly rateFlags: readonly RiskFlag[];
  readonly isSensitive: boolean;
  /** Clients sign in here, so they have no credentials yet. */
  readonly isSignIn: boolean;
  readonly acceptsAnonymous: boolean;
}

/** Reads the flags and the evidence of the operations of a path: the flags of the selected findings, or else the active ones. */
export function readGroup({ operations, findings }: PathGroup): GroupFacts {
  const active = operations.flatMap(({ threat_flags: threats, exposure_flags: exposures }) =>
    [...threats, ...exposures].flatMap(({ flag, active: isActive }) => (isActive ? [flag] : [])),
  );
  const flags = [...new Set(findings?.map(({ flag }) => flag) ?? active)];
  const categories = new Set(operations.flatMap(({ endpoint_categories: names }) => names));
  const acceptsAnonymous = operations.some(isOpen);
  const credentialFlags = flags.filter((flag) => CREDENTIAL_FLAGS.has(flag));
  const rateFlags = flags.filter((flag) => RATE_FLAGS.has(flag));
  return {
    flags,
    credentialFlags,
    needsCredentials: credentialFlags.length > 0 || (acceptsAnonymous && findings === undefined),
    rateFlags,
    needsLimit: rateFlags.length > 0,
    isSensitive: [...categories].some((category) => SENSITIVE.has(category)),
    isSignIn: categories.has('auth_endpoint'),
    acceptsAnonymous,
  };
}

function isOpen({ auth_posture: posture }: InventoryOperationSummary): boolean {
  return posture === 'anonymous' || posture === 'mixed' || posture === 'inconsistent';
}

const PLACES = {
  filter: 'No engine of the filter does this: fix it with a filter of Envoy in the listener',
  transport: 'Fix it at the proxy: TLS of the listener',
  application: 'Fix it in the application',
} as const;

/** Notes about the flags of a path that the draft does not handle. */
export function notesOf(facts: GroupFacts, handled: ReadonlySet<RiskFlag>): PolicyDraftRoute['notes'] {
  return facts.flags.flatMap((flag) => {
    const { remedy } = RISK_FLAGS[flag];
    if (remedy === 'none' || (handled.has(flag) && flag !== 'bola_suspect')) return [];
    const { title, steps } = RISK_TEXTS[flag];
    const place = PLACES[flag === 'bola_suspect' ? 'application' : remedy];
    return [{ flag, text: `${title}. ${place}.${steps[0] === undefined ? '' : ` ${steps[0]}`}` }];
  });
}
