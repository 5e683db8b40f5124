import { formatIpPrefix, type IpPrefix, parseIpPrefix } from './ip-prefix.ts';

export const NETWORK_ACTIONS = ['ADD', 'DELETE', 'REPLACE'] as const;
export type NetworkAction = (typeof NETWORK_ACTIONS)[number];

export const ROUTE_SCOPES = ['global', 'link', 'host'] as const;

export const NETWORK_LIMITS = {
  operationsMax: 256,
  /** Tables and priorities that Flotilla may manage. */
  idMin: 100,
  idMax: 999,
  metricMax: 4_294_967_295,
  yamlMaxBytes: 32 * 1024,
  testDefaultS: 10,
  testMinS: 3,
  testMaxS: 60,
  /** Most routes and policies of one answer. */
  listMax: 2000,
  generationsKept: 20,
} as const;

/** The kernel's number of the table `main`. */
export const MAIN_TABLE = 254;
/** Tables `default` and `local` of the kernel, which are in the range of ids. */
const KERNEL_TABLES = new Set([253, 255]);
const RESERVED_NAMES = new Set(['unspec', 'default', 'main', 'local', 'all']);

export interface RouteSpec {
  readonly family: 4 | 6;
  /** A network, or `default`. */
  readonly to: string;
  readonly via?: string | undefined;
  readonly interface?: string | undefined;
  readonly table: number;
  /** Undefined: the default of the kernel; for DELETE: any. */
  readonly metric?: number | undefined;
  readonly source?: string | undefined;
  readonly scope?: (typeof ROUTE_SCOPES)[number] | undefined;
  readonly onlink?: boolean | undefined;
}

export interface PolicySpec {
  readonly family: 4 | 6;
  readonly from: string;
  readonly to: string;
  readonly table: number;
  readonly priority: number;
  /** The interface whose netplan definition contains the policy. It is no condition. */
  readonly interface?: string | undefined;
}

export interface TableSpec {
  readonly id: number;
  readonly name: string;
}

export interface Operation<Spec> {
  readonly action: NetworkAction;
  readonly spec: Spec;
}

/** `at` is the member of the command, such as `route_operations.0.route.to`. */
export interface NetworkProblem {
  readonly at: ReadonlyArray<string | number>;
  readonly message: string;
}

export type NetworkResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: NetworkProblem };

type Members = Readonly<Record<string, unknown>>;

/** Thrown inside this file, and returned as a problem. */
class Refusal {
  readonly at: ReadonlyArray<string | number>;
  readonly message: string;

  constructor(at: ReadonlyArray<string | number>, message: string) {
    this.at = at;
    this.message = message;
  }
}

export const readRouteOperations = (command: Members) => readOperations(command, 'route', readRoute);
export const readPolicyOperations = (command: Members) => readOperations(command, 'policy', readPolicy);
export const readTableOperations = (command: Members) => readOperations(command, 'table', readTable);

/** Undefined for a number that is not allowed. */
export function readTestTimeout(value: unknown): number | undefined {
  const { testDefaultS, testMinS, testMaxS } = NETWORK_LIMITS;
  if (value === undefined) return testDefaultS;
  return isWhole(value, testMinS, testMaxS) ? value : undefined;
}

/** Names of interfaces that may be in a command: no spaces, quotes, slashes or control characters. */
export function isInterfaceName(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/.test(text);
}

export function isManagedTable(id: unknown): id is number {
  return isWhole(id, NETWORK_LIMITS.idMin, NETWORK_LIMITS.idMax) && !KERNEL_TABLES.has(id);
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function readOperations<Spec>(
  command: Members,
  kind: 'route' | 'policy' | 'table',
  read: (members: Members, action: NetworkAction) => Spec,
): NetworkResult<ReadonlyArray<Operation<Spec>>> {
  const list = `${kind}_operations`;
  const given = command[list];
  const at: Array<string | number> = [list];
  try {
    if (!Array.isArray(given) || given.length === 0) throw new Refusal([], 'must have at least one operation');
    if (given.length > NETWORK_LIMITS.operationsMax)
      throw new Refusal([], `must have at most ${NETWORK_LIMITS.operationsMax} operations`);
    const operations = given.map((operation: unknown, i) => {
      at.splice(1, at.length, i);
      const members = requireMembers(operation, ['action', kind]);
      const action = NETWORK_ACTIONS.find((one) => one === members.action);
      if (!action) throw new Refusal(['action'], `must be one of ${NETWORK_ACTIONS.join(', ')}`);
      at.push(kind);
      return { action, spec: read(members[kind] as Members, action) };
    });
    return { ok: true, value: operations };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return { ok: false, error: { at: [...at, ...refusal.at], message: refusal.message } };
  }
}

function requireMembers(value: unknown, names: readonly string[]): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refusal([], 'must be an object');
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Refusal([unknown.slice(0, 64)], 'is not a known member');
  return value as Members;
}

const ROUTE_MEMBERS = [
  'to',
  'via',
  'interface',
  'table',
  'metric',
  'source',
  'scope',
  'is_default',
  'protocol',
  'onlink',
];

function readRoute(value: Members, action: NetworkAction): RouteSpec {
  const route = requireMembers(value, ROUTE_MEMBERS);
  const via = readAddress(route, 'via');
  const source = readAddress(route, 'source');
  const { family, to } = readDestination(route, via?.family ?? source?.family);
  for (const [name, one] of [['via', via] as const, ['source', source] as const])
    if (one && one.family !== family) throw new Refusal([name], 'must be of the IP version of the destination');
  if (route.protocol !== undefined && route.protocol !== 'static')
    throw new Refusal(['protocol'], 'must be static, the protocol of all routes that are set here');
  const scope = readOneOf(route, 'scope', ROUTE_SCOPES);
  if (scope !== undefined && family === 6 && scope !== 'global')
    throw new Refusal(['scope'], 'must be global for IPv6, which has no scopes of routes');
  const onlink = readFlag(route, 'onlink');
  const name = readInterface(route, { isRequired: action !== 'DELETE' });
  return {
    family,
    to,
    via: via?.address,
    interface: name,
    table: readRouteTable(route),
    metric: readWhole(route, 'metric', { min: 0, max: NETWORK_LIMITS.metricMax }),
    source: source?.address,
    scope,
    onlink,
  };
}

function readDestination(route: Members, family: 4 | 6 | undefined): { family: 4 | 6; to: string } {
  const isDefault = readFlag(route, 'is_default');
  if (isDefault === true && (route.to === undefined || route.to === 'default'))
    return { family: family ?? 4, to: 'default' };
  if (route.to === 'default' && isDefault !== false) return { family: family ?? 4, to: 'default' };
  const prefix = readPrefix(route, 'to');
  if (!prefix) throw new Refusal(['to'], 'must be a network such as 192.0.2.0/24 or default');
  if (isDefault !== undefined && isDefault !== (prefix.length === 0))
    throw new Refusal(['is_default'], 'contradicts the destination');
  return { family: prefix.family, to: formatIpPrefix(prefix) };
}

function readPolicy(value: Members, action: NetworkAction): PolicySpec {
  const policy = requireMembers(value, ['from', 'to', 'table', 'priority', 'interface']);
  const from = readPrefix(policy, 'from');
  const to = readPrefix(policy, 'to');
  if (!from && !to) throw new Refusal(['from'], 'or to must be a network; use 0.0.0.0/0 or ::/0 for every address');
  if (from && to && from.family !== to.family) throw new Refusal(['to'], 'must be of the IP version of from');
  const priority = readWhole(policy, 'priority', { min: NETWORK_LIMITS.idMin, max: NETWORK_LIMITS.idMax });
  if (priority === undefined)
    throw new Refusal(['priority'], `must be ${NETWORK_LIMITS.idMin} to ${NETWORK_LIMITS.idMax}`);
  if (policy.table === undefined) throw new Refusal(['table'], 'must be a table');
  return {
    family: (from ?? to)?.family ?? 4,
    from: from ? formatIpPrefix(from) : 'default',
    to: to ? formatIpPrefix(to) : 'default',
    table: readRouteTable(policy),
    priority,
    interface: readInterface(policy, { isRequired: action !== 'DELETE' }),
  };
}

function readTable(value: Members): TableSpec {
  const { id, name } = requireMembers(value, ['id', 'name']);
  if (!isManagedTable(id) || id === MAIN_TABLE)
    throw new Refusal(['id'], `must be ${NETWORK_LIMITS.idMin} to ${NETWORK_LIMITS.idMax}, but not 253, 254 or 255`);
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(name) || RESERVED_NAMES.has(name.toLowerCase()))
    throw new Refusal(['name'], 'must be a letter and up to 31 letters, digits, _ and -, and no name of the kernel');
  return { id, name };
}

function readRouteTable(members: Members): number {
  const { table = MAIN_TABLE } = members;
  if (!isManagedTable(table))
    throw new Refusal(
      ['table'],
      `must be 254 (main) or ${NETWORK_LIMITS.idMin} to ${NETWORK_LIMITS.idMax}, but not 253 or 255`,
    );
  return table;
}

function readPrefix(members: Members, name: string): IpPrefix | undefined {
  const value = members[name];
  if (value === undefined) return undefined;
  const prefix = typeof value === 'string' ? parseIpPrefix(value) : undefined;
  if (!prefix) throw new Refusal([name], 'must be a network such as 192.0.2.0/24 or 2001:db8::/32');
  if (!prefix.isNetwork) throw new Refusal([name], 'has bits after its prefix length; name the network itself');
  return prefix;
}

function readAddress(members: Members, name: string): IpPrefix | undefined {
  const value = members[name];
  if (value === undefined) return undefined;
  const prefix = typeof value === 'string' && !value.includes('/') ? parseIpPrefix(value) : undefined;
  if (!prefix) throw new Refusal([name], 'must be an address such as 192.0.2.1 or 2001:db8::1');
  return prefix;
}

function readInterface(members: Members, { isRequired }: { isRequired: boolean }): string | undefined {
  const value = members.interface;
  if (value === undefined && !isRequired) return undefined;
  if (!isInterfaceName(value)) throw new Refusal(['interface'], 'must be the name of an interface, such as eth0');
  return value;
}

function readWhole(members: Members, name: string, { min, max }: { min: number; max: number }): number | undefined {
  const value = members[name];
  if (value === undefined) return undefined;
  if (!isWhole(value, min, max)) throw new Refusal([name], `must be a whole number of ${min} to ${max}`);
  return value;
}

function readFlag(members: Members, name: string): boolean | undefined {
  const value = members[name];
  if (value !== undefined && typeof value !== 'boolean') throw new Refusal([name], 'must be true or false');
  return value;
}

function readOneOf<Choice extends string>(
  members: Members,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = members[name];
  if (value === undefined) return undefined;
  const found = choices.find((one) => one === value);
  if (found === undefined) throw new Refusal([name], `must be one of ${choices.join(', ')}`);
  return found;
}
