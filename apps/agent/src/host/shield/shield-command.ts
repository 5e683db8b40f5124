import type { fleet, ServiceLayout } from '@flotilla/proto';
import { envoyAdminLink } from './envoy-admin-link.ts';

/**
 * Returns the arguments that follow `flotilla shield` for a service's filter. A change in the arguments needs a new
 * process.
 */
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

/** Returns the arguments with which a filter can hand over to another at the same addresses. Each has its own unit name. */
export function pairArguments(unit: string): string[] {
  return ['--pair', unit];
}

/** Returns the environment of the filter. It includes the agent's PATH, where the filter looks up its tools. */
export function shieldEnvironment(layout: ServiceLayout): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: layout.filesDir };
}
