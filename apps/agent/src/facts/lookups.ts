import type { ServiceHostOptions } from '../host/types.ts';
import { findCapabilities } from './capabilities.ts';
import { CLOUD_DETECTION_OFF, detectMachine, MACHINE_FILES } from './detect-cloud.ts';
import { findHaAddresses } from './ha-addresses.ts';
import type { Lookups } from './host-inventory.ts';
import { createMetadataClient } from './metadata-client.ts';
import { findBgp } from './routing-suite.ts';

/** Looks at this host. */
export function createLookups({
  shared,
  detectsCloud = false,
  envoyDist,
  modules,
  flotillaCommand,
  frr,
  dirs,
  root,
  ha,
}: Pick<
  ServiceHostOptions,
  'detectsCloud' | 'envoyDist' | 'modules' | 'flotillaCommand' | 'frr' | 'dirs' | 'root' | 'ha'
> & { readonly shared: () => readonly string[] }): Lookups {
  const ask = createMetadataClient();
  const haAddresses = () => findHaAddresses({ controller: ha?.controller, named: ha ?? {}, shared });
  return {
    machine: () => (detectsCloud ? detectMachine({ ...MACHINE_FILES, ask }) : Promise.resolve(CLOUD_DETECTION_OFF)),
    bgp: () => findBgp(),
    ha: haAddresses,
    capabilities: () =>
      findCapabilities({
        envoyDist,
        modules,
        flotillaCommand,
        dataDir: dirs.dataDir,
        haAddresses,
        ...(root !== undefined && { root }),
        machine: `${process.platform}-${process.arch}`,
        ...(frr && { routingPrograms: [frr.vtysh] }),
      }),
  };
}
