import type { Clock } from '@flotilla/kit';
import { type ApiKeyEntry, type ApiKeyOptions, digestApiKey, type ScopeBinding } from '@flotilla/policy';
import { GrantMaker } from '../credential-grant.ts';
import {
  ALLOW,
  type BlockReason,
  type BlockVerdict,
  type CompiledEngine,
  type Grant,
  type RequestView,
  type Verdict,
} from '../engine.ts';
import { findQueryValues } from './query-values.ts';

const MISSING: BlockVerdict = { kind: 'block', reason: 'apikey.missing', severity: 'high', status: 403 };
const UNKNOWN: BlockVerdict = { ...MISSING, reason: 'apikey.unknown' };
const EXPIRED: BlockVerdict = { ...MISSING, reason: 'apikey.expired' };
const SCOPE: BlockVerdict = { ...MISSING, reason: 'apikey.scope' };

export const API_KEY_REASONS: readonly BlockReason[] = [MISSING, UNKNOWN, EXPIRED, SCOPE];

/** What a configured key means, its verdicts made in advance. */
interface Credential {
  readonly scopes: ReadonlySet<string>;
  readonly notBeforeMs: number;
  readonly expiresAtMs: number;
  readonly allow: Verdict;
  readonly expired: BlockVerdict;
  readonly lacksScope: BlockVerdict;
}

/**
 * Authenticates by API key. The presented value is looked up by its SHA-256 digest. A key presented several times, in
 * one place or in several, counts when all of its lines and parameters agree; where they differ, nobody can say which of
 * them another program would believe, and the request is blocked as unknown. A key outside of its time is known, and
 * blocked as expired, whatever its scopes.
 */
export function createApiKeyEngine(options: ApiKeyOptions, clock: Clock): CompiledEngine {
  const { sources, bindings, stripCredential, subjectHeader } = options;
  const headers = sources.filter(({ source }) => source === 'header').map(({ name }) => name);
  const parameter = sources.find(({ source }) => source === 'query')?.name;
  const grants = new GrantMaker({
    stripHeaders: stripCredential ? headers : [],
    stripQueryParameter: stripCredential ? parameter : undefined,
    subjectHeader,
  });
  const credentials = new Map(
    options.keys.map((entry) => [entry.sha256, toCredential(entry, grants.make(entry.subject))]),
  );
  const [only] = sources.length === 1 ? headers : [];
  const isTimed = options.keys.some((entry) => entry.notBeforeMs !== null || entry.expiresAtMs !== null);

  return {
    name: 'api_key',
    withheld: grants.withheld,
    decide(request) {
      const values = only === undefined ? listValues(request, headers, parameter) : request.header(only);
      const first = values[0] ?? '';
      for (let n = 1; n < values.length; n++) if (values[n] !== first) return UNKNOWN;
      if (first === '') return MISSING;
      const credential = credentials.get(digestApiKey(first));
      if (credential === undefined) return UNKNOWN;
      if (isTimed) {
        const now = clock.now();
        if (now < credential.notBeforeMs || now >= credential.expiresAtMs) return credential.expired;
      }
      for (const binding of bindings) {
        if (!credential.scopes.has(binding.scope) && guards(binding, request.paths)) return credential.lacksScope;
      }
      return credential.allow;
    },
  };
}

function toCredential(entry: ApiKeyEntry, grant: Grant | undefined): Credential {
  const named = entry.subject === '' ? {} : { subject: entry.subject };
  return {
    scopes: new Set(entry.scopes),
    notBeforeMs: entry.notBeforeMs ?? Number.NEGATIVE_INFINITY,
    expiresAtMs: entry.expiresAtMs ?? Number.POSITIVE_INFINITY,
    allow: grant === undefined ? ALLOW : { kind: 'allow', grant },
    expired: { ...EXPIRED, ...named },
    lacksScope: { ...SCOPE, ...named },
  };
}

function listValues(request: RequestView, headers: readonly string[], parameter: string | undefined): string[] {
  const values = headers.flatMap((name) => request.header(name));
  if (parameter !== undefined) values.push(...findQueryValues(request.query, parameter));
  return values;
}

/** True where any reading of the path lies under the prefix. */
/** Readings of a path come in lower case, too: a prefix with capitals is compared with them in its own lower case. */
function guards({ pathPrefix, wholeSegments }: ScopeBinding, paths: readonly string[]): boolean {
  const folded = pathPrefix.toLowerCase();
  for (const path of paths) {
    if (wholeSegments ? isUnder(path, pathPrefix) : path.startsWith(pathPrefix)) return true;
    if (folded === pathPrefix) continue;
    const lower = path.toLowerCase();
    if (wholeSegments ? isUnder(lower, folded) : lower.startsWith(folded)) return true;
  }
  return false;
}

function isUnder(path: string, prefix: string): boolean {
  const length = prefix.endsWith('/') ? prefix.length - 1 : prefix.length;
  if (!path.startsWith(prefix.slice(0, length))) return false;
  return path.length === length || path[length] === '/';
}
