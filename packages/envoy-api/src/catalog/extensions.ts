import type { EnvoyApi } from '../api.ts';
import { ANY_SLOT, categoriesOf, PER_ROUTE_SLOT } from './slots.ts';
import { extensionTable, type TableEntry } from './table.ts';
import { titleOf } from './titles.ts';

/** An extension to choose in a form. */
export interface ExtensionDescription {
  /** Full name of the configuration message. */
  readonly type: string;
  /** Envoy's name for it: `envoy.filters.http.router`. */
  readonly name: string;
  readonly category: string;
  readonly title: string;
  readonly deprecated: boolean;
  /** Among the most used ones. */
  readonly common: boolean;
  readonly docsUrl: string;
}

/** For a filter with several messages: the ones for routes, not for the filter itself. */
const FOR_ROUTES = /(?:PerRoute(?:Config|Override)?|Overrides?|\.CorsPolicy|WithMatcherPerRoute)$/;

/** Filters that use their own message on routes, too. */
const SAME_ON_ROUTES: ReadonlySet<string> = new Set([
  'envoy.filters.http.bandwidth_limit',
  'envoy.filters.http.csrf',
  'envoy.filters.http.custom_response',
  'envoy.filters.http.fault',
  'envoy.filters.http.grpc_json_transcoder',
  'envoy.filters.http.header_to_metadata',
  'envoy.filters.http.local_ratelimit',
]);

const COMMON: ReadonlySet<string> = new Set([
  ...[
    'buffer',
    'compressor',
    'cors',
    'ext_authz',
    'ext_proc',
    'fault',
    'grpc_web',
    'header_mutation',
    'header_to_metadata',
    'health_check',
    'jwt_authn',
    'local_ratelimit',
    'lua',
    'oauth2',
    'ratelimit',
    'rbac',
    'router',
  ].map((name) => `envoy.filters.http.${name}`),
  ...['http_connection_manager', 'tcp_proxy', 'rbac', 'local_ratelimit'].map((name) => `envoy.filters.network.${name}`),
  ...['tls_inspector', 'proxy_protocol', 'original_dst', 'http_inspector'].map(
    (name) => `envoy.filters.listener.${name}`,
  ),
  ...['tls', 'raw_buffer', 'upstream_proxy_protocol'].map((name) => `envoy.transport_sockets.${name}`),
  ...['file', 'stdout', 'stderr', 'http_grpc', 'open_telemetry'].map((name) => `envoy.access_loggers.${name}`),
  ...['round_robin', 'least_request', 'ring_hash', 'maglev', 'random'].map(
    (name) => `envoy.load_balancing_policies.${name}`,
  ),
  'envoy.compression.gzip.compressor',
  'envoy.compression.brotli.compressor',
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
  'envoy.filters.udp_listener.udp_proxy',
  'envoy.resource_monitors.fixed_heap',
  'envoy.retry_host_predicates.previous_hosts',
  'envoy.stat_sinks.open_telemetry',
  'envoy.tracers.opentelemetry',
]);

/**
 * The extensions for a slot of this version (see `slotOf`), all for `*`: the common ones first, then by title. Only
 * messages in the version's descriptors. Empty for an unknown slot.
 */
export function listExtensions(api: EnvoyApi, slot: string = ANY_SLOT): ExtensionDescription[] {
  const wanted = slot === ANY_SLOT ? undefined : new Set(categoriesOf(slot));
  const found = new Map<string, ExtensionDescription>();
  for (const entry of extensionTable(api.version)) {
    for (const { category, type } of placesOf(entry)) {
      if ((wanted && !wanted.has(category)) || !api.hasMessage(type)) continue;
      // In a slot of several categories a message is listed once; in `*`, once per category.
      const key = wanted ? type : `${category} ${type}`;
      const known = found.get(key);
      // If a message has several names, prefers the one in the style of its category.
      if (known && !(entry.name.startsWith('envoy.') && !known.name.startsWith('envoy.'))) continue;
      found.set(key, describeExtension(api, { name: entry.name, category, type }));
    }
  }
  return [...found.values()].toSorted(
    (a, b) => Number(b.common) - Number(a.common) || a.title.localeCompare(b.title, 'en') || compare(a.type, b.type),
  );
}

function describeExtension(
  api: EnvoyApi,
  { name, category, type }: { name: string; category: string; type: string },
): ExtensionDescription {
  return {
    type,
    name,
    category,
    title: titleOf(name),
    deprecated: api.registry.getMessage(type)?.deprecated ?? false,
    common: COMMON.has(name),
    docsUrl: api.docsUrl(type),
  };
}

/** A filter's messages, separated by where they are used. */
function placesOf({ category, name, types }: TableEntry): { category: string; type: string }[] {
  if (!category.startsWith('envoy.filters.http')) return types.map((type) => ({ category, type }));
  const own = types.filter((type) => types.length === 1 || !FOR_ROUTES.test(type));
  const forRoutes = SAME_ON_ROUTES.has(name) ? types : types.filter((type) => !own.includes(type));
  return [
    ...own.map((type) => ({ category, type })),
    ...(category === 'envoy.filters.http' ? forRoutes.map((type) => ({ category: PER_ROUTE_SLOT, type })) : []),
  ];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
