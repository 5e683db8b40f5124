import { fail } from '@flotilla/contract';
import { errors, jwtVerify, SignJWT } from 'jose';

export const ACCESS_TOKEN_S = 15 * 60;
export const SESSION_S = 30 * 24 * 3600;

/** What a token is good for: requests as the bearer, new access tokens, or the cookie of a browser. None is taken for another. */
export type TokenUse = 'access' | 'refresh' | 'browser';

/** What a session's token says: whose it is, which session it belongs to, and what it may be used for. */
export interface TokenClaims {
  readonly userId: string;
  readonly sessionId: string;
  readonly use: TokenUse;
}

/** Signs and reads session tokens (JWT, HS256). The `use` claim keeps an access token from being a refresh token. */
export class TokenSigner {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  sign(claims: TokenClaims, now: Date, lifetimeS: number): Promise<string> {
    const issuedAt = Math.floor(now.getTime() / 1000);
    return new SignJWT({ sid: claims.sessionId, use: claims.use })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer('flotilla')
      .setSubject(claims.userId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetimeS)
      .sign(this.#secret);
  }

  /** Throws auth.expired, auth.invalid or, for the wrong kind of token, auth.wrong_kind. */
  async read(token: string, use: TokenUse): Promise<TokenClaims> {
    const { payload } = await jwtVerify(token, this.#secret, {
      algorithms: ['HS256'],
      issuer: 'flotilla',
      requiredClaims: ['sub', 'sid', 'use', 'exp'],
    }).catch((cause: unknown) => {
      throw cause instanceof errors.JWTExpired
        ? fail('auth.expired', {}, { cause })
        : fail('auth.invalid', {}, { cause });
    });
    if (payload.use !== use) throw fail('auth.wrong_kind');
    return { userId: String(payload.sub), sessionId: String(payload.sid), use };
  }
}
