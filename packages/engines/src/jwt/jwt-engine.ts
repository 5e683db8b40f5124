import type { Clock } from '@flotilla/kit';
import { isHeaderText, type JwtOptions } from '@flotilla/policy';
import { createGrant } from '../credential-grant.ts';
import { ALLOW, type BlockReason, type BlockVerdict, type CompiledEngine, type Verdict } from '../engine.ts';
import { hasClaim, isForAudience, readValidity } from './claims.ts';
import { KeyRing } from './key-ring.ts';
import { cutScheme, decodeBase64url, decodeObject, type JsonObject, splitToken, TOKEN_MAX_CHARS } from './token.ts';
import { type VerifiedToken, VerifiedTokens } from './verified-tokens.ts';

const MISSING: BlockVerdict = { kind: 'block', reason: 'jwt.missing', severity: 'high', status: 403 };
const INVALID: BlockVerdict = { ...MISSING, reason: 'jwt.invalid' };
const MISSING_CLAIM: BlockVerdict = { ...MISSING, reason: 'jwt.missing_claim' };

export const JWT_REASONS: readonly BlockReason[] = [MISSING, INVALID, MISSING_CLAIM];

/** A longer subject is no name. It would travel in headers, metadata and events. */
const SUBJECT_MAX_CHARS = 1024;

/**
 * Authenticates by signed token (RFC 7519, compact form). Tokens whose signature was verified are remembered with their
 * time and their verdict, so that the same token costs a look-up; the answer is at every moment the one that a token
 * seen for the first time would get. Tokens that were refused are not remembered. The engine lives as long as its keys:
 * a changed key file is another block, and begins without memory.
 */
export function createJwtEngine(options: JwtOptions, clock: Clock): CompiledEngine {
  const keys = new KeyRing(options);
  const tokens = new VerifiedTokens();
  const handling = {
    stripHeaders: options.stripCredential ? [options.header] : [],
    stripQueryParameter: undefined,
    subjectHeader: options.subjectHeader,
  };
  const withheld = createGrant(handling, '');

  /** What a token says once it is verified, whatever the time; undefined for one that is not valid at any. */
  function verifyToken(token: string): VerifiedToken | undefined {
    const parts = splitToken(token);
    if (parts === undefined) return undefined;
    const verify = keys.find(parts.header);
    const claims = verify === undefined ? undefined : decodeObject(parts.claims);
    const validity = claims === undefined ? undefined : readValidity(claims, options.leewayMs);
    if (verify === undefined || claims === undefined || validity === undefined) return undefined;
    // The signature comes last: it costs more than everything before, and no answer tells which of them failed.
    if (!isAcceptable(claims) || clock.now() >= validity.untilMs) return undefined;
    const signature = decodeBase64url(parts.signature);
    if (signature === undefined || !verify(parts.signed, signature)) return undefined;
    return { verdict: judgeClaims(claims), fromMs: validity.fromMs, untilMs: validity.untilMs };
  }

  function isAcceptable({ iss, aud, sub = '' }: JsonObject): boolean {
    if (options.issuer !== '' && iss !== options.issuer) return false;
    if (options.audience !== '' && !isForAudience(aud, options.audience)) return false;
    if (typeof sub !== 'string' || sub.length > SUBJECT_MAX_CHARS || !sub.isWellFormed()) return false;
    // A subject that a header cannot carry as it is would reach the upstream as another.
    return options.subjectHeader === '' || sub === '' || isHeaderText(sub);
  }

  function judgeClaims(claims: JsonObject): Verdict {
    const subject = typeof claims.sub === 'string' ? claims.sub : '';
    if (!options.requiredClaims.every((name) => hasClaim(claims, name))) {
      return subject === '' ? MISSING_CLAIM : { ...MISSING_CLAIM, subject };
    }
    const grant = createGrant(handling, subject);
    return grant === undefined ? ALLOW : { kind: 'allow', grant };
  }

  return {
    name: 'jwt',
    ...(withheld === undefined ? {} : { withheld }),
    decide(request) {
      const lines = request.header(options.header);
      const value = lines[0] ?? '';
      // Several lines count when they agree: otherwise another program may believe another one.
      for (let n = 1; n < lines.length; n++) if (lines[n] !== value) return INVALID;
      if (value === '') return MISSING;
      const token = cutScheme(value);
      if (token.length > TOKEN_MAX_CHARS) return INVALID;
      const known = tokens.get(token);
      const verified = known ?? verifyToken(token);
      if (verified === undefined) return INVALID;
      if (known === undefined) tokens.add(token, verified);
      const now = clock.now();
      if (now >= verified.untilMs) {
        tokens.delete(token);
        return INVALID;
      }
      return now < verified.fromMs ? INVALID : verified.verdict;
    },
  };
}
