import { createHash } from 'node:crypto';
import type { ServiceLayout } from '@flotilla/proto';
import { BASE_ID_LIMIT } from './base-id.ts';

/** What an Envoy is started from. Two equal digests mean the same process would come out. */
export interface EnvoySpec {
  readonly digest: string;
  readonly version: string;
  /** As the service's user may execute it. */
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
  readonly role: 'starting' | 'serving' | 'draining';
  readonly wasLive?: boolean;
  /** A hot restart out of this one has failed: no other is possible, and its admin endpoint is shut. */
  readonly handoverSpent?: boolean;
  /** Wall time; only while draining. */
  readonly drainUntilMs?: number;
}

export interface DrainTimes {
  /** How long the replaced Envoy asks its clients to leave. */
  readonly drainS: number;
  /** When the replaced Envoy ends, connections still open or not. */
  readonly shutdownS: number;
}

/** What Envoy is started with, and so how long a listener that was replaced may go on with its old clusters. */
export const ENVOY_DRAIN: DrainTimes = { drainS: 10, shutdownS: 15 };

export function digestOf(...parts: ReadonlyArray<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(createHash('sha256').update(part).digest());
  return hash.digest('hex');
}

export function adminSocketOf(layout: ServiceLayout, n: number): string {
  return `${layout.runtimeDir}/admin-${n}.sock`;
}

/** The longest socket path that a service of this layout needs; the kernel takes 107 bytes. */
export function longestSocketPath(layout: ServiceLayout): string {
  return `${layout.runtimeDir}/hot_udp_parent_${BASE_ID_LIMIT * 10}`;
}

/**
 * Envoy's command line. The admin endpoint is given beside the bootstrap and merged over it, so that the file stays as the
 * controller wrote it and every instance has a socket of its own. The hot restart sockets lie in the service's folder: the
 * default is an abstract socket, which any user of the host could speak to.
 */
export function envoyCommand(
  instance: Pick<EnvoyInstance, 'spec' | 'baseId' | 'epoch' | 'adminSocket'>,
  layout: ServiceLayout,
  drain: DrainTimes,
): string[] {
  return [
    instance.spec.binary,
    ...configFlags(instance.spec.bootstrapFile, instance.adminSocket),
    '--base-id',
    String(instance.baseId),
    '--restart-epoch',
    String(instance.epoch),
    '--socket-path',
    `${layout.runtimeDir}/hot`,
    '--drain-time-s',
    String(drain.drainS),
    '--parent-shutdown-time-s',
    String(drain.shutdownS),
    '--log-level',
    'info',
  ];
}

export function validateCommand(spec: EnvoySpec, layout: ServiceLayout): string[] {
  const admin = `${layout.runtimeDir}/admin-validate.sock`;
  return [spec.binary, '--mode', 'validate', ...configFlags(spec.bootstrapFile, admin), '--log-level', 'warning'];
}

function configFlags(bootstrapFile: string, adminSocket: string): string[] {
  const admin = { admin: { address: { pipe: { path: adminSocket, mode: 0o600 } } } };
  return ['--config-path', bootstrapFile, '--config-yaml', JSON.stringify(admin)];
}
