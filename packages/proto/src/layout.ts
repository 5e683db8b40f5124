import { createHash } from 'node:crypto';

/**
 * Where an agent puts what belongs to one service. Controller and agent agree on it: the controller writes these paths
 * into bootstraps and clusters, the agent makes them. Sockets lie under the runtime folder because a Unix socket path
 * ends at 107 bytes; everything else lies under the data folder.
 */
export interface ServiceLayout {
  /** Twelve hex digits: names folders, units and users of this service. */
  readonly key: string;
  readonly runtimeDir: string;
  /** Envoy dials its agent here for ADS. */
  readonly xdsSocket: string;
  /** Envoy dials the filter's first thread here for external processing, the others at the same path and `.1`, `.2` ... */
  readonly shieldSocket: string;
  /** The filter's own admin endpoint (metrics, health, live policy). */
  readonly shieldAdminSocket: string;
  /** The filter leaves its limits here for its successor; a minute later nobody wants them. */
  readonly shieldStateFile: string;
  readonly dataDir: string;
  readonly bootstrapFile: string;
  /** The only folder that tenants' documents may name files in (access logs, data sources). */
  readonly filesDir: string;
  readonly policyDir: string;
  readonly snapshotFile: string;
  readonly logDir: string;
}

export function deriveServiceKey(serviceId: string): string {
  return createHash('sha256').update(serviceId).digest('hex').slice(0, 12);
}

export function deriveServiceLayout(host: { runtimeDir: string; dataDir: string }, serviceId: string): ServiceLayout {
  const key = deriveServiceKey(serviceId);
  const runtimeDir = `${host.runtimeDir}/${key}`;
  const dataDir = `${host.dataDir}/services/${key}`;
  return {
    key,
    runtimeDir,
    xdsSocket: `${runtimeDir}/xds.sock`,
    shieldSocket: `${runtimeDir}/shield.sock`,
    shieldAdminSocket: `${runtimeDir}/shield-admin.sock`,
    shieldStateFile: `${runtimeDir}/shield-limits`,
    dataDir,
    bootstrapFile: `${dataDir}/bootstrap.json`,
    filesDir: `${dataDir}/files`,
    policyDir: `${dataDir}/policy`,
    snapshotFile: `${dataDir}/snapshot.bin`,
    logDir: `${dataDir}/logs`,
  };
}
