/*
 * Readers of what Envoy's admin interface answers to PROXY commands. The answer comes from a host that may be compromised or run a
 * newer Envoy: what has another shape is left out, and an answer of another shape as a whole is undefined.
 */

export interface EnvoyEndpoint {
  readonly address: string;
  /** True unless Envoy does not send requests there. */
  readonly isHealthy: boolean;
  /** `healthy`, or the reasons why not: `failed active health check`. */
  readonly health: string;
  readonly weight: number;
  readonly activeRequests: number;
}

export interface EnvoyCluster {
  readonly name: string;
  readonly endpoints: readonly EnvoyEndpoint[];
}

export interface EnvoyListener {
  readonly name: string;
  readonly addresses: readonly string[];
}

export interface EnvoyStat {
  readonly name: string;
  readonly value: number | string;
}

export interface EnvoyServer {
  /** `LIVE`, `DRAINING` after /healthcheck/fail, or a state of the start. */
  readonly state: string;
  readonly version: string;
  readonly uptime: string;
}

/** Statuses of endpoint discovery with which Envoy sends no requests. */
const DOWN = new Set(['UNHEALTHY', 'DRAINING', 'TIMEOUT']);

export function readEnvoyClusters(body: unknown): EnvoyCluster[] | undefined {
  return itemsOf(body, 'cluster_statuses')?.flatMap(({ name, host_statuses: hosts }) =>
    typeof name === 'string' ? [{ name, endpoints: objectsOf(hosts).map(toEndpoint) }] : [],
  );
}

export function readEnvoyListeners(body: unknown): EnvoyListener[] | undefined {
  return itemsOf(body, 'listener_statuses')?.flatMap(({ name, local_address, additional_local_addresses }) => {
    if (typeof name !== 'string') return [];
    const addresses = [local_address, ...objectsOf(additional_local_addresses)].map(formatAddress);
    return [{ name, addresses: addresses.filter((one) => one !== '') }];
  });
}

/** In the order of Envoy. Histograms have no single value and are left out. */
export function readEnvoyStats(body: unknown): EnvoyStat[] | undefined {
  return itemsOf(body, 'stats')?.flatMap(({ name, value }) =>
    typeof name === 'string' && (typeof value === 'number' || typeof value === 'string') ? [{ name, value }] : [],
  );
}

/** Levels by logger, sorted by name. */
export function readEnvoyLevels(body: unknown): Array<readonly [logger: string, level: string]> | undefined {
  if (!isObject(body) || !isObject(body.levels)) return undefined;
  return Object.entries(body.levels)
    .flatMap(([logger, level]) => (typeof level === 'string' ? [[logger, level] as const] : []))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

export function readEnvoyServer(body: unknown): EnvoyServer | undefined {
  if (!isObject(body) || typeof body.state !== 'string') return undefined;
  // Envoy's version is a path: commit, version, state of the sources, kind of build, library.
  const [, version = ''] = textOf(body.version).split('/');
  return { state: body.state, version, uptime: textOf(body.uptime_current_epoch) };
}

function toEndpoint({ address, health_status: health, weight, stats }: Fields): EnvoyEndpoint {
  const status = isObject(health) ? health : {};
  const failures = Object.entries(status).flatMap(([name, value]) => (value === true ? name.replaceAll('_', ' ') : []));
  const reported = textOf(status.eds_health_status);
  const problems = DOWN.has(reported) ? [...failures, `reported as ${reported.toLowerCase()}`] : failures;
  const active = objectsOf(stats).find(({ name }) => name === 'rq_active');
  return {
    address: formatAddress(address),
    isHealthy: problems.length === 0,
    health: problems.length > 0 ? problems.join(', ') : reported === 'DEGRADED' ? 'degraded' : 'healthy',
    weight: Number(weight) || 0,
    // Envoy writes 64-bit numbers as texts, and leaves out zero.
    activeRequests: Number(active?.value) || 0,
  };
}

function formatAddress(address: unknown): string {
  if (!isObject(address)) return '';
  const { socket_address: socket, pipe, envoy_internal_address: internal } = address;
  if (isObject(pipe)) return textOf(pipe.path);
  if (isObject(internal)) return textOf(internal.server_listener_name);
  if (!isObject(socket)) return '';
  const host = textOf(socket.address);
  return `${host.includes(':') ? `[${host}]` : host}:${Number(socket.port_value) || 0}`;
}

type Fields = Readonly<Record<string, unknown>>;

function itemsOf(body: unknown, name: string): Fields[] | undefined {
  if (!isObject(body)) return undefined;
  // Envoy leaves out an empty list.
  const items = body[name] ?? [];
  return Array.isArray(items) ? objectsOf(items) : undefined;
}

function objectsOf(items: unknown): Fields[] {
  return Array.isArray(items) ? items.filter(isObject) : [];
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
