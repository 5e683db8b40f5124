import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress, restrictionOfAddress } from '@flotilla/translate';
import ipaddr from 'ipaddr.js';

/** Throws for an address to which the channels of projects may not send. */
export type AddressGuard = (address: string, port: number) => void;

export class RefusedAddress extends Error {
  readonly reason: string;

  constructor(address: string, reason: string) {
    super(`${address} ${reason}`);
    this.reason = reason;
  }
}

/**
 * Public addresses are allowed, and the listed private networks. Addresses that reveal the identity of the host, and admin
 * endpoints, are never allowed: the same rules as for addresses in the documents of a project.
 */
export function createAddressGuard(allowedNetworks: readonly string[]): AddressGuard {
  const networks = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  return (address, port) => {
    const restriction = restrictionOfAddress(address, port);
    if (restriction) throw new RefusedAddress(address, restriction.reason);
    const parsed = ipaddr.process(address);
    const isAllowed = networks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
    if (!isAllowed && !isPublicAddress(address))
      throw new RefusedAddress(
        address,
        'is not public, and the owners of the installation have not allowed its network',
      );
  };
}

/** The host of a URL without the brackets of an IPv6 address, and its port. */
export function placeOf(url: URL): { host: string; port: number } {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)) };
}

/** Throws for a URL whose host is an address that the guard refuses. A name is checked when it is resolved. */
export function requireLiteral(url: URL, guard: AddressGuard): void {
  requireHost(placeOf(url), guard);
}

/** The same for a host and a port. */
export function requireHost(
  { host, port }: { readonly host: string; readonly port: number },
  guard: AddressGuard,
): void {
  if (isIP(host)) guard(host, port);
  else if (restrictionOfAddress(host, port))
    throw new RefusedAddress(host, restrictionOfAddress(host, port)?.reason ?? '');
}

/**
 * Resolves a name for one connection. The connection uses the address that was checked, so a name that resolves to another one
 * later gains nothing. One refused address refuses the name.
 */
export function createGuardedLookup(guard: AddressGuard, port: number): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      try {
        for (const { address } of addresses) guard(address, port);
      } catch (refused) {
        return callback(refused as Error, '');
      }
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      if (!first) return callback(new Error(`${hostname} has no address`), '');
      callback(null, first.address, first.family);
    });
  };
}
