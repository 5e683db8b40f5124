import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface SessionCookie {
  readonly token: string;
  readonly maxAgeS: number;
}

/**
 * Over https the name carries the `__Host-` prefix: browsers take such a cookie from this very host alone, over https,
 * so that neither a neighbour's subdomain nor a plain-http answer can plant one (RFC 6265bis, section 4.1.3.2).
 */
function nameOf(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Host-flotilla_session' : 'flotilla_session';
}

export function readSessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[nameOf(request)] || undefined;
}

/** Null takes the cookie away. */
export function writeSessionCookie(request: FastifyRequest, reply: FastifyReply, cookie: SessionCookie | null): void {
  reply.setCookie(nameOf(request), cookie?.token ?? '', {
    httpOnly: true,
    sameSite: 'strict',
    path: '/',
    secure: request.protocol === 'https',
    maxAge: cookie?.maxAgeS ?? 0,
  });
}
