import { configFileSchema, type HaConfig, HEARTBEAT_PORT } from '@flotilla/ha';
import { err, ok, type Result } from '@flotilla/kit';
import { deriveServiceKey, type fleet } from '@flotilla/proto';
import { parseIpPrefix } from '@flotilla/proto/commands';
import type { Link } from '../network/types.ts';
import { chooseInterface } from './choose-interface.ts';

/** How long a member that has just started waits for its peer before it serves alone. */
const BOOT_WAIT_MS = 30_000;

export interface ConfigSources {
  readonly pair: fleet.HaPair;
  /** The services that this host should run. */
  readonly services: readonly fleet.DesiredService[];
  readonly links: readonly Link[];
  /** The configuration in use. An address keeps its interface as long as that exists. */
  readonly current: HaConfig | undefined;
  readonly runner: 'supervisor' | 'systemd';
}

export interface DerivedConfig {
  readonly config: HaConfig;
  /** Addresses that are left out, because no interface is there for them. */
  readonly homeless: readonly string[];
}

/** Returns the configuration of the daemon, or says why there can be none. */
export function toConfig(sources: ConfigSources): Result<DerivedConfig, string> {
  const { pair } = sources;
  const { addresses, homeless } = placeAddresses(sources);
  const parsed = configFileSchema.safeParse({
    pair_id: pair.pairId,
    config_rev: Number(pair.configRev),
    slot: pair.slot,
    priority: pair.priority,
    has_peer: pair.hasPeer,
    preempt: pair.preempt,
    hb: { port: HEARTBEAT_PORT, interval_ms: pair.intervalMs, misses: pair.misses },
    paths: listPaths(pair),
    keys: pair.keys.map(({ id, secret }) => ({ id, secret: Buffer.from(secret).toString('base64') })),
    send_key: pair.sendKey,
    fence_targets: pair.fenceTargets,
    next_hops: pair.nextHops,
    addresses,
    boot_wait_ms: BOOT_WAIT_MS,
  });
  if (parsed.success) return ok({ config: parsed.data, homeless });
  const [issue] = parsed.error.issues;
  // The path and the rule only: a value may be a secret.
  return err(`${issue?.path.join('.') || 'the pair'}: ${issue?.message}`);
}

/** Two paths between the same addresses would be one. */
function listPaths({ hasPeer, paths }: fleet.HaPair): HaConfig['paths'] {
  if (!hasPeer) return [];
  const seen = new Set<string>();
  return paths.flatMap(({ network, local, peer }) => {
    const ends = `${local} ${peer}`;
    if (local === '' || peer === '' || seen.has(ends)) return [];
    seen.add(ends);
    return [{ network: network as 'data' | 'mgmt', local, peer }];
  });
}

/** In the order of the pair. Two services may have one address; the first one counts. */
function placeAddresses({ pair, services, links, current, runner }: ConfigSources) {
  const shared = new Set(pair.addresses.map(({ address }) => parseIpPrefix(address)?.address ?? address));
  const dataAddress = pair.paths.find(({ network }) => network === 'data')?.local;
  const names = new Set(links.map(({ name }) => name));
  const homeless: string[] = [];
  const addresses = new Map<string, HaConfig['addresses'][number]>();
  for (const { address, serviceId } of pair.addresses) {
    const kept = current?.addresses.find((one) => one.address === address)?.interface;
    const isKept = kept !== undefined && names.has(kept);
    const name = isKept ? kept : chooseInterface(address, { links, shared, dataAddress });
    if (name === undefined) homeless.push(address);
    if (name === undefined || addresses.has(address)) continue;
    const service = describeService(serviceId, services, runner);
    addresses.set(address, { address, interface: name, ...(service && { service }) });
  }
  return { addresses: [...addresses.values()], homeless };
}

/** For the reports of the daemon. The number of a unit grows with each replacement of Envoy, so that the pattern is named. */
function describeService(
  id: string,
  services: readonly fleet.DesiredService[],
  runner: ConfigSources['runner'],
): HaConfig['addresses'][number]['service'] {
  if (id === '') return undefined;
  const service = services.find(({ serviceId }) => serviceId === id);
  if (!service) return { id, name: '', admin_port: null, unit: null };
  const key = deriveServiceKey(id);
  const unit = runner === 'systemd' ? `flotilla-${key}-envoy-*.service` : `${key}/envoy-*`;
  return { id, name: service.name, admin_port: service.adminPort || null, unit };
}
