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

/** What it inherits: the filter looks its own tools up on PATH. */
export function shieldEnvironment(layout: ServiceLayout): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: layout.filesDir };
}
