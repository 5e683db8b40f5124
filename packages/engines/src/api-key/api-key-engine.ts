import type { Clock } from '@flotilla/kit';
import type { ApiKeyEntry, ApiKeyOptions } from '@flotilla/policy';
import { GrantBuilder } from '../credential-grant.ts';
import { ALLOW, type BodyPhase, type CompiledEngine, type RequestView } from '../engine.ts';
import { PathGuard } from '../path-guard.ts';
import type { LimiterPlace } from '../rate-limit/rate-limit-engine.ts';
import { type Credential, toCredential } from './credential.ts';
import { CredentialBook } from './credential-book.ts';
import { KeyLimits } from './key-limits.ts';
import { KeySources } from './key-sources.ts';
import { MISSING, UNKNOWN } from './verdicts.ts';

/**
 * Authenticates by API key. The presented value is looked up by its SHA-256 digest. A key may be presented several
 * times, in one place or several, if all its headers and parameters agree. If they differ, nobody knows which one
 * another program would use, and the request is blocked as unknown. A key outside its validity period is known and
 * blocked as expired, whatever its scopes. A key's own limit is checked last, so a request that is blocked for another
 * reason takes no token. Mode `detect` takes tokens, too. A method override in the body is found later, when the token
 * is already taken.
 */
export function createApiKeyEngine(options: ApiKeyOptions, clock: Clock, place?: LimiterPlace): CompiledEngine {
  const { stripCredential, subjectHeader } = options;
  const sources = new KeySources(options.sources);
  const grants = new GrantBuilder({
    stripHeaders: stripCredential ? sources.headers : [],
    stripQueryParameter: stripCredential ? sources.parameter : undefined,
    subjectHeader,
  });
  const limited = options.keys.flatMap(({ limit }) => limit ?? []);
  const limits = limited.length === 0 ? undefined : new KeyLimits(limited, clock, place);
  // A changed block has its own buckets, so a key's number identifies it.
  const toEntry = (entry: ApiKeyEntry, index: number): [string, Credential] => [
    entry.sha256,
    toCredential(entry, { grant: grants.make(entry.subject), limits, bucket: String(index) }),
  ];
  const credentials = new CredentialBook(new Map(options.keys.map(toEntry)));
  const guards = options.bindings.map(({ scope, ...paths }) => ({
    scope,
    detail: `needs the scope ${scope}`,
    paths: new PathGuard(paths),
  }));
  const isTimed = options.keys.some((entry) => entry.notBeforeMs !== null || entry.expiresAtMs !== null);

  const findCredential = (request: RequestView) => credentials.find(sources.read(request) ?? '');
  const body: BodyPhase = {
    wants: (request) => findCredential(request)?.methods?.wantsBody(request) === true,
    decide(request, bytes, budget) {
      const credential = findCredential(request);
      const fault = credential?.methods?.findBodyFault(request, bytes, budget);
      return credential === undefined || fault === undefined ? ALLOW : credential.wrongMethod[fault];
    },
  };

  return {
    name: 'api_key',
    decide(request) {
      const key = sources.read(request);
      if (key === undefined) return UNKNOWN;
      if (key === '') return MISSING;
      const credential = credentials.find(key);
      if (credential === undefined) return UNKNOWN;
      if (isTimed) {
        const now = clock.now();
        if (now < credential.notBeforeMs || now >= credential.expiresAtMs) return credential.expired;
      }
      const fault = credential.methods?.findFault(request);
      if (fault !== undefined) return credential.wrongMethod[fault];
      for (const guard of guards) {
        if (!credential.scopes.has(guard.scope) && guard.paths.covers(request.paths)) {
          return { ...credential.lacksScope, detail: guard.detail };
        }
      }
      return credential.take?.() ?? credential.allow;
    },
    body: options.keys.some(({ methods }) => methods.length > 0) ? body : undefined,
    withheld: grants.withheld,
    limiter: limits?.limiter,
  };
}
