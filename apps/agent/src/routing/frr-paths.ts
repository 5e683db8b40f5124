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
