import { Buffer } from 'node:buffer';
import { createHmac, randomUUID } from 'node:crypto';
import { fail } from '@flotilla/contract';
import { isSameSecret } from '@flotilla/kit';
import type { SigningKey, SigningKeys } from './signing-keys.ts';

export const ACCESS_TOKEN_S = 15 * 60;

const ISSUER = 'flotilla';
/** Who takes an access token: requests as the bearer, or the cookie of a browser. None is taken for the other. */
export type Audience = 'flotilla:api' | 'flotilla:browser';
const AUDIENCES: readonly unknown[] = ['flotilla:api', 'flotilla:browser'] satisfies Audience[];

/** What an access token says: whose it is, which session it belongs to, and who takes it. */
export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
  readonly audience: Audience;
}

export interface ReadClaims extends AccessClaims {
  readonly expiresAt: Date;
}

/** Signs and reads access tokens: JWT with HS256 and the type `at+jwt` (RFC 7519, RFC 9068), by the keys of the installation. */
export class AccessTokens {
  readonly #keys: SigningKeys;

  constructor(keys: SigningKeys) {
    this.#keys = keys;
  }

  async sign({ userId, sessionId, audience }: AccessClaims, now: Date): Promise<string> {
    const key = await this.#keys.current();
    const iat = Math.floor(now.getTime() / 1000);
    const payload = { iss: ISSUER, aud: audience, sub: userId, sid: sessionId, jti: randomUUID() };
    const signed = [
      { alg: 'HS256', typ: 'at+jwt', kid: key.kid },
      { ...payload, iat, exp: iat + ACCESS_TOKEN_S },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${signed}.${digest(key, signed).toString('base64url')}`;
  }

  /** Throws auth.expired or auth.invalid. Nothing of a token is believed before its signature is. */
  async read(token: string): Promise<ReadClaims> {
    const [header = '', payload = '', signature = '', ...more] = token.split('.');
    const { alg, typ, kid } = parse(header);
    if (more.length > 0 || alg !== 'HS256' || typ !== 'at+jwt' || typeof kid !== 'string') throw fail('auth.invalid');
    const key = await this.#keys.find(kid);
    const given = Buffer.from(signature, 'base64url');
    const expected = key && digest(key, `${header}.${payload}`);
    if (!expected || !isSameSecret(given, expected)) throw fail('auth.invalid');
    const { iss, aud, sub, sid, exp } = parse(payload);
    if (iss !== ISSUER || !isAudience(aud) || typeof exp !== 'number') throw fail('auth.invalid');
    if (exp * 1000 <= Date.now()) throw fail('auth.expired');
    return { userId: String(sub), sessionId: String(sid), audience: aud, expiresAt: new Date(exp * 1000) };
  }
}

function isAudience(value: unknown): value is Audience {
  return AUDIENCES.includes(value);
}

function digest({ secret }: SigningKey, signed: string): Buffer {
  return createHmac('sha256', secret).update(signed).digest();
}

function parse(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Whoever sent it made it up: an answer like that to a wrong signature.
  }
  throw fail('auth.invalid');
}
