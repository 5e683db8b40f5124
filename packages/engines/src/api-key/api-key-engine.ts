import type { Clock } from '@flotilla/kit';
import type { ApiKeyEntry, ApiKeyOptions, PathReadings, ScopeBinding } from '@flotilla/policy';
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
import { CredentialBook } from './credential-book.ts';
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
  const credentials = new CredentialBook(
    new Map(options.keys.map((entry) => [entry.sha256, toCredential(entry, grants.make(entry.subject))])),
  );
  const guards = bindings.map(toGuard);
  const [only] = sources.length === 1 ? headers : [];
  const isTimed = options.keys.some((entry) => entry.notBeforeMs !== null || entry.expiresAtMs !== null);

  return {
    name: 'api_key',
    decide(request) {
      const values = only === undefined ? listValues(request, headers, parameter) : request.header(only);
      const first = values[0] ?? '';
      for (let n = 1; n < values.length; n++) if (values[n] !== first) return UNKNOWN;
      if (first === '') return MISSING;
      const credential = credentials.find(first);
      if (credential === undefined) return UNKNOWN;
      if (isTimed) {
        const now = clock.now();
        if (now < credential.notBeforeMs || now >= credential.expiresAtMs) return credential.expired;
      }
      for (const guard of guards) {
        if (!credential.scopes.has(guard.scope) && covers(guard, request.paths)) {
          return { ...credential.lacksScope, detail: guard.detail };
        }
      }
      return credential.allow;
    },
    body: undefined,
    withheld: grants.withheld,
    limiter: undefined,
  };
}

function toCredential(entry: ApiKeyEntry, grant: Grant | undefined): Credential {
  const named = entry.subject === '' ? {} : { subject: entry.subject };
  return {
    scopes: new Set(entry.scopes),
    notBeforeMs: entry.notBeforeMs ?? Number.NEGATIVE_INFINITY,
    expiresAtMs: entry.expiresAtMs ?? Number.POSITIVE_INFINITY,
    allow: grant === undefined ? ALLOW : { kind: 'allow', grant },
    expired: { ...EXPIRED, ...named, detail: describeTime(entry) },
    lacksScope: { ...SCOPE, ...named },
  };
}

function describeTime({ notBeforeMs, expiresAtMs }: ApiKeyEntry): string {
  const from = notBeforeMs === null ? '' : ` from ${new Date(notBeforeMs).toISOString()}`;
  return `the key counts${from}${expiresAtMs === null ? '' : ` until ${new Date(expiresAtMs).toISOString()}`}`;
}

function listValues(request: RequestView, headers: readonly string[], parameter: string | undefined): string[] {
  const values = headers.flatMap((name) => request.header(name));
  if (parameter !== undefined) values.push(...findQueryValues(request.query, parameter));
  return values;
}

/** A binding, ready to be compared. */
interface Guard {
  readonly scope: string;
  readonly detail: string;
  readonly prefixes: readonly string[];
  readonly wholeSegments: boolean;
}

/** Readings of a path come in lower case, too: a prefix with capitals is compared with those in its own lower case. */
function toGuard({ pathPrefix, scope, wholeSegments }: ScopeBinding): Guard {
  const prefix = wholeSegments ? pathPrefix.replace(/\/$/, '') : pathPrefix;
  const prefixes = [...new Set([prefix, prefix.toLowerCase()])];
  return { scope, detail: `needs the scope ${scope}`, prefixes, wholeSegments };
}

/**
 * True where any reading of the path lies under the prefix. With whole segments, a dot ends one as well as a slash: routes of Rails
 * take what stands behind it for a format, and serve `/admin` for `/admin.json`.
 */
function covers({ prefixes, wholeSegments }: Guard, { texts, mayBeAny }: PathReadings): boolean {
  if (mayBeAny) return true;
  for (const path of texts) {
    for (const prefix of prefixes) {
      if (!path.startsWith(prefix)) continue;
      if (!wholeSegments || path.length === prefix.length) return true;
      const next = path[prefix.length];
      if (next === '/' || next === '.') return true;
    }
  }
  return false;
}
