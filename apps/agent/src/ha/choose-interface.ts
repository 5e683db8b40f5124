import { isInNetwork, parseIpPrefix } from '@flotilla/proto/commands';
import type { Link } from '../network/types.ts';

export interface InterfaceChoice {
  readonly links: readonly Link[];
  /** The shared addresses: their own prefixes name no network. */
  readonly shared: ReadonlySet<string>;
  /** The address for heartbeats on the data network; its interface is the one of addresses that no network contains. */
  readonly dataAddress: string | undefined;
}

/**
 * Returns the interface with the smallest network that contains the address, and otherwise the one with the data address. Of
 * equal networks, the one of the data address counts, then the first name. Undefined: neither is there.
 */
export function chooseInterface(address: string, { links, shared, dataAddress }: InterfaceChoice): string | undefined {
  const candidates = links
    .filter(({ isLoopback }) => !isLoopback)
    .flatMap(({ name, addresses }) => addresses.map((one) => ({ name, ...toOwn(one.address) })))
    .filter((one) => !shared.has(one.own))
    .map((one) => ({ ...one, isData: one.own === dataAddress }));
  const [best] = candidates
    .filter(({ prefix }) => prefix !== undefined && isInNetwork(address, prefix))
    .toSorted(
      (a, b) =>
        (b.prefix?.length ?? 0) - (a.prefix?.length ?? 0) ||
        Number(b.isData) - Number(a.isData) ||
        (a.name < b.name ? -1 : 1),
    );
  return best?.name ?? candidates.find(({ isData }) => isData)?.name;
}

function toOwn(address: string) {
  const prefix = parseIpPrefix(address);
  return { own: prefix?.address ?? '', prefix };
}
