/** The values that a query parameter of an admin path may have. A pattern matches the whole value. */
interface QueryRule {
  readonly pattern: RegExp;
  /** Completes `must ...` in messages. */
  readonly must: string;
}

interface AdminPath {
  /** READ asks Envoy. WRITE changes what this Envoy does. The path alone decides, never the method that a caller names. */
  readonly operation: 'READ' | 'WRITE';
  readonly method: 'GET' | 'POST';
  readonly queries: Readonly<Record<string, QueryRule>>;
  /** Exactly one of these parameters is required. */
  readonly oneOf?: readonly string[];
  /** Parameters with names of their own, instead of `queries`. */
  readonly named?: QueryRule & { readonly name: RegExp; readonly most: number };
}

/** Log levels of Envoy, from the most to the least detailed. */
export const ENVOY_LOG_LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'] as const;
export type EnvoyLogLevel = (typeof ENVOY_LOG_LEVELS)[number];

/** Parts of the pseudo path `/envoy`. The agent collects them from several paths of Envoy. */
export const ENVOY_PARTS = [
  'certs',
  'config_dump',
  'hot_restart_version',
  'listeners',
  'logging',
  'memory',
  'ready',
  'runtime',
  'server_info',
  'stats',
] as const;
export type EnvoyPart = (typeof ENVOY_PARTS)[number];

/** Repeated fields of Envoy's ConfigDump messages, for `/config_dump?resource=`. */
export const CONFIG_DUMP_RESOURCES = [
  'static_clusters',
  'dynamic_active_clusters',
  'dynamic_warming_clusters',
  'static_listeners',
  'dynamic_listeners',
  'static_route_configs',
  'dynamic_route_configs',
  'inline_scoped_route_configs',
  'dynamic_scoped_route_configs',
  'static_endpoint_configs',
  'dynamic_endpoint_configs',
  'static_secrets',
  'dynamic_active_secrets',
  'dynamic_warming_secrets',
  'ecds_filters',
];

const STAT_TYPES = ['All', 'Counters', 'Gauges', 'Histograms', 'TextReadouts'];
const RUNTIME_KEYS_MAX = 32;

const text: QueryRule = {
  pattern: /^[^\p{Cc}\p{Cs}]{1,256}$/u,
  must: 'have 1 to 256 characters, none of them a control character',
};
const flag: QueryRule = { pattern: /^true$/, must: 'be true' };
const level = oneOf(ENVOY_LOG_LEVELS);
const levels: QueryRule = listPattern(
  `[a-z0-9_]{1,64}:(?:${ENVOY_LOG_LEVELS.join('|')})`,
  'be a list such as http:debug,main:info',
);
const parts: QueryRule = listPattern(`(?:${ENVOY_PARTS.join('|')})`, `be a list of ${ENVOY_PARTS.join(', ')}`);

function oneOf(values: readonly string[]): QueryRule {
  return { pattern: new RegExp(`^(?:${values.join('|')})$`), must: `be one of ${values.join(', ')}` };
}

function listPattern(item: string, must: string): QueryRule {
  return { pattern: new RegExp(`^${item}(?:,${item}){0,127}$`), must };
}

const read = { operation: 'READ', method: 'GET', queries: {} } as const;
const write = { operation: 'WRITE', method: 'POST', queries: {} } as const;

/** Every path of Envoy's admin interface that a command may call. Nothing else is called, by the controller or the agent. */
const PATHS = {
  '/certs': read,
  '/clusters': read,
  '/config_dump': { ...read, queries: { resource: oneOf(CONFIG_DUMP_RESOURCES), name_regex: text, include_eds: flag } },
  '/envoy': { ...read, queries: { parts } },
  '/hot_restart_version': read,
  '/listeners': read,
  '/memory': read,
  '/ready': read,
  '/runtime': read,
  '/server_info': read,
  '/stats': { ...read, queries: { filter: text, usedonly: flag, type: oneOf(STAT_TYPES) } },
  '/healthcheck/fail': write,
  '/healthcheck/ok': write,
  '/logging': { ...write, queries: { level, paths: levels }, oneOf: ['level', 'paths'] },
  '/reopen_logs': write,
  '/reset_counters': write,
  '/runtime_modify': {
    ...write,
    named: {
      // Keys of Envoy's own switch the features that the checks of documents rely on.
      name: /^(?!(?:envoy|re2)(?:\.|$))[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/i,
      most: RUNTIME_KEYS_MAX,
      pattern: /^[^\p{Cc}\p{Cs}]{0,256}$/u,
      must: 'have at most 256 characters, none of them a control character',
    },
  },
} as const satisfies Record<string, AdminPath>;

export type AdminPathName = keyof typeof PATHS;

type PathOf<Operation> = {
  [P in AdminPathName]: (typeof PATHS)[P]['operation'] extends Operation ? P : never;
}[AdminPathName];

const BY_PATH: ReadonlyMap<string, AdminPath> = new Map(Object.entries(PATHS));

export const ADMIN_READ_PATHS = listPaths('READ') as ReadonlyArray<PathOf<'READ'>>;
export const ADMIN_WRITE_PATHS = listPaths('WRITE') as ReadonlyArray<PathOf<'WRITE'>>;

function listPaths(operation: AdminPath['operation']): string[] {
  return [...BY_PATH].filter(([, path]) => path.operation === operation).map(([name]) => name);
}

/** Undefined for everything but exactly one of the paths: no other spelling is accepted. */
export function operationOfPath(path: unknown): AdminPath['operation'] | undefined {
  return typeof path === 'string' ? BY_PATH.get(path)?.operation : undefined;
}

/** A checked call of Envoy's admin interface. */
export interface AdminCall {
  readonly path: AdminPathName;
  readonly operation: AdminPath['operation'];
  readonly method: AdminPath['method'];
  readonly queries: ReadonlyArray<readonly [name: string, value: string]>;
}

/** `at` is the member of the command, such as `queries.level`. */
export interface AdminCallProblem {
  readonly at: readonly string[];
  readonly message: string;
}

export type CheckedAdminCall =
  | { readonly ok: true; readonly value: AdminCall }
  | { readonly ok: false; readonly error: AdminCallProblem };

/** Checks the members `path`, `method` and `queries` of a PROXY command. The method may be omitted. */
export function checkAdminCall(command: Readonly<Record<string, unknown>>): CheckedAdminCall {
  const { path, method, queries = {} } = command;
  const known = typeof path === 'string' ? BY_PATH.get(path) : undefined;
  if (!known) return refuse(['path'], `must be one of ${[...BY_PATH.keys()].join(', ')}`);
  if (method !== undefined && method !== known.method) return refuse(['method'], `must be ${known.method} for ${path}`);
  if (typeof queries !== 'object' || queries === null || Array.isArray(queries))
    return refuse(['queries'], 'must be an object');
  const given = Object.entries(queries as Record<string, unknown>);
  const problem = findQueryProblem(known, given);
  if (problem) return { ok: false, error: problem };
  return {
    ok: true,
    value: {
      path: path as AdminPathName,
      operation: known.operation,
      method: known.method,
      queries: given as Array<[string, string]>,
    },
  };
}

function findQueryProblem(
  { queries, oneOf: choice, named }: AdminPath,
  given: ReadonlyArray<readonly [string, unknown]>,
): AdminCallProblem | undefined {
  for (const [name, value] of given) {
    const rule = named?.name.test(name) ? named : Object.hasOwn(queries, name) ? queries[name] : undefined;
    if (!rule) return { at: ['queries', name], message: 'is not allowed for this path' };
    if (typeof value !== 'string' || !rule.pattern.test(value))
      return { at: ['queries', name], message: `must ${rule.must}` };
  }
  if (choice && given.length !== 1) return { at: ['queries'], message: `must have either ${choice.join(' or ')}` };
  if (named && (given.length === 0 || given.length > named.most))
    return { at: ['queries'], message: `must have 1 to ${named.most} members` };
  return undefined;
}

function refuse(at: readonly string[], message: string): CheckedAdminCall {
  return { ok: false, error: { at, message } };
}

/** The path and query as they are sent to Envoy. */
export function toAdminTarget({ path, queries }: Pick<AdminCall, 'queries'> & { readonly path: string }): string {
  if (queries.length === 0) return path;
  const pairs = queries.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `${path}?${pairs.join('&')}`;
}
