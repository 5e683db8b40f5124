import { Buffer } from 'node:buffer';
import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Nothing else gets the refresh token to see. */
const REFRESH_PATH = '/auth/browser';

export interface SessionCookie {
  readonly token: string;
  readonly refreshToken: string;
  readonly maxAgeS: number;
}

/**
 * Over https the name carries the `__Host-` prefix: browsers take such a cookie from this very host alone, over https,
 * so that neither a neighbour's subdomain nor a plain-http answer can plant one (RFC 6265bis, section 4.1.3.2).
 */
function nameOf(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Host-flotilla_session' : 'flotilla_session';
}

/** No `__Host-` here, which takes the path `/` alone: see `readSessionId` for what a planted one is worth. */
function refreshNameOf(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Secure-flotilla_refresh' : 'flotilla_refresh';
}

export function readRefreshCookie(request: FastifyRequest): string | undefined {
  return request.cookies[refreshNameOf(request)] || undefined;
}

/**
 * The session that the browser's own cookie names, without a look at signature or age: only what a neighbour's subdomain
 * cannot plant may say whose refresh token is taken, or it could put its own session into this browser.
 */
export function readSessionId(request: FastifyRequest): string | undefined {
  try {
    const [, payload = ''] = readSessionCookie(request)?.split('.') ?? [];
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (typeof claims === 'object' && claims !== null && 'sid' in claims) return String(claims.sid);
  } catch {
    // Not one of our cookies, so of no session.
  }
  return undefined;
}

export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[nameOf(request)] || undefined;
}

/** Null takes the cookie away. */
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
