import { createHash, randomBytes } from 'node:crypto';
import type { ServiceLayout } from '@flotilla/proto';
import { BASE_ID_LIMIT } from './base-id.ts';
import type { DrainTimes } from './drain-times.ts';

/** The binary and the bootstrap of an Envoy. Equal digests mean identical processes. */
export interface EnvoySpec {
  readonly digest: string;
  readonly version: string;
  /** Path of the binary, which the service's user can execute. */
  readonly binary: string;
  readonly hotRestartVersion: string;
  readonly bootstrapDigest: string;
  readonly bootstrapFile: string;
}

/**
 * One Envoy process of a service.
 *
 * *Starting*: it is not live yet. *Serving*: it is in charge; there is at most one. *Draining*: another Envoy has taken over. It
 * ends on its own or at `drainUntilMs`, and its record is removed.
 */
export interface EnvoyInstance {
  readonly n: number;
  readonly unit: string;
  readonly spec: EnvoySpec;
  readonly baseId: number;
  /** Number of hot restarts within the base id. */
  readonly epoch: number;
  readonly adminSocket: string;
  /** File of the bootstrap with the ADS secret. It is deleted once Envoy is live, unless the init system may restart Envoy. */
  readonly startFile: string;
  /** Digest of the secret for the ADS socket. Absent for an Envoy that an earlier version of the agent has started. */
  readonly secretDigest?: string;
  /** The times of its command line. Absent for an Envoy that an earlier version of the agent has started. */
  readonly drain?: DrainTimes;
  readonly role: 'starting' | 'serving' | 'draining';
  readonly wasLive?: boolean;
  /** True if a hot restart of this Envoy has failed. No other is possible, and its admin endpoint is closed. */
  readonly handoverSpent?: boolean;
  /** Wall time. Present only while draining. */
  readonly drainUntilMs?: number;
}

export function digestOf(...parts: ReadonlyArray<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(createHash('sha256').update(part).digest());
  return hash.digest('hex');
}

/** Returns a path that cannot be guessed, because routes of a tenant may read files as the service's user. */
export function startFileOf(layout: ServiceLayout, n: number): string {
  return `${layout.runtimeDir}/start-${n}-${randomBytes(16).toString('hex')}.json`;
}

export function adminSocketOf(layout: ServiceLayout, n: number): string {
  return `${layout.socketDir}/admin-${n}.sock`;
}

/** Returns the longest socket path for this layout. The kernel allows 107 bytes. */
export function longestSocketPath(layout: ServiceLayout): string {
  return `${layout.socketDir}/hot_udp_parent_${BASE_ID_LIMIT * 10}`;
}

/**
 * Returns Envoy's command line. The admin endpoint is a separate argument that Envoy merges over the bootstrap, so every instance
 * has its own socket. The hot-restart sockets are in the service's folder, because the default is an abstract socket that
 * every user of the host can connect to.
 */
export function envoyCommand(
  instance: Pick<EnvoyInstance, 'spec' | 'baseId' | 'epoch' | 'adminSocket' | 'startFile'>,
  layout: ServiceLayout,
  drain: DrainTimes,
): string[] {
  return [
    instance.spec.binary,
    ...configFlags(instance.startFile, instance.adminSocket),
    '--base-id',
    String(instance.baseId),
    '--restart-epoch',
    String(instance.epoch),
    '--socket-path',
    `${layout.socketDir}/hot`,
    '--drain-time-s',
    String(drain.drainS),
    '--parent-shutdown-time-s',
    String(drain.shutdownS),
    '--log-level',
    'info',
  ];
}

export function validateCommand(spec: EnvoySpec, layout: ServiceLayout): string[] {
  const admin = `${layout.socketDir}/admin-validate.sock`;
  return [spec.binary, '--mode', 'validate', ...configFlags(spec.bootstrapFile, admin), '--log-level', 'warning'];
}

function configFlags(bootstrapFile: string, adminSocket: string): string[] {
  const admin = { admin: { address: { pipe: { path: adminSocket, mode: 0o600 } } } };
  return ['--config-path', bootstrapFile, '--config-yaml', JSON.stringify(admin)];
}
