import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { fleet, ServiceLayout } from '@flotilla/proto';
import { envoyAdminLink } from './envoy-admin-link.ts';

/** The command line of a service's filter, behind `flotilla shield`. Another one means another process. */
export function shieldArguments(shield: fleet.ShieldSpec, layout: ServiceLayout, nodeId: string): string[] {
  return [
    '--policy',
    layout.policyDir,
    '--listen',
    `unix:${layout.shieldSocket}`,
    '--admin',
    `unix:${layout.shieldAdminSocket}`,
    '--xff-trusted-hops',
    String(shield.xffTrustedHops),
    '--threads',
    String(Math.max(1, shield.threads)),
    '--state',
    layout.shieldStateFile,
    '--envoy-admin',
    `unix:${envoyAdminLink(layout)}`,
    '--node',
    nodeId,
  ];
}

/** A filter that was killed leaves its sockets; one that had more threads, more of them than its successor makes anew. */
export async function removeShieldSockets({
  runtimeDir,
  shieldSocket,
  shieldAdminSocket,
}: ServiceLayout): Promise<void> {
  await rm(shieldAdminSocket, { force: true });
  const first = basename(shieldSocket);
  const names = await readdir(runtimeDir).catch(() => []);
  for (const name of names) {
    if (name === first || name.startsWith(`${first}.`)) await rm(join(runtimeDir, name), { force: true });
  }
}
