import { readlink, rename, rm, symlink } from 'node:fs/promises';
import { relative } from 'node:path';
import type { ServiceLayout } from '@flotilla/proto';

/** Returns the path of the filter's link to the admin endpoint of the current Envoy. The service cannot change the link. */
export function envoyAdminLink(layout: ServiceLayout): string {
  return `${layout.runtimeDir}/envoy-admin.sock`;
}

/** Points the link to the socket of the current Envoy atomically. Deletes the link if there is no Envoy. */
export async function pointEnvoyAdmin(layout: ServiceLayout, adminSocket: string | undefined): Promise<void> {
  const link = envoyAdminLink(layout);
  if (adminSocket === undefined) return rm(link, { force: true });
  const target = relative(layout.runtimeDir, adminSocket);
  if ((await readlink(link).catch(() => undefined)) === target) return;
  await rm(`${link}.tmp`, { force: true });
  await symlink(target, `${link}.tmp`);
  await rename(`${link}.tmp`, link);
}
