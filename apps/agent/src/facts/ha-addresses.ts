import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { err, ok, type Result } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { isInNetwork, parseIpPrefix, toNetwork } from '@flotilla/proto/commands';
import { readDefaultRoutes, readLinks, readSource } from '../network/read-state.ts';
import type { Link, Route } from '../network/types.ts';

export interface HaAddressSources {
  /** Put before each program that reads the network; nothing by default. */
  readonly prefix?: readonly string[];
  /** Name or address of the controller. Undefined: the agent has none. */
  readonly controller: string | undefined;
  /** Addresses that the operator has named. */
  readonly named?: { readonly data?: string | undefined; readonly mgmt?: string | undefined };
  /** Addresses that this host shares with a peer. */
  readonly shared?: () => readonly string[];
}

interface Own {
  readonly link: string;
  readonly address: string;
  readonly length: number;
}

/** Networks whose addresses lead to no other host of the fleet. */
const UNUSABLE = ['127.0.0.0/8', '169.254.0.0/16'].flatMap((text) => parseIpPrefix(text) ?? []);
const LOOKUP_MS = 5_000;

/**
 * Finds the addresses for the heartbeats of a pair. The data address is the first one of the interface with the default route (the one
 * with the lowest metric counts, then the first name), or the only one of the host if there is no default route. The management address
 * is the one from which this host reaches the controller. The error explains to people what is missing.
 */
export async function findHaAddresses(sources: HaAddressSources): Promise<Result<fleet.HaFacts, string>> {
  const { prefix = [], controller, named = {}, shared = () => [] } = sources;
  const [links, routes] = await Promise.all([readLinks({ prefix }), readDefaultRoutes({ prefix })]);
  if (!links.ok) return err(links.error.message);
  if (!routes.ok) return err(routes.error.message);
  const own = listOwn(links.value, new Set(shared()));
  const data = named.data === undefined ? chooseData(own, routes.value) : findNamed(own, named.data);
  if (!data.ok) return data;
  const mgmt = named.mgmt ?? (controller && (await findSource({ prefix }, controller)));
  const isOwn = own.some(({ address }) => address === mgmt);
  if (named.mgmt !== undefined && !isOwn) return err(`This host does not have the management address ${named.mgmt}.`);
  const { address, length } = data.value;
  return ok(
    create(fleet.HaFactsSchema, {
      dataAddress: address,
      dataPrefix: `${toNetwork({ family: 4, address, length }).address}/${length}`,
      mgmtAddress: isOwn ? mgmt : '',
    }),
  );
}

/** In the order of the kernel, in which the first address of an interface is its own one. */
function listOwn(links: readonly Link[], shared: ReadonlySet<string>): Own[] {
  return links
    .filter(({ isLoopback }) => !isLoopback)
    .flatMap(({ name, addresses }) =>
      addresses.flatMap((one): Own[] => {
        const prefix = parseIpPrefix(one.address);
        const isUsable =
          prefix?.family === 4 &&
          !one.isDuplicate &&
          !shared.has(prefix.address) &&
          !UNUSABLE.some((network) => isInNetwork(prefix.address, network));
        return isUsable ? [{ link: name, address: prefix.address, length: prefix.length }] : [];
      }),
    );
}

function chooseData(own: readonly Own[], routes: readonly Route[]): Result<Own, string> {
  if (own.length === 0) return err('This host has no usable IPv4 address.');
  const defaults = routes
    .flatMap(({ metric, source, hops }) => hops.map(({ dev = '' }) => ({ metric, source, dev })))
    .toSorted((a, b) => a.metric - b.metric || (a.dev < b.dev ? -1 : 1));
  for (const { dev, source } of defaults) {
    const ofLink = own.filter(({ link }) => link === dev);
    const found = ofLink.find(({ address }) => address === source) ?? ofLink[0];
    if (found) return ok(found);
  }
  const [only, ...others] = own;
  if (only && others.length === 0) return ok(only);
  const all = own.map(({ address }) => address).join(', ');
  return err(`This host has several IPv4 addresses (${all}) and no default route: name one with --ha-data-address.`);
}

function findNamed(own: readonly Own[], address: string): Result<Own, string> {
  const found = own.find((one) => one.address === address);
  return found ? ok(found) : err(`This host does not have the data address ${address}.`);
}

/** Undefined: the controller is reached otherwise than over IPv4, or there is no way to it now. */
async function findSource(settings: { readonly prefix: readonly string[] }, controller: string) {
  const [destination] = isIPv4(controller) ? [controller] : await lookUp(controller);
  return destination === undefined ? undefined : readSource(settings, destination);
}

/** Sorted, because a name server may answer in any order. */
async function lookUp(name: string): Promise<string[]> {
  const timeout = Promise.withResolvers<never[]>();
  const timer = setTimeout(() => timeout.resolve([]), LOOKUP_MS);
  const found = lookup(name, { family: 4, all: true }).catch(() => []);
  try {
    return (await Promise.race([found, timeout.promise])).map(({ address }) => address).toSorted();
  } finally {
    clearTimeout(timer);
  }
}
