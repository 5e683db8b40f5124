import { failIdentity } from '@flotilla/contract';
import type { FastifyRequest } from 'fastify';
import type { Actor, Authenticator } from './actor.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * Refuses requests that a foreign page may have made a browser send. Browsers add cookies on their own, but never an
 * Authorization header, and pages cannot set the two headers checked here (Fetch Metadata, RFC 6454). Sign-in is
 * checked too: a foreign page must not sign people in to another account.
 */
export function refuseForgery(request: FastifyRequest, actor: Actor, authenticator: Authenticator): void {
  if (SAFE_METHODS.has(request.method) || request.headers.authorization !== undefined) return;
  requireOwnPage(request);
  // A page that refreshes its session may have been loaded without one, and so without a CSRF token.
  if (actor.kind === 'user' && actor.refresh) return;
  if (actor.kind === 'user' && !authenticator.isCsrfTokenOf(actor.sessionId, request.headers['x-csrf-token']))
    throw failIdentity('csrf.invalid');
}

/** Programs send neither header. `same-site` is another port or subdomain, and so foreign. */
function requireOwnPage(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  const own = hostOf(`${request.protocol}://${request.host}`);
  const isOwnOrigin = origin === undefined || (own !== undefined && hostOf(origin) === own);
  if (!isOwnSite || !isOwnOrigin)
    throw failIdentity('csrf.cross_site', { site: (origin ?? String(site)).slice(0, 256), host: request.host });
}

/** Drops default ports, which only some clients send. undefined for `null`, which sandboxed pages send. */
function hostOf(origin: string): string | undefined {
  return URL.parse(origin)?.host.replace(/:(?:80|443)$/, '') || undefined;
}
