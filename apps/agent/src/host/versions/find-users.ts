import { readFileIfThere } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { ManagedService } from '../managed-service.ts';
import type { VersionKind } from './types.ts';

export interface VersionUsers {
  /** Undefined: no desired state is known yet. */
  readonly desired: fleet.DesiredState | undefined;
  readonly services: readonly ManagedService[];
  /** Path of a WAF module. */
  readonly pathOf: (version: string) => string;
}

/** The services that run a version or should, or whose configuration names the path of the module. */
export async function findVersionUsers(
  kind: VersionKind,
  version: string,
  { desired, services, pathOf }: VersionUsers,
): Promise<readonly string[]> {
  const users = new Map<string, string>();
  for (const { serviceId, name, envoyVersion, bootstrapJson } of desired?.services ?? []) {
    const isUser = kind === 'envoy' ? envoyVersion === version : Buffer.from(bootstrapJson).includes(pathOf(version));
    if (isUser) users.set(serviceId, `service ${name}`);
  }
  for (const service of services.filter(({ serviceId }) => !users.has(serviceId))) {
    const isUser =
      kind === 'envoy'
        ? service.versions().includes(version)
        : (await readFileIfThere(service.layout.snapshotFile))?.includes(pathOf(version)) === true;
    if (isUser) users.set(service.serviceId, `service ${nameOf(service.serviceId, desired)}`);
  }
  return [...users.values()];
}

function nameOf(serviceId: string, desired: fleet.DesiredState | undefined): string {
  return desired?.services.find((one) => one.serviceId === serviceId)?.name ?? serviceId;
}
