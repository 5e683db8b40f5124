import type { ApiKeyEntry, KeyLimit } from '@flotilla/policy';
import { ALLOW, type BlockVerdict, type Grant, type Verdict } from '../engine.ts';
import { AllowedMethods, type MethodFault } from '../method-overrides/allowed-methods.ts';
import type { KeyLimits } from './key-limits.ts';
import { EXCEEDED, EXPIRED, METHOD, SCOPE } from './verdicts.ts';

/** A configured key with its precomputed verdicts. */
export interface Credential {
  readonly scopes: ReadonlySet<string>;
  readonly notBeforeMs: number;
  readonly expiresAtMs: number;
  /** Undefined if every method is allowed. */
  readonly methods: AllowedMethods | undefined;
  /** Takes a token of the key's own limit; undefined if it has none. */
  readonly take: (() => BlockVerdict | undefined) | undefined;
  readonly allow: Verdict;
  readonly expired: BlockVerdict;
  readonly wrongMethod: Readonly<Record<MethodFault, BlockVerdict>>;
  readonly lacksScope: BlockVerdict;
}

interface CredentialMeans {
  readonly grant: Grant | undefined;
  /** Undefined if no key of the block has a limit. */
  readonly limits: KeyLimits | undefined;
  /** The bucket that counts the key's requests. */
  readonly bucket: string;
}

export function toCredential(entry: ApiKeyEntry, { grant, limits, bucket }: CredentialMeans): Credential {
  const { subject, scopes, methods, limit } = entry;
  const named = subject === '' ? {} : { subject };
  const allowed = `the key may be used for ${methods.join(', ')}`;
  return {
    scopes: new Set(scopes),
    notBeforeMs: entry.notBeforeMs ?? Number.NEGATIVE_INFINITY,
    expiresAtMs: entry.expiresAtMs ?? Number.POSITIVE_INFINITY,
    methods: methods.length === 0 ? undefined : new AllowedMethods(methods),
    take:
      limit === null
        ? undefined
        : limits?.takerOf(bucket, limit, { ...EXCEEDED, ...named, grant, detail: describeLimit(limit) }),
    allow: grant === undefined ? ALLOW : { kind: 'allow', grant },
    expired: { ...EXPIRED, ...named, detail: describeTime(entry) },
    wrongMethod: {
      method: { ...METHOD, ...named, detail: allowed },
      override: { ...METHOD, ...named, detail: `${allowed}; the request overrides its method` },
      unread: { ...METHOD, ...named, detail: `${allowed}; nobody can tell whether the body overrides its method` },
    },
    lacksScope: { ...SCOPE, ...named },
  };
}

function describeTime({ notBeforeMs, expiresAtMs }: ApiKeyEntry): string {
  const from = notBeforeMs === null ? '' : ` from ${new Date(notBeforeMs).toISOString()}`;
  return `the key counts${from}${expiresAtMs === null ? '' : ` until ${new Date(expiresAtMs).toISOString()}`}`;
}

function describeLimit({ rate, burst }: KeyLimit): string {
  return `the key has ${rate} ${rate === 1 ? 'request' : 'requests'} per second, ${burst} at once`;
}
