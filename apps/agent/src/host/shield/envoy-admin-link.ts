import { readlink, rename, rm, symlink } from 'node:fs/promises';
import { relative } from 'node:path';
import type { ServiceLayout } from '@flotilla/proto';

/** The link to the admin endpoint of the current Envoy, for the filter. The agent owns it: the service cannot change it. */
export function envoyAdminLink(layout: ServiceLayout): string {
  return `${layout.runtimeDir}/envoy-admin.sock`;
}

/** Points the link to the socket of the current Envoy atomically; removes it without one. */
export async function pointEnvoyAdmin(layout: ServiceLayout, adminSocket: string | undefined): Promise<void> {
  const link = envoyAdminLink(layout);
  if (adminSocket === undefined) return rm(link, { force: true });
  const target = relative(layout.runtimeDir, adminSocket);
  if ((await readlink(link).catch(() => undefined)) === target) return;
  await rm(`${link}.tmp`, { force: true });
  await symlink(target, `${link}.tmp`);
  await rename(`${link}.tmp`, link);
}
