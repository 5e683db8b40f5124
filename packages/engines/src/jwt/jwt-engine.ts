import type { Clock } from '@flotilla/kit';
import { isHeaderText, type JwtOptions, readTokenType } from '@flotilla/policy';
import { GrantMaker } from '../credential-grant.ts';
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

/** A longer subject is no name. It would travel in headers, metadata and events. */
const SUBJECT_MAX_CHARS = 1024;

/** Decisions do not overlap, so one serves all engines of a thread. */
const token = new TokenReader();

/**
 * Authenticates by signed token (RFC 7519, compact form). Tokens whose signature was verified are remembered with their
 * time and their verdict, so that the same token costs a look-up; the answer is at every moment the one that a token
 * seen for the first time would get: its age is asked again each time, and so is the path where it lacks a claim for some. Tokens
 * that are not valid are not remembered. The engine lives as long as its keys:
 * a changed key file is another block, and begins without memory.
 */
export function createJwtEngine(options: JwtOptions, clock: Clock): CompiledEngine {
  const keys = new KeyRing(options);
  const tokens = new VerifiedTokens();
  const rules = options.bindings.map(toClaimRule);
  const ageDetail = `needs an iat of the last ${(options.maxAgeMs ?? 0) / 1000} seconds`;
  const grants = new GrantMaker({
    stripHeaders: options.stripCredential ? [options.header] : [],
    stripQueryParameter: undefined,
    subjectHeader: options.subjectHeader,
  });

  /** What a token says once it is verified; undefined for one that is not valid now, nor will be. */
  function verifyToken(value: string, now: number): VerifiedToken | undefined {
    if (!token.read(value)) return undefined;
    const recalled = keys.recall(token.header);
    const verify = recalled ?? keys.select(token.decodeHeader());
    if (verify === undefined) return undefined;
    const claims = token.decodeClaims();
    const validity = claims && readValidity(claims, options.leewayMs);
    if (claims === undefined || validity === undefined) return undefined;
    // The signature comes last: it costs more than everything before, and no answer tells which of them failed.
    if (now >= validity.untilMs || !isAcceptable(claims)) return undefined;
    const signature = token.decodeSignature();
    if (signature === undefined || !verify(token.signed, signature)) return undefined;
    if (recalled === undefined) keys.remember(token.header, verify);
    const subject = typeof claims.sub === 'string' && claims.sub !== '' ? { subject: claims.sub } : {};
    return {
      value,
      verdict: judgeClaims(claims, subject),
      subject,
      unmet: rules.length === 0 ? rules : rules.filter((rule) => !rule.isMetBy(claims)),
      youngUntilMs: readYoungUntilMs(claims, options),
      fromMs: validity.fromMs,
      untilMs: validity.untilMs,
    };
  }

  /** Of the token that was read last. */
  function hasWantedType(): boolean {
    if (options.type === '') return true;
    const typ = token.decodeHeader()?.typ;
    return typeof typ === 'string' && readTokenType(typ) === options.type;
  }

  function isAcceptable({ iss, aud, sub = '' }: JsonObject): boolean {
    if (options.issuer !== '' && iss !== options.issuer) return false;
    if (options.audience !== '' && !isForAudience(aud, options.audience)) return false;
    if (typeof sub !== 'string' || sub.length > SUBJECT_MAX_CHARS || !sub.isWellFormed()) return false;
    // A subject that a header cannot carry as it is would reach the upstream as another.
    return options.subjectHeader === '' || sub === '' || isHeaderText(sub);
  }

  /** Of the token that was read last: what depends neither on the time nor on the request. */
  function judgeClaims(claims: JsonObject, named: VerifiedToken['subject']): Verdict {
    if (!hasWantedType()) return { ...TYPE, ...named, detail: `needs the type ${options.type}` };
    const missing = options.requiredClaims.find((name) => !hasClaim(claims, name));
    if (missing !== undefined) return { ...MISSING_CLAIM, ...named, detail: `needs the claim ${missing}` };
    const grant = grants.make(named.subject ?? '');
    return grant === undefined ? ALLOW : { kind: 'allow', grant };
  }

  /** Of a token that is valid now. */
  function judge({ verdict, subject, unmet, youngUntilMs }: VerifiedToken, now: number, request: RequestView): Verdict {
    if (now > youngUntilMs) return { ...AGE, ...subject, detail: ageDetail };
    if (verdict.kind === 'block' || unmet.length === 0) return verdict;
    // Reading a path costs more than all else here.
    const { paths } = request;
    for (const rule of unmet) if (rule.paths.covers(paths)) return { ...SCOPE, ...subject, detail: rule.detail };
    return verdict;
  }

  return {
    name: 'jwt',
    decide(request) {
      const lines = request.header(options.header);
      const value = lines[0] ?? '';
      // Several lines count when they agree: otherwise another program may believe another one.
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
      return now < verified.fromMs ? INVALID : judge(verified, now, request);
    },
    body: undefined,
    withheld: grants.withheld,
    limiter: undefined,
  };
}
