/*
 * Readers of the answers to the NETWORK commands. An answer comes from a host that may be compromised or run another agent: entries
 * of another form are left out, and an answer of another form is undefined. The browser runs them, so they use no schemas.
 */

export interface NetworkRoute {
  readonly family: 4 | 6;
  readonly to: string;
  readonly via: string | null;
  readonly interface: string | null;
  readonly table: number;
  readonly metric: number;
  readonly source: string | null;
  readonly protocol: string;
  /** Belongs to the kernel or to another program: it cannot be changed here. */
  readonly protected: boolean;
  /** Is in the netplan file of this host, so that it is there after a restart. */
  readonly stored: boolean;
}

export interface NetworkPolicy {
  readonly family: 4 | 6;
  readonly priority: number;
  readonly from: string;
  readonly to: string;
  readonly table: number;
  readonly protocol: string;
  readonly interface: string | null;
  readonly protected: boolean;
  readonly stored: boolean;
}

export interface NetworkTable {
  readonly id: number;
  readonly name: string;
  readonly managed: boolean;
}

export interface NetworkInterface {
  readonly name: string;
  readonly kind: string;
  readonly addresses: readonly string[];
  readonly state: 'up' | 'down';
  readonly has_carrier: boolean;
  readonly mac_address: string;
  readonly mtu: number;
}

export interface NetplanGeneration {
  readonly generation: number;
  readonly at: string;
  readonly command_id: string;
  /** Null: the managed file did not exist. */
  readonly yaml: string | null;
}

export interface NetworkRoutes {
  readonly routes: readonly NetworkRoute[];
  readonly routes_total: number;
  /** Stored, but not in the kernel. */
  readonly missing_routes: readonly NetworkRoute[];
}

export interface NetworkPolicies {
  readonly policies: readonly NetworkPolicy[];
  readonly policies_total: number;
}

export interface NetworkState extends NetworkRoutes, NetworkPolicies {
  readonly interfaces: readonly NetworkInterface[];
  readonly routing_tables: readonly NetworkTable[];
  readonly current_netplan_yaml: string | null;
}

export interface Netplan {
  readonly current_yaml: string | null;
  readonly generation: number;
  /** The newest is first. */
  readonly generations: readonly NetplanGeneration[];
}

type Kind = 'string' | 'number' | 'boolean' | 'text or null' | 'family';
type Form<Entry> = { readonly [Name in keyof Entry]: Kind };

const ROUTE: Form<NetworkRoute> = {
  family: 'family',
  to: 'string',
  via: 'text or null',
  interface: 'text or null',
  table: 'number',
  metric: 'number',
  source: 'text or null',
  protocol: 'string',
  protected: 'boolean',
  stored: 'boolean',
};
const POLICY: Form<NetworkPolicy> = {
  family: 'family',
  priority: 'number',
  from: 'string',
  to: 'string',
  table: 'number',
  protocol: 'string',
  interface: 'text or null',
  protected: 'boolean',
  stored: 'boolean',
};
const TABLE: Form<NetworkTable> = { id: 'number', name: 'string', managed: 'boolean' };
const GENERATION: Form<NetplanGeneration> = {
  generation: 'number',
  at: 'string',
  command_id: 'string',
  yaml: 'text or null',
};
const INTERFACE: Form<Omit<NetworkInterface, 'addresses' | 'state'>> = {
  name: 'string',
  kind: 'string',
  has_carrier: 'boolean',
  mac_address: 'string',
  mtu: 'number',
};

export function readNetworkRoutes(result: unknown): NetworkRoutes | undefined {
  const { routes, routes_total: total, missing_routes: missing } = asRecord(result);
  if (!Array.isArray(routes) || typeof total !== 'number') return undefined;
  return { routes: readEntries(routes, ROUTE), routes_total: total, missing_routes: readEntries(missing, ROUTE) };
}

export function readNetworkPolicies(result: unknown): NetworkPolicies | undefined {
  const { policies, policies_total: total } = asRecord(result);
  if (!Array.isArray(policies) || typeof total !== 'number') return undefined;
  return { policies: readEntries(policies, POLICY), policies_total: total };
}

export function readNetworkTables(result: unknown): Pick<NetworkState, 'routing_tables'> | undefined {
  const { routing_tables: tables } = asRecord(result);
  return Array.isArray(tables) ? { routing_tables: readEntries(tables, TABLE) } : undefined;
}

export function readNetplan(result: unknown): Netplan | undefined {
  const { current_yaml: yaml, generation, generations } = asRecord(result);
  if (typeof generation !== 'number' || !Array.isArray(generations)) return undefined;
  return {
    current_yaml: typeof yaml === 'string' ? yaml : null,
    generation,
    generations: readEntries(generations, GENERATION),
  };
}

export function readNetworkState(result: unknown): NetworkState | undefined {
  const { network_state: state } = asRecord(result);
  const { interfaces, current_netplan_yaml: yaml } = asRecord(state);
  const routes = readNetworkRoutes(state);
  const policies = readNetworkPolicies(state);
  const tables = readNetworkTables(state);
  if (!Array.isArray(interfaces) || !routes || !policies || !tables) return undefined;
  return {
    interfaces: interfaces.flatMap(readInterface),
    ...routes,
    ...policies,
    ...tables,
    current_netplan_yaml: typeof yaml === 'string' ? yaml : null,
  };
}

function readInterface(entry: unknown): NetworkInterface[] {
  const { addresses, state } = asRecord(entry);
  if (!Array.isArray(addresses) || (state !== 'up' && state !== 'down')) return [];
  const texts = addresses.filter((one) => typeof one === 'string');
  return readEntries([entry], INTERFACE).map((rest) => ({ ...rest, addresses: texts, state }));
}

/** Only the members of the form are kept. */
function readEntries<Entry>(entries: unknown, form: Form<Entry>): Entry[] {
  if (!Array.isArray(entries)) return [];
  const members = Object.entries(form) as Array<[string, Kind]>;
  return entries
    .map(asRecord)
    .filter((entry) => members.every(([name, kind]) => isOfKind(entry[name], kind)))
    .map((entry) => Object.fromEntries(members.map(([name]) => [name, entry[name]])) as Entry);
}

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'family':
      return value === 4 || value === 6;
    case 'text or null':
      return value === null || typeof value === 'string';
    default:
      return typeof value === kind;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
