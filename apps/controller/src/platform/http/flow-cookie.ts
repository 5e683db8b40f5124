import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface FlowCookie {
  readonly value: string;
  readonly maxAgeS: number;
}

/**
 * A sign-in at a provider returns from another site, and browsers send no `Strict` cookie with that, so it is `Lax`.
 * The prefix prevents another subdomain from planting a cookie with its own sign-in.
 */
function nameOf(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Host-flotilla_sign_in' : 'flotilla_sign_in';
}

export function readFlowCookie(request: FastifyRequest): string | undefined {
  return request.cookies[nameOf(request)] || undefined;
}

/** null deletes the cookie. */
export function writeFlowCookie(request: FastifyRequest, reply: FastifyReply, cookie: FlowCookie | null): void {
  reply.setCookie(nameOf(request), cookie?.value ?? '', {
    httpOnly: true,
    sameSite: 'lax',
    secure: request.protocol === 'https',
    maxAge: cookie?.maxAgeS ?? 0,
    path: '/',
  });
}
