import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import type { EffectiveDomain } from '@flotilla/policy';
import { SHIELD_HTTP_FILTER_NAME } from '../documents/reserved.ts';
import { listOf } from './connection-manager.ts';
import { isUnseen, type PolicyCoverage } from './coverage.ts';

/** The result for a route configuration. */
export interface SwitchedOff {
  /** The virtual hosts to send instead. */
  readonly virtualHosts: readonly JsonValue[];
  /** Virtual hosts, and routes of other virtual hosts, without the filter. */
  readonly hostCount: number;
  readonly routeCount: number;
}

const DISABLED: JsonObject = {
  '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExtProcPerRoute',
  disabled: true,
};

/** Fields of a route configuration with which the assumptions here about the choice of virtual hosts and routes hold. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  'name',
  'virtual_hosts',
  'internal_only_headers',
  'response_headers_to_add',
  'response_headers_to_remove',
  'request_headers_to_add',
  'request_headers_to_remove',
  'most_specific_header_mutations_wins',
  'validate_clusters',
  'max_direct_response_body_size_bytes',
  'cluster_specifier_plugins',
  'request_mirror_policies',
  'typed_per_filter_config',
  'metadata',
]);

/** Fields of a route match that only narrow what prefix or path select. */
const NARROWING: ReadonlySet<string> = new Set([
  'prefix',
  'path',
  'path_separated_prefix',
  'case_sensitive',
  'headers',
  'query_parameters',
  'cookies',
  'grpc',
  'tls_context',
]);

const SEGMENT = "[A-Za-z0-9_~!$&')*+,=:@-][A-Za-z0-9_.~!$&'()*+,=:@-]*";

/**
 * Paths that every program reads alike, with any query (RE2, full match). Narrower than what `readPath` treats as
 * ordinary.
 */
const ORDINARY_PATH = `/(?:${SEGMENT}(?:/${SEGMENT})*/?)?(?:\\?.*)?`;
/**
 * Some of these still lead elsewhere: after the name of a script, by dots at the end of a name (`listMapped` of
 * policies), or by a query that is a path.
 */
const MAPPED_PATH = '(?i:[^?]*(?:\\.php[^?]|\\.(?:phtml|phar|f?cgi|pl|py|wsgi|rb|cfm|aspx?)/|\\.(?:[/?]|$)|\\?+/).*)';
/** Names that every program reads alike, without a port; the last label is not a number. */
const ORDINARY_HOST = '(?:[A-Za-z0-9_-]+\\.)*[A-Za-z_-][A-Za-z0-9_-]*';

const ASKED: SwitchedOff = { virtualHosts: [], hostCount: 0, routeCount: 0 };

/**
 * Disables the filter on virtual hosts and routes whose requests no policy applies to. Ambiguous requests always use
 * it: if a route may get such requests, a copy of it for ordinary ones is inserted before it, and only the copy has no
 * filter. Anything unknown is left unchanged. Does not modify its input; undefined if nothing can be disabled.
 */
export function switchOff(routes: JsonObject, coverage: PolicyCoverage): SwitchedOff | undefined {
  if (Object.keys(routes).some((field) => !UNDERSTOOD.has(field))) return undefined;
  const done = listOf(routes.virtual_hosts).map((host) =>
    isJsonObject(host) ? switchHostOff(host, coverage) : { ...ASKED, virtualHosts: [host] },
  );
  const result = {
    virtualHosts: done.flatMap(({ virtualHosts }) => virtualHosts),
    hostCount: done.reduce((sum, { hostCount }) => sum + hostCount, 0),
    routeCount: done.reduce((sum, { routeCount }) => sum + routeCount, 0),
  };
  return result.hostCount + result.routeCount === 0 ? undefined : result;
}

function switchHostOff(host: JsonObject, coverage: PolicyCoverage): SwitchedOff {
  const overlaps = listOf(host.domains).map((entry) => coverage.findOverlap(String(entry)));
  const known = overlaps.filter((overlap) => overlap !== undefined);
  if (known.length < overlaps.length || known.length === 0) return { ...ASKED, virtualHosts: [host] };
  const domains = [...new Set(known.flatMap((overlap) => overlap.domains))];
  const isExact = known.every((overlap) => overlap.isExact);
  if (isExact && domains.length === 0) return { virtualHosts: [withoutFilter(host)], hostCount: 1, routeCount: 0 };
  if (host.matcher !== undefined || hasSpecifiers(host)) return { ...ASKED, virtualHosts: [host] };
  const done = listOf(host.routes).map((route) =>
    isJsonObject(route) ? switchRouteOff(route, { domains, isExact }) : undefined,
  );
  const routes = listOf(host.routes).flatMap((route, index) => done[index] ?? [route]);
  const routeCount = done.filter((one) => one !== undefined).length;
  return { virtualHosts: [routeCount === 0 ? host : { ...host, routes }], hostCount: 0, routeCount };
}

/** The replacement of a route; undefined if it is unchanged. */
function switchRouteOff(
  route: JsonObject,
  host: { domains: readonly EffectiveDomain[]; isExact: boolean },
): JsonObject[] | undefined {
  const { match, route: action } = route;
  if (!isJsonObject(match) || Object.keys(match).some((field) => !NARROWING.has(field))) return undefined;
  if (match.case_sensitive === false) return undefined;
  if (route.non_forwarding_action !== undefined || route.filter_action !== undefined) return undefined;
  if (hasSpecifiers(route)) return undefined;
  if (isJsonObject(action) && listOf(action.upgrade_configs).length > 0) return undefined;
  const isWhole = typeof match.path === 'string';
  const path = match.path ?? match.prefix ?? match.path_separated_prefix;
  if (typeof path !== 'string' || !path.startsWith('/')) return undefined;
  if (!host.domains.every((domain) => isUnseen(domain, { prefix: path, isWhole }))) return undefined;
  const ofPath = [
    ...(isWhole ? [] : [condition(':path', ORDINARY_PATH)]),
    { ...condition(':path', MAPPED_PATH), invert_match: true },
  ];
  const headers = [
    ...listOf(match.headers),
    ...(host.domains.length === 0 ? [] : ofPath),
    ...(host.isExact ? [] : [condition(':authority', ORDINARY_HOST)]),
  ];
  return [withoutFilter({ ...route, match: { ...match, headers } }), route];
}

/** Extensions that select another route than the one that matched (Envoy 1.40). */
function hasSpecifiers(holder: JsonObject): boolean {
  return listOf(holder.route_specifiers).length > 0;
}

function condition(name: string, regex: string): JsonObject {
  return { name, string_match: { safe_regex: { regex } } };
}

function withoutFilter(holder: JsonObject): JsonObject {
  const own = isJsonObject(holder.typed_per_filter_config) ? holder.typed_per_filter_config : {};
  return { ...holder, typed_per_filter_config: { ...own, [SHIELD_HTTP_FILTER_NAME]: DISABLED } };
}
