import { failIdentity } from '@flotilla/contract';
import type { FastifyRequest } from 'fastify';
import type { Actor, Authenticator } from './actor.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * Refuses what a page of somebody else's may have made a browser send. Browsers add cookies by themselves, but never an
 * Authorization header, and both headers looked at here are out of a page's reach (Fetch Metadata, RFC 6454). Signing in
 * is looked at too: a stranger's page must not sign people in as somebody else.
 */
export function refuseForgery(request: FastifyRequest, actor: Actor, authenticator: Authenticator): void {
  if (SAFE_METHODS.has(request.method) || request.headers.authorization !== undefined) return;
  requireOwnPage(request);
  // A page that has to refresh may have been loaded without a session, and so without its CSRF token.
  if (actor.kind === 'user' && actor.refresh) return;
  if (actor.kind === 'user' && !authenticator.isCsrfTokenOf(actor.sessionId, request.headers['x-csrf-token']))
    throw failIdentity('csrf.invalid');
}

/** Programs send neither header. `same-site` is another port or subdomain, so somebody else. */
function requireOwnPage(request: FastifyRequest): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  const own = hostOf(`${request.protocol}://${request.host}`);
  const isOwnOrigin = origin === undefined || (own !== undefined && hostOf(origin) === own);
  if (!isOwnSite || !isOwnOrigin)
    throw failIdentity('csrf.cross_site', { site: (origin ?? String(site)).slice(0, 256), host: request.host });
}

/** Without a default port, which some name and others leave out. Undefined for `null`, what a sandboxed page sends. */
function hostOf(origin: string): string | undefined {
  return URL.parse(origin)?.host.replace(/:(?:80|443)$/, '') || undefined;
}
