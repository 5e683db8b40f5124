import type { Clock } from '@flotilla/kit';
import { isHeaderText, type JwtOptions, readTokenType } from '@flotilla/policy';
import { GrantBuilder } from '../credential-grant.ts';
import {
  ALLOW,
  type BlockReason,
  type BlockVerdict,
  type CompiledEngine,
  type RequestView,
  type Verdict,
} from '../engine.ts';
import { toClaimRule } from './claim-rules.ts';
import { hasClaim, isForAudience, readValidity, readYoungUntilMs } from './claims.ts';
import { KeyRing } from './key-ring.ts';
import { type JsonObject, TOKEN_MAX_CHARS, TokenReader } from './token.ts';
import { type VerifiedToken, VerifiedTokens } from './verified-tokens.ts';

const MISSING: BlockVerdict = { kind: 'block', reason: 'jwt.missing', severity: 'high', status: 403 };
const INVALID: BlockVerdict = { ...MISSING, reason: 'jwt.invalid' };
const TYPE: BlockVerdict = { ...MISSING, reason: 'jwt.type' };
const AGE: BlockVerdict = { ...MISSING, reason: 'jwt.age' };
const MISSING_CLAIM: BlockVerdict = { ...MISSING, reason: 'jwt.missing_claim' };
const SCOPE: BlockVerdict = { ...MISSING, reason: 'jwt.scope' };

export const JWT_REASONS: readonly BlockReason[] = [MISSING, INVALID, AGE, TYPE, MISSING_CLAIM, SCOPE];

/** Longer subjects are rejected, because they appear in headers, metadata and events. */
const SUBJECT_MAX_CHARS = 1024;

/** Decisions do not overlap, so all engines of a thread share one. */
const token = new TokenReader();

/**
 * Authenticates by signed token (RFC 7519, compact form). Tokens with a verified signature are cached with their
 * validity and verdict, so that the same token costs one lookup. The result is always the same as for a token seen for
 * the first time: age is checked every time, and so is the path if the token lacks a claim that some paths require.
 * Invalid tokens are not cached. The engine lives as long as its keys: a changed key file is another block, with an
 * empty cache.
 */
export function createJwtEngine(options: JwtOptions, clock: Clock): CompiledEngine {
  const keys = new KeyRing(options);
  const tokens = new VerifiedTokens();
  const rules = options.bindings.map(toClaimRule);
  const ageDetail = `needs an iat of the last ${(options.maxAgeMs ?? 0) / 1000} seconds`;
  const grants = createGrants(options);

  /** The content of a verified token; undefined if it is not valid now and never will be. */
  function verifyToken(value: string, now: number): VerifiedToken | undefined {
    if (!token.read(value)) return undefined;
    const recalled = keys.recall(token.header);
    const verify = recalled ?? keys.select(token.decodeHeader());
    if (verify === undefined) return undefined;
    const claims = token.decodeClaims();
    const validity = claims && readValidity(claims, options.leewayMs);
    if (claims === undefined || validity === undefined) return undefined;
    // The signature is checked last because it is the most expensive, and the response does not reveal which check
    // failed.
    if (now >= validity.untilMs || !isAcceptable(options, claims)) return undefined;
    const signature = token.decodeSignature();
    if (signature === undefined || !verify(token.signed, signature)) return undefined;
    if (recalled === undefined) keys.remember(token.header, verify);
    const subject = typeof claims.sub === 'string' && claims.sub !== '' ? { subject: claims.sub } : {};
    return {
      value,
      verdict: judgeClaims({ options, grants }, claims, subject),
      subject,
      unmet: rules.length === 0 ? rules : rules.filter((rule) => !rule.isMetBy(claims)),
      youngUntilMs: readYoungUntilMs(claims, options),
      fromMs: validity.fromMs,
      untilMs: validity.untilMs,
    };
  }
  return {
    name: 'jwt',
    decide(request) {
      const lines = request.header(options.header);
      const value = lines[0] ?? '';
      // Several header lines count only if they agree: otherwise another program may use another one.
      for (let n = 1; n < lines.length; n++) if (lines[n] !== value) return INVALID;
      if (value === '') return MISSING;
      if (value.length > TOKEN_MAX_CHARS) return INVALID;
      const now = clock.now();
      const known = tokens.get(value);
      const verified = known ?? verifyToken(value, now);
      if (verified === undefined) return INVALID;
      if (now >= verified.untilMs) {
        if (known !== undefined) tokens.delete(known);
        return INVALID;
      }
      if (known === undefined) tokens.add(verified);
      if (now < verified.fromMs) return INVALID;
      if (now > verified.youngUntilMs) return { ...AGE, ...verified.subject, detail: ageDetail };
      return judge(verified, request);
    },
    body: undefined,
    withheld: grants.withheld,
    limiter: undefined,
  };
}

function createGrants({ header, stripCredential, subjectHeader }: JwtOptions): GrantBuilder {
  const stripHeaders = stripCredential ? [header] : [];
  return new GrantBuilder({ stripHeaders, stripQueryParameter: undefined, subjectHeader });
}

/** Checks the token that was read last. */
function hasWantedType(options: JwtOptions): boolean {
  if (options.type === '') return true;
  const typ = token.decodeHeader()?.typ;
  return typeof typ === 'string' && readTokenType(typ) === options.type;
}

function isAcceptable(options: JwtOptions, { iss, aud, sub = '' }: JsonObject): boolean {
  if (options.issuer !== '' && iss !== options.issuer) return false;
  if (options.audience !== '' && !isForAudience(aud, options.audience)) return false;
  if (typeof sub !== 'string' || sub.length > SUBJECT_MAX_CHARS || !sub.isWellFormed()) return false;
  // Reject a subject that cannot be sent in a header unchanged: the upstream would get another one.
  return options.subjectHeader === '' || sub === '' || isHeaderText(sub);
}

/** Checks of the last token that depend neither on the time nor on the request. */
function judgeClaims(
  { options, grants }: { readonly options: JwtOptions; readonly grants: GrantBuilder },
  claims: JsonObject,
  named: VerifiedToken['subject'],
): Verdict {
  if (!hasWantedType(options)) return { ...TYPE, ...named, detail: `needs the type ${options.type}` };
  const missing = options.requiredClaims.find((name) => !hasClaim(claims, name));
  if (missing !== undefined) return { ...MISSING_CLAIM, ...named, detail: `needs the claim ${missing}` };
  const grant = grants.make(named.subject ?? '');
  return grant === undefined ? ALLOW : { kind: 'allow', grant };
}

/** The verdict for a token that is valid and young enough now. */
function judge({ verdict, subject, unmet }: VerifiedToken, request: RequestView): Verdict {
  if (verdict.kind === 'block' || unmet.length === 0) return verdict;
  // Deriving the path readings costs more than everything else here.
  const { paths } = request;
  for (const rule of unmet) if (rule.paths.covers(paths)) return { ...SCOPE, ...subject, detail: rule.detail };
  return verdict;
}
