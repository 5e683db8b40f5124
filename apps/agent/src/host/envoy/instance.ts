import { createHash, randomBytes } from 'node:crypto';
import type { ServiceLayout } from '@flotilla/proto';
import { BASE_ID_LIMIT } from './base-id.ts';

/** What an Envoy is started from. Equal digests mean identical processes. */
export interface EnvoySpec {
  readonly digest: string;
  readonly version: string;
  /** Executable by the service's user. */
  readonly binary: string;
  readonly hotRestartVersion: string;
  readonly bootstrapDigest: string;
  readonly bootstrapFile: string;
}

/**
 * One Envoy process of a service. Roles: *starting* until it is live; *serving* while it is in charge (at most one);
 * *draining* after another has taken over, until it ends by itself or `drainUntilMs` has passed; then it is forgotten.
 */
export interface EnvoyInstance {
  readonly n: number;
  readonly unit: string;
  readonly spec: EnvoySpec;
  readonly baseId: number;
  /** Hot restart generation within the base id. */
  readonly epoch: number;
  readonly adminSocket: string;
  /** Its bootstrap with its ADS secret. Deleted once it is live, unless the init system may restart it. */
  readonly startFile: string;
  /** Digest of the secret that identifies it on the ADS socket; an Envoy from an earlier version of the agent has none. */
  readonly secretDigest?: string;
  readonly role: 'starting' | 'serving' | 'draining';
  readonly wasLive?: boolean;
  /** A hot restart of this one has failed: no other is possible, and its admin endpoint is closed. */
  readonly handoverSpent?: boolean;
  /** Wall time; only while draining. */
  readonly drainUntilMs?: number;
}

export interface DrainTimes {
  /** How long the replaced Envoy asks its clients to leave. */
  readonly drainS: number;
  /** When the replaced Envoy ends, even with open connections. */
  readonly shutdownS: number;
}

/** Envoy's start options, and therefore how long a replaced listener may use its old clusters. */
export const ENVOY_DRAIN: DrainTimes = { drainS: 10, shutdownS: 15 };

export function digestOf(...parts: ReadonlyArray<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(createHash('sha256').update(part).digest());
  return hash.digest('hex');
}

/** The name cannot be guessed: access to files of a proxy's user must not lead to it. */
export function startFileOf(layout: ServiceLayout, n: number): string {
  return `${layout.runtimeDir}/start-${n}-${randomBytes(16).toString('hex')}.json`;
}

export function adminSocketOf(layout: ServiceLayout, n: number): string {
  return `${layout.socketDir}/admin-${n}.sock`;
}

/** The longest socket path for this layout; the kernel allows 107 bytes. */
export function longestSocketPath(layout: ServiceLayout): string {
  return `${layout.socketDir}/hot_udp_parent_${BASE_ID_LIMIT * 10}`;
}

/**
 * Envoy's command line. The admin endpoint is given beside the bootstrap and merged over it, so that the file stays as the
 * controller wrote it and every instance has a socket of its own. The hot restart sockets lie in the service's folder: the
 * default is an abstract socket, which any user of the host could speak to.
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
