import { Buffer } from 'node:buffer';
import { createHmac, randomUUID } from 'node:crypto';
import { fail } from '@flotilla/contract';
import { isSameSecret } from '@flotilla/kit';
import { ACCESS_TOKEN_S } from './access-token-life.ts';
import type { SigningKey, SigningKeys } from './signing-keys.ts';

const ISSUER = 'flotilla';
/** The purpose of an access token: bearer requests, or the cookie of a browser. One is never accepted for the other. */
export type Audience = 'flotilla:api' | 'flotilla:browser';
const AUDIENCES: readonly unknown[] = ['flotilla:api', 'flotilla:browser'] satisfies Audience[];

/** The content of an access token: user, session and purpose. */
export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
  readonly audience: Audience;
}

export interface ReadClaims extends AccessClaims {
  readonly expiresAt: Date;
}

/** Signs and verifies access tokens: JWT with HS256 and the type `at+jwt` (RFC 7519, RFC 9068). */
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

  /** Throws auth.expired or auth.invalid. Verifies the signature before it uses anything else. */
  async read(token: string): Promise<ReadClaims> {
    const [header = '', payload = '', signature = '', ...more] = token.split('.');
    const { alg, typ, kid } = parse(header);
    if (more.length > 0 || alg !== 'HS256' || typ !== 'at+jwt' || typeof kid !== 'string') throw fail('auth.invalid');
    const key = await this.#keys.find(kid);
    // Compared as text: a decoder accepts several spellings of the same bytes (padding, other alphabets, spare bits),
    // but we produce only one.
    const expected = key && digest(key, `${header}.${payload}`).toString('base64url');
    if (expected === undefined || !isSameSecret(signature, expected)) throw fail('auth.invalid');
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
    // A made-up token gets the same answer as a wrong signature.
  }
  throw fail('auth.invalid');
}
