/** The state that `ip` reports, with the numbers of the kernel instead of names. */
export interface KernelState {
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  readonly rules: readonly Rule[];
}

export interface Address {
  readonly family: 4 | 6;
  /** With the prefix length: `192.0.2.2/24`. */
  readonly address: string;
  /** Addresses of the kernel's own (link-local) are never changed. */
  readonly isOfKernel: boolean;
  /** Given by DHCP or router advertisements, for a time. */
  readonly isDynamic: boolean;
  readonly isTentative: boolean;
  /** The kernel has found another host with this IPv6 address. */
  readonly isDuplicate: boolean;
}

export interface Link {
  readonly name: string;
  /** `bridge`, `vlan` and so on; empty for hardware. */
  readonly kind: string;
  readonly isLoopback: boolean;
  readonly isUp: boolean;
  readonly hasCarrier: boolean;
  readonly mtu: number;
  readonly mac: string;
  readonly master: string | undefined;
  /** The interface below a VLAN. */
  readonly parent: string | undefined;
  readonly vlanId: number | undefined;
  readonly addresses: readonly Address[];
}

export interface Hop {
  readonly via: string | undefined;
  readonly dev: string | undefined;
  readonly weight: number;
  readonly isOnlink: boolean;
}

export interface Route {
  readonly family: 4 | 6;
  readonly table: number;
  readonly to: string;
  readonly type: number;
  readonly protocol: number;
  readonly scope: number;
  readonly metric: number;
  readonly source: string | undefined;
  readonly hops: readonly Hop[];
  /** It has attributes that are not in this record, so it cannot be written again. */
  readonly isPartial: boolean;
}

export interface Rule {
  readonly family: 4 | 6;
  readonly priority: number;
  readonly from: string;
  readonly to: string;
  readonly table: number;
  readonly protocol: number;
  /** It has other conditions or another action. */
  readonly isPartial: boolean;
}

export interface Problem {
  readonly code: string;
  readonly message: string;
}

export interface NetworkSettings {
  /** Contains etc/netplan, run/netplan and etc/iproute2; `/` by default. */
  readonly root: string;
  /** Generations, and the record of the running change. Only root may access it. */
  readonly dataDir: string;
  /** Locks are here, best in memory: a full disk must not prevent that a change is taken back. */
  readonly lockDir: string;
  /** `netplan` runs `netplan apply`; `ip` applies what netplan generates, on hosts without systemd. */
  readonly driver: 'netplan' | 'ip';
  /** Runs the programs in another network namespace: `['ip', 'netns', 'exec', 'name']`. */
  readonly prefix: readonly string[];
}
