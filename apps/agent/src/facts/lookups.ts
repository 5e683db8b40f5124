import type { ServiceHostOptions } from '../host/types.ts';
import { findCapabilities } from './capabilities.ts';
import { CLOUD_DETECTION_OFF, detectMachine, MACHINE_FILES } from './detect-cloud.ts';
import type { Lookups } from './host-inventory.ts';
import { createMetadataClient } from './metadata-client.ts';
import { findBgp } from './routing-suite.ts';

/** Looks at this host. */
export function createLookups({
  detectsCloud = false,
  envoyDist,
  modules,
  flotillaCommand,
  frr,
  dirs,
  root,
}: Pick<
  ServiceHostOptions,
  'detectsCloud' | 'envoyDist' | 'modules' | 'flotillaCommand' | 'frr' | 'dirs' | 'root'
>): Lookups {
  const ask = createMetadataClient();
  return {
    machine: () => (detectsCloud ? detectMachine({ ...MACHINE_FILES, ask }) : Promise.resolve(CLOUD_DETECTION_OFF)),
    bgp: () => findBgp(),
    capabilities: () =>
      findCapabilities({
        envoyDist,
        modules,
        flotillaCommand,
        dataDir: dirs.dataDir,
        ...(root !== undefined && { root }),
        machine: `${process.platform}-${process.arch}`,
        ...(frr && { routingPrograms: [frr.vtysh] }),
      }),
  };
}
