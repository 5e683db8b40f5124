import { readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ServiceLayout } from '@flotilla/proto';

/** Where the filter finds the admin endpoint of the Envoy in charge, whichever that is. */
export function envoyAdminLink(layout: ServiceLayout): string {
  return `${layout.runtimeDir}/envoy-admin.sock`;
}

/** Lets the link lead to the socket of the Envoy now in charge, in one step; to nowhere without one. */
export async function pointEnvoyAdmin(layout: ServiceLayout, adminSocket: string | undefined): Promise<void> {
  const link = envoyAdminLink(layout);
  if (adminSocket === undefined) return rm(link, { force: true });
  const target = basename(adminSocket);
  if ((await readlink(link).catch(() => undefined)) === target) return;
  await rm(`${link}.tmp`, { force: true });
  await symlink(target, `${link}.tmp`);
  await rename(`${link}.tmp`, link);
}
