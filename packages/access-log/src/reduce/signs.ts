import type { Sign } from '../entry.ts';
import { listCookieSigns } from './cookies.ts';

/** Values of the headers that signs are derived from; empty: absent. */
export interface SignFacts {
  readonly csp: boolean;
  readonly frameOptions: boolean;
  readonly noSniff: boolean;
  readonly hsts: boolean;
  readonly server: string;
  readonly poweredBy: boolean;
  readonly allowOrigin: string;
  readonly allowCredentials: string;
  readonly origin: string;
  readonly forwardedProto: string;
  readonly setCookie: string;
  readonly hasQueryCredential: boolean;
}

const NONE: readonly Sign[] = [];
/** Without a version or a product this is only the proxy itself. */
const SILENT_SERVERS: ReadonlySet<string> = new Set(['', 'envoy']);

export function listSigns(facts: SignFacts): readonly Sign[] {
  const found: Sign[] = [];
  if (facts.csp) found.push('csp');
  if (facts.frameOptions) found.push('frame_options');
  if (facts.noSniff) found.push('nosniff');
  if (facts.hsts) found.push('hsts');
  if (facts.poweredBy || !SILENT_SERVERS.has(facts.server.toLowerCase())) found.push('banner');
  if (facts.allowOrigin !== '') addCors(facts, found);
  if (facts.hasQueryCredential) found.push('query_credential');
  // Several proxies append to the header; the nearest one is the last.
  if (/(?:^|,)\s*https\s*$/i.test(facts.forwardedProto)) found.push('forwarded_https');
  if (facts.setCookie !== '') found.push(...listCookieSigns(facts.setCookie));
  return found.length === 0 ? NONE : found;
}

function addCors({ allowOrigin, allowCredentials, origin }: SignFacts, found: Sign[]): void {
  if (allowOrigin === '*') found.push('cors_any');
  else if (allowOrigin === 'null') found.push('cors_null');
  else if (origin !== '' && allowOrigin === origin) found.push('cors_reflected');
  if (allowCredentials.toLowerCase() === 'true') found.push('cors_credentials');
}
