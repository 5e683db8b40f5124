import { arch, cpus, hostname, platform, release, totalmem } from 'node:os';
import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import type { InventoryFacts } from '../../facts/host-inventory.ts';
import type { ServiceHostOptions } from '../types.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export function createHostFacts(
  options: Pick<ServiceHostOptions, 'name' | 'agentVersion' | 'dirs' | 'labels'>,
  found: InventoryFacts,
): fleet.HostFacts {
  return create(fleet.HostFactsSchema, {
    name: options.name ?? hostname(),
    hostname: hostname(),
    os: platform(),
    arch: `${platform()}-${ARCHITECTURES[arch()] ?? arch()}`,
    kernel: release(),
    agentVersion: options.agentVersion ?? '',
    cores: cpus().length,
    memoryBytes: BigInt(totalmem()),
    runtimeDir: options.dirs.runtimeDir,
    dataDir: options.dirs.dataDir,
    labels: { ...options.labels },
    ...found,
    capabilities: [...found.capabilities],
  });
}
