import type { PathMatch, RouteTable, ServedHost, ServedRoute, TextMatch } from './served-route.ts';

type Json = Readonly<Record<string, unknown>>;

/** Replaces a reference to another document by its content; undefined if it does not exist. */
export type Resolve = (value: unknown) => unknown;

/** Fields of a match that are read below. Any other one makes the route conditional. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'prefix',
  'path',
  'safe_regex',
  'path_separated_prefix',
  'path_match_policy',
  'case_sensitive',
  'headers',
]);

/**
 * Reads an `envoy.config.route.v3.RouteConfiguration` with the field names of its proto, and further virtual hosts. `room` limits the routes; of the rest, the
 * domains stay, because they still take their requests.
 */
export function readRouteTable(
  configuration: unknown,
  { hosts = [], resolve, room }: { hosts?: readonly unknown[]; resolve: Resolve; room: number },
): RouteTable {
  const table = asRecord(resolve(configuration));
  // A header of the request names the host: nobody here can say which one it is.
  if (table.vhost_header !== undefined) return { ignoresPort: false, hosts: [] };
  let left = room;
  const read = [...asList(table.virtual_hosts), ...hosts].map((host) => {
    const one = readHost(asRecord(resolve(host)), resolve, left);
    left -= one.routes.length;
    return one;
  });
  return { ignoresPort: table.ignore_port_in_host_matching === true, hosts: read };
}

export function countRoutes({ hosts }: RouteTable): number {
  return hosts.reduce((sum, { routes }) => sum + routes.length, 0);
}

function readHost(host: Json, resolve: Resolve, room: number): ServedHost {
  const domains = asList(host.domains).filter((domain) => typeof domain === 'string');
  const routes = asList(host.routes).slice(0, Math.max(0, room));
  return { domains, routes: routes.map((route) => readRoute(asRecord(resolve(route)), resolve)) };
}

function readRoute(route: Json, resolve: Resolve): ServedRoute {
  const match = asRecord(resolve(route.match));
  const methods: TextMatch[] = [];
  let isConditional = Object.keys(match).some((field) => !KNOWN_FIELDS.has(field));
  for (const header of asList(match.headers).map((one) => asRecord(resolve(one)))) {
    const method = header.name === ':method' ? readHeader(header) : undefined;
    if (method === undefined) isConditional = true;
    else methods.push(method);
  }
  return { path: readPath(match), methods, isConditional };
}

function readPath(match: Json): PathMatch {
  const ignoresCase = match.case_sensitive === false;
  if (typeof match.path === 'string') return { kind: 'exact', text: match.path, ignoresCase };
  if (typeof match.prefix === 'string') return { kind: 'prefix', text: match.prefix, ignoresCase };
  if (typeof match.path_separated_prefix === 'string')
    return { kind: 'separated', text: match.path_separated_prefix, ignoresCase };
  const regex = asRecord(match.safe_regex).regex;
  if (typeof regex === 'string') return { kind: 'regex', text: regex };
  const { path_template: template } = asRecord(asRecord(match.path_match_policy).typed_config);
  return typeof template === 'string' ? { kind: 'template', text: template } : { kind: 'opaque' };
}

/** A condition on the method. Undefined for a form that is not read. */
function readHeader(header: Json): TextMatch | undefined {
  const isInverted = header.invert_match === true;
  const plain = (kind: TextMatch['kind'], text: unknown, ignoresCase = false): TextMatch | undefined =>
    typeof text === 'string' ? { kind, text, ignoresCase, isInverted } : undefined;
  const match = header.string_match === undefined ? undefined : asRecord(header.string_match);
  if (match === undefined)
    return (
      plain('exact', header.exact_match) ??
      plain('prefix', header.prefix_match) ??
      plain('suffix', header.suffix_match) ??
      plain('contains', header.contains_match) ??
      plain('regex', asRecord(header.safe_regex_match).regex)
    );
  const ignoresCase = match.ignore_case === true;
  return (
    plain('exact', match.exact, ignoresCase) ??
    plain('prefix', match.prefix, ignoresCase) ??
    plain('suffix', match.suffix, ignoresCase) ??
    plain('contains', match.contains, ignoresCase) ??
    plain('regex', asRecord(match.safe_regex).regex)
  );
}

function asRecord(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
