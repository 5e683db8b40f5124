import { Buffer } from 'node:buffer';
import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Only these routes receive the refresh token. */
const REFRESH_PATH = '/auth/browser';

export interface SessionCookie {
  readonly token: string;
  readonly refreshToken: string;
  readonly maxAgeS: number;
}

/**
 * Over https the name has the `__Host-` prefix: browsers accept such a cookie only from this exact host over https, so
 * that neither another subdomain nor a plain-http answer can plant one (RFC 6265bis, section 4.1.3.2).
 */
function nameOf(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Host-flotilla_session' : 'flotilla_session';
}

/** `__Host-` requires the path `/`, so it cannot be used here. `readSessionId` makes a planted cookie harmless. */
function refreshNameOf(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Secure-flotilla_refresh' : 'flotilla_refresh';
}

export function readRefreshCookie(request: FastifyRequest): string | undefined {
  return request.cookies[refreshNameOf(request)] || undefined;
}

/**
 * Reads the session id of the browser's session cookie without checking signature or expiry. Only this cookie, which
 * another subdomain cannot plant, may say whose refresh token is accepted; otherwise a subdomain could plant its own
 * session in this browser.
 */
export function readSessionId(request: FastifyRequest): string | undefined {
  try {
    const [, payload = ''] = readSessionCookie(request)?.split('.') ?? [];
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (typeof claims === 'object' && claims !== null && 'sid' in claims) return String(claims.sid);
  } catch {
    // The cookie is not one of ours.
  }
  return undefined;
}

export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[nameOf(request)] || undefined;
}

/** null deletes the cookie. */
export function writeSessionCookie(request: FastifyRequest, reply: FastifyReply, cookie: SessionCookie | null): void {
  const attributes = {
    httpOnly: true,
    sameSite: 'strict',
    secure: request.protocol === 'https',
    maxAge: cookie?.maxAgeS ?? 0,
  } as const;
  reply.setCookie(nameOf(request), cookie?.token ?? '', { ...attributes, path: '/' });
  reply.setCookie(refreshNameOf(request), cookie?.refreshToken ?? '', { ...attributes, path: REFRESH_PATH });
}
