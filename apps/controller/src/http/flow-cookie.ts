import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface FlowCookie {
  readonly value: string;
  readonly maxAgeS: number;
}

/**
 * Of a sign-in that goes on at another site and comes back from there, so `Lax`: a browser sends no `Strict` cookie with
 * that. With the prefix no neighbour's subdomain can plant one, and with it a sign-in of its own.
 */
function nameOf(request: FastifyRequest): string {
  return request.protocol === 'https' ? '__Host-flotilla_sign_in' : 'flotilla_sign_in';
}

export function readFlowCookie(request: FastifyRequest): string | undefined {
  return request.cookies[nameOf(request)] || undefined;
}

/** Null takes the cookie away. */
export function writeFlowCookie(request: FastifyRequest, reply: FastifyReply, cookie: FlowCookie | null): void {
  reply.setCookie(nameOf(request), cookie?.value ?? '', {
    httpOnly: true,
    sameSite: 'lax',
    secure: request.protocol === 'https',
    maxAge: cookie?.maxAgeS ?? 0,
    path: '/',
  });
}
