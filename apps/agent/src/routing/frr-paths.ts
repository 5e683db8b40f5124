import { resolve } from 'node:path';

/** Where FRR is. The defaults are those of its packages. */
export interface RoutingPaths {
  readonly vtysh: string;
  /** The folder of the sockets of FRR's daemons. */
  readonly socketDir: string;
  /** The file that FRR reads when it starts. */
  readonly configFile: string;
}

export const FRR_PATHS: RoutingPaths = {
  vtysh: '/usr/bin/vtysh',
  socketDir: '/var/run/frr',
  configFile: '/etc/frr/frr.conf',
};

interface FrrFlags {
  readonly 'frr-shell'?: string | undefined;
  readonly 'frr-sockets'?: string | undefined;
  readonly 'frr-config'?: string | undefined;
}

export function readFrrPaths(flags: FrrFlags, env: NodeJS.ProcessEnv): RoutingPaths {
  return {
    vtysh: resolve(flags['frr-shell'] ?? (env.SVC_AGENT_FRR_SHELL || FRR_PATHS.vtysh)),
    socketDir: resolve(flags['frr-sockets'] ?? (env.SVC_AGENT_FRR_SOCKETS || FRR_PATHS.socketDir)),
    configFile: resolve(flags['frr-config'] ?? (env.SVC_AGENT_FRR_CONFIG || FRR_PATHS.configFile)),
  };
}
