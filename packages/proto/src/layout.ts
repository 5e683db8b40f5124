import { createHash } from 'node:crypto';

/**
 * The files of one service on its host. Controller and agent agree on these paths: the controller writes them into
 * bootstraps and clusters, the agent creates them. Sockets are under the runtime folder because the path of a Unix
 * socket is limited to 107 bytes; everything else is under the data folder.
 */
export interface ServiceLayout {
  /** Twelve hex digits that name the folders, units and users of this service. */
  readonly key: string;
  /** Owned by the agent. The service's programs may only look up names in it. */
  readonly runtimeDir: string;
  /** Envoy connects to its agent here for ADS. */
  readonly xdsSocket: string;
  /** Envoy sends its access logs here, if the service records them. */
  readonly accessLogSocket: string;
  /** Owned by the service's user: its programs create their sockets and other files here. */
  readonly socketDir: string;
  /**
   * Envoy connects to the filter's first thread here for external processing, and to the others at the same path with
   * `.1`, `.2` ...
   */
  readonly shieldSocket: string;
  /** The filter's own admin endpoint (metrics, health, live policy). */
  readonly shieldAdminSocket: string;
  /** The filter saves its limits here for its successor; they expire after a minute. */
  readonly shieldStateFile: string;
  readonly dataDir: string;
  readonly bootstrapFile: string;
  /** The only folder whose files tenants' documents may refer to (access logs, data sources). */
  readonly filesDir: string;
  readonly policyDir: string;
  readonly snapshotFile: string;
  /** Entries that the controller has not stored. */
  readonly accessLogDir: string;
  readonly logDir: string;
}

export function deriveServiceKey(serviceId: string): string {
  return createHash('sha256').update(serviceId).digest('hex').slice(0, 12);
}

export function deriveServiceLayout(host: { runtimeDir: string; dataDir: string }, serviceId: string): ServiceLayout {
  const key = deriveServiceKey(serviceId);
  const runtimeDir = `${host.runtimeDir}/${key}`;
  const socketDir = `${runtimeDir}/own`;
  const dataDir = `${host.dataDir}/services/${key}`;
  return {
    key,
    runtimeDir,
    xdsSocket: `${runtimeDir}/xds.sock`,
    accessLogSocket: `${runtimeDir}/als.sock`,
    socketDir,
    shieldSocket: `${socketDir}/shield.sock`,
    shieldAdminSocket: `${socketDir}/shield-admin.sock`,
    shieldStateFile: `${socketDir}/shield-limits`,
    dataDir,
    bootstrapFile: `${dataDir}/bootstrap.json`,
    filesDir: `${dataDir}/files`,
    policyDir: `${dataDir}/policy`,
    snapshotFile: `${dataDir}/snapshot.bin`,
    accessLogDir: `${dataDir}/access-log`,
    logDir: `${dataDir}/logs`,
  };
}
