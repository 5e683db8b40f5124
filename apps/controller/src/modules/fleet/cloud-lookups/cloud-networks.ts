import { AVAILABLE_LISTED_MAX, type CloudPort, failCloudLookup, type SubnetAddresses } from '@flotilla/contract';
import { toErrorMessage } from '@flotilla/kit';
import { addPairs, findServedPort, removePairs, type ServedPort } from './address-pairs.ts';
import {
  type ChangedPort,
  changedPortSchema,
  networkSchema,
  portAddressesSchema,
  portSchema,
  type Subnet,
  subnetSchema,
} from './openstack/answers.ts';
import type { Networking } from './openstack/networking.ts';
import { computeUse } from './subnet-addresses.ts';

/** Ids per request: a longer query could exceed the limit of a proxy in front of the cloud. */
const IDS_MAX = 50;

/** Attempts to write a port that others write, too. */
const WRITES_MAX = 5;

export interface AllowedAddresses {
  readonly portId: string;
  readonly added: readonly string[];
}

/** The networks of one cloud project. */
export class CloudNetworks {
  readonly #networking: Networking;
  readonly #cloud: string;

  constructor(networking: Networking, cloud: string) {
    this.#networking = networking;
    this.#cloud = cloud;
  }

  /** The ports of a server with their networks and subnets. */
  async listPorts(server: string): Promise<CloudPort[]> {
    const ports = await this.#networking.list('ports', portSchema, { device_id: server });
    const ids = [...new Set(ports.map(({ network_id: id }) => id))];
    const [networks, subnets] = await Promise.all([
      this.#listOf(ids, (some) => this.#networking.list('networks', networkSchema, { id: some })),
      this.#listOf(ids, (some) => this.#networking.list('subnets', subnetSchema, { network_id: some })),
    ]);
    const networkOf = new Map(networks.map((network) => [network.id, network]));
    const subnetsOf = Map.groupBy(subnets, ({ network_id: id }) => id);
    return ports.map((port) => {
      const network = networkOf.get(port.network_id);
      const details = network && { ...network, subnets: (subnetsOf.get(network.id) ?? []).map(toSubnetView) };
      return { ...port, network_details: details ?? null };
    });
  }

  /** The free and the used addresses of a subnet. Throws cloud.subnet. */
  async readAddresses(subnetId: string): Promise<SubnetAddresses> {
    const [subnet] = await this.#networking.list('subnets', subnetSchema, { id: subnetId });
    if (!subnet) throw failCloudLookup('cloud.subnet', { cloud: this.#cloud, subnet: subnetId });
    const { network_id: networkId } = subnet;
    const [[network], ports] = await Promise.all([
      this.#networking.list('networks', networkSchema, { id: networkId }),
      this.#networking.list('ports', portAddressesSchema, {
        network_id: networkId,
        fields: ['id', 'fixed_ips', 'allowed_address_pairs'],
      }),
    ]);
    const used = ports.flatMap(({ fixed_ips: fixed, allowed_address_pairs: pairs }) => [
      ...fixed.map(({ ip_address: address }) => address),
      // A pair may name a whole network; that says nothing about single addresses.
      ...pairs.map(({ ip_address: address }) => address).filter((address) => !address.includes('/')),
    ]);
    const { available, totalAvailable, used: inUse } = this.#compute(subnet, used);
    return {
      subnet_id: subnet.id,
      subnet_name: subnet.name,
      network_id: networkId,
      network_name: network?.name ?? '',
      cidr: subnet.cidr,
      gateway_ip: subnet.gateway_ip,
      available_ips: [...available],
      used_ips: [...inUse],
      total_available: totalAvailable,
      total_used: inUse.length,
    };
  }

  /**
   * Lets a port of a server use these addresses besides its own. Returns the port and the addresses that it could not use before.
   * Throws cloud.port, and cloud.busy if others change the port all the time.
   */
  async allowAddresses(port: ServedPort, addresses: readonly string[]): Promise<AllowedAddresses> {
    const before = await this.#changePairs(port, (one) => addPairs(one, addresses));
    const named = port.portId ?? (port.ownAddress ? `with the address ${port.ownAddress}` : 'with a known address');
    if (!before) throw failCloudLookup('cloud.port', { cloud: this.#cloud, port: named, server: port.server });
    const added = addPairs(before, addresses)?.slice(before.allowed_address_pairs.length) ?? [];
    return { portId: before.id, added: added.map(({ ip_address: address }) => address) };
  }

  /** Removes what `allowAddresses` has added. A port that is gone uses nothing. Throws cloud.busy. */
  async removeAddresses(port: ServedPort, addresses: readonly string[]): Promise<void> {
    await this.#changePairs(port, (one) => removePairs(one, addresses));
  }

  /** Returns the port as it was before the change. Undefined: the credential sees no such port. */
  async #changePairs(
    port: ServedPort,
    change: (port: ChangedPort) => ChangedPort['allowed_address_pairs'] | undefined,
  ): Promise<ChangedPort | undefined> {
    for (let tries = 0; tries < WRITES_MAX; tries += 1) {
      const ports = await this.#networking.list('ports', changedPortSchema, { device_id: port.server });
      const found = findServedPort(ports, port);
      const pairs = found && change(found);
      if (!found || !pairs || (await this.#networking.replacePairs(found, pairs))) return found;
    }
    throw failCloudLookup('cloud.busy', { cloud: this.#cloud, port: port.portId ?? port.server });
  }

  #compute({ cidr, gateway_ip: gateway, allocation_pools: pools }: Subnet, used: readonly string[]) {
    try {
      return computeUse({ cidr, gateway, pools, used }, AVAILABLE_LISTED_MAX);
    } catch (error) {
      throw failCloudLookup(
        'cloud.invalid_answer',
        { cloud: this.#cloud, reason: toErrorMessage(error) },
        { cause: error },
      );
    }
  }

  async #listOf<T>(ids: readonly string[], list: (some: readonly string[]) => Promise<T[]>): Promise<T[]> {
    const found: T[] = [];
    for (let start = 0; start < ids.length; start += IDS_MAX)
      found.push(...(await list(ids.slice(start, start + IDS_MAX))));
    return found;
  }
}

function toSubnetView({ network_id: _, ...subnet }: Subnet) {
  return subnet;
}
