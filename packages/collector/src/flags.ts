import type { Sign } from '@flotilla/access-log';
import type { RiskFlag } from '@flotilla/inventory';
import type { FlagSet } from './flag-set.ts';
import type { RequestFacts } from './request-facts.ts';
import type { CompiledSettings } from './settings.ts';

const WEAK_TLS: ReadonlySet<string> = new Set(['TLSv1', 'TLSv1_0', 'TLSv1_1']);
const OLD_PROTOCOLS: ReadonlySet<string> = new Set(['http/1.0', 'http/1.1']);

/** The flags that a request shows by itself. */
export function addFlags(facts: RequestFacts, settings: CompiledSettings, flags: FlagSet): void {
  addThreats(facts, flags);
  if (facts.entry.protocol === 'tcp') {
    addTransport(facts, settings, flags);
    return;
  }
  addTransport(facts, settings, flags);
  addHeaders(facts, settings, flags);
  addAuth(facts, settings, flags);
  addStatus(facts, flags);
}

function addThreats({ source, agentKind, isProbePath, operation, isMutating, pii }: RequestFacts, flags: FlagSet) {
  if (source.isThreat) flags.add('threat_intel_hit');
  if (agentKind === 'scanner') flags.add('scanner_user_agent');
  if (isProbePath) flags.add('vuln_probe_path');
  if (isMutating && operation.isReadonlyPath) flags.add('unsafe_method_on_readonly');
  if (pii.length > 0) flags.add('pii_observed');
  if (operation.isSensitivePath) flags.add('sensitive_path_keyword');
  flags.add(operation.isInternalHost ? 'internal_host' : 'external_host');
}

function addTransport(
  { entry, isEncrypted, operation, source }: RequestFacts,
  { checksTls }: CompiledSettings,
  flags: FlagSet,
) {
  if (!isEncrypted && !operation.isInternalHost) flags.add('plain_text_transport');
  if (checksTls && WEAK_TLS.has(entry.tlsVersion)) flags.add('weak_tls_version');
  if (OLD_PROTOCOLS.has(entry.protocol)) flags.add('legacy_protocol');
  const claimsTls = entry.tlsVersion === '' && entry.signs.includes('forwarded_https');
  if (claimsTls && source.isInternal && !source.isTrustedTlsProxy) flags.add('unverified_proxy_tls');
}

const OF_SIGN: readonly (readonly [Sign, RiskFlag])[] = [
  ['banner', 'version_disclosure'],
  ['cors_null', 'permissive_cors'],
  ['query_credential', 'credential_in_query'],
  ['cookie_no_secure', 'cookie_missing_secure'],
  ['cookie_no_httponly', 'cookie_missing_httponly'],
  ['cookie_samesite_none', 'cookie_samesite_none_insecure'],
];

function addHeaders(facts: RequestFacts, settings: CompiledSettings, flags: FlagSet): void {
  const { entry, operation, isEncrypted } = facts;
  const { signs } = entry;
  if (signs.length > 0) for (const [sign, flag] of OF_SIGN) if (signs.includes(sign)) flags.add(flag);
  if (settings.credentialNames.size > 0 && entry.queryNames.some((name) => settings.credentialNames.has(name))) {
    flags.add('credential_in_query');
  }
  if (signs.includes('cors_any')) {
    if (signs.includes('cors_credentials')) flags.add('cors_credentials_wildcard');
    if (operation.isInternalHost && isForeign(entry.origin, operation.identity.host)) flags.add('permissive_cors');
  }
  const isPage = entry.contentType === 'text/html' && entry.status >= 200 && entry.status < 300;
  if (!isPage) return;
  if (!signs.includes('nosniff')) flags.add('missing_x_content_type_options');
  if (!signs.includes('frame_options')) flags.add('missing_x_frame_options');
  if (!signs.includes('csp')) flags.add('missing_csp');
  if (settings.checksHsts && isEncrypted && !signs.includes('hsts')) flags.add('missing_hsts');
}

/** Whether a page of another origin made the request. */
export function isForeign(origin: string, host: string): boolean {
  if (origin === '' || origin === 'null') return origin !== '';
  return origin.toLowerCase().replace(/^[a-z]+:\/\//, '') !== host;
}

function addAuth(facts: RequestFacts, { tokenLifetimeMaxS }: CompiledSettings, flags: FlagSet): void {
  const { entry, isAnonymous, isMutating, isAccepted, isEncrypted, operation, isStatic } = facts;
  if (entry.auth === 'basic' && !isEncrypted) flags.add('basic_auth_plaintext');
  if (tokenLifetimeMaxS > 0 && entry.tokenLifetimeS > tokenLifetimeMaxS) flags.add('weak_token_ttl');
  if (!isAnonymous || !isAccepted || isStatic) return;
  const { categories } = operation;
  // A client that signs in has no credentials yet.
  if (isMutating && !categories.has('auth_endpoint')) flags.add('unauthenticated');
  const isPrivileged =
    categories.has('admin_endpoint') || categories.has('account_management') || categories.has('data_export');
  const isOther = categories.has('payment_endpoint') || categories.has('api_docs') || categories.has('auth_endpoint');
  const is2xx = entry.status >= 200 && entry.status < 300;
  if (is2xx && isPrivileged && !isOther && (isMutating || operation.objectAt >= 0)) flags.add('bfla_suspect');
}

function addStatus({ entry, isBlocked }: RequestFacts, flags: FlagSet): void {
  if (isBlocked) return;
  if (entry.status >= 500) flags.add('error_status');
  else if (entry.status >= 400) flags.add('client_error_status');
}
