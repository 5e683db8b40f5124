import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';

/** Facts of a made-up host, for tests. */
export function hostFacts(more: MessageInitShape<typeof fleet.HostFactsSchema> = {}): fleet.HostFacts {
  return create(fleet.HostFactsSchema, {
    name: 'edge',
    hostname: 'edge-1.example.com',
    os: 'linux',
    arch: 'linux-amd64',
    kernel: '6.1.0',
    agentVersion: '0.1.0',
    provider: 'other',
    cores: 4,
    memoryBytes: 8_000_000_000n,
    runtimeDir: '/run/flotilla',
    dataDir: '/var/lib/flotilla',
    ...more,
  });
}
