import { hostname } from 'node:os';
import { fail } from '@flotilla/contract';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';

/** Load balancers send any Host with probes, and the answers reveal nothing. */
const PROBES = ['/healthz', '/readyz'];

export interface HostNames {
  /** From `SVC_ALLOWED_HOSTS`: names, or `*.example.com` for every subdomain. */
  readonly allowed: readonly string[];
  /** The configured public URL, as it is now. */
  readonly findPublicUrl: () => string | undefined;
}

/**
 * Refuses requests for an unknown host. Otherwise the owner of a page could point its name at the controller's address
 * (DNS rebinding) and read whatever needs no sign-in from inside the network. Accepts every host if no name is
 * configured. Addresses, `localhost` and single-label names are always accepted, because nobody outside can register
 * one. Only the Host header counts, since a page may send X-Forwarded-Host.
 */
export function refuseUnknownHosts(app: FastifyInstance, names: HostNames): void {
  app.addHook('onRequest', async (request) => {
    const { host } = request.headers;
    if (PROBES.includes(request.routeOptions.url ?? '') || isKnownHost(host, names)) return;
    throw fail('request.host', { host: String(host).slice(0, 256) });
  });
}

/** `host` is the raw header. A request without it does not come from a browser. */
export function isKnownHost(host: string | undefined, { allowed, findPublicUrl }: HostNames): boolean {
  const publicUrl = findPublicUrl();
  if (host === undefined || (publicUrl === undefined && allowed.length === 0)) return true;
  const name = nameOf(host);
  if (name === undefined) return false;
  const isPlain = !name.includes('.') || name.endsWith('.localhost');
  if (isPlain || ipaddr.isValid(name) || name === hostname().toLowerCase()) return true;
  return (
    (publicUrl !== undefined && nameOf(new URL(publicUrl).host) === name) || allowed.some((one) => fits(name, one))
  );
}

function fits(name: string, allowed: string): boolean {
  return allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed;
}

/** Strips the port, brackets and a trailing dot; undefined for an invalid host. */
function nameOf(host: string): string | undefined {
  if (!/^[^/?#@\\\s]+$/.test(host)) return undefined;
  return URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$|\.$/g, '');
}
