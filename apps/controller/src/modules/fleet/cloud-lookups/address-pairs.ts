import ipaddr from 'ipaddr.js';
import type { ChangedPort } from './openstack/answers.ts';

/** The port of a server on which addresses are served. */
export interface ServedPort {
  readonly server: string;
  /** The chosen port. Undefined: the one with the address of the server. */
  readonly portId: string | undefined;
  readonly ownAddress: string | undefined;
}

/** The port among those of the server. A chosen one has to be a port of the server: a project may have others. */
export function findServedPort(
  ports: readonly ChangedPort[],
  { server, portId, ownAddress }: ServedPort,
): ChangedPort | undefined {
  const own = ports.filter(({ device_id: device }) => device.toLowerCase() === server.toLowerCase());
  if (portId !== undefined) return own.find(({ id }) => id.toLowerCase() === portId.toLowerCase());
  return own.find(({ fixed_ips: fixed }) => fixed.some(({ ip_address: address }) => address === ownAddress));
}

/** The pairs with those that the addresses lack; undefined if they lack none. Pairs of others stay as they are. */
export function addPairs(
  { allowed_address_pairs: pairs, mac_address: mac, fixed_ips: fixed }: ChangedPort,
  addresses: readonly string[],
): ChangedPort['allowed_address_pairs'] | undefined {
  // Neutron compares pairs by both parts. A pair without a MAC address is one of the port's own.
  const ours = pairs.filter((pair) => (pair.mac_address ?? mac).toLowerCase() === mac.toLowerCase());
  const isAllowed = (address: string) =>
    fixed.some(({ ip_address: own }) => own === address) || ours.some((pair) => covers(pair.ip_address, address));
  const missing = [...new Set(addresses)].filter((address) => !isAllowed(address));
  return missing.length === 0 ? undefined : [...pairs, ...missing.map((address) => ({ ip_address: address }))];
}

/** The pairs without the addresses; undefined if none of these has one. Networks, and pairs of other MAC addresses, are of others. */
export function removePairs(
  { allowed_address_pairs: pairs, mac_address: mac }: ChangedPort,
  addresses: readonly string[],
): ChangedPort['allowed_address_pairs'] | undefined {
  const isNamed = (pair: string) => !pair.includes('/') && addresses.some((address) => covers(pair, address));
  const kept = pairs.filter(
    (pair) => (pair.mac_address ?? mac).toLowerCase() !== mac.toLowerCase() || !isNamed(pair.ip_address),
  );
  return kept.length === pairs.length ? undefined : kept;
}

/** Whether an address or a network contains the address. A text that cannot be parsed contains nothing. */
function covers(pair: string, address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const wanted = ipaddr.parse(address);
  if (!pair.includes('/')) return ipaddr.isValid(pair) && ipaddr.parse(pair).toString() === wanted.toString();
  if (!ipaddr.isValidCIDR(pair)) return false;
  const [network, bits] = ipaddr.parseCIDR(pair);
  return network.kind() === wanted.kind() && wanted.match(network, bits);
}
