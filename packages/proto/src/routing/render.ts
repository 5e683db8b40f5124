import { FAMILIES, type Family, parseIp, parsePrefix } from './addresses.ts';
import { familiesOf, familyOfList, nameOf } from './check-document.ts';
import type { BgpCommunityList, BgpDocument, BgpNeighbor, BgpPeerGroup, BgpRouteMap } from './document.ts';

/**
 * One line of FRR's configuration: the lines of the blocks that contain it, from the outermost one, and its own text. A block
 * is itself a line.
 */
export type ConfigLine = readonly string[];

type Session = BgpNeighbor | BgpPeerGroup;

/** FRR does not print what has its default. */
const DEFAULTS = {
  keepalive: 60,
  hold: 180,
  connect: 120,
  restart: 120,
  stale: 360,
  defer: 360,
  rib: 500,
  paths: 1,
  distance: '20-200-200',
};

/**
 * Returns the lines of FRR's configuration for a document, in the spelling that FRR prints and in an order in which FRR
 * accepts them. `announced` contains the networks of the health routes whose service is healthy.
 */
export function renderDocument(document: BgpDocument, announced: ReadonlySet<string>): ConfigLine[] {
  return [
    ...renderLists(document),
    ...document.route_maps.flatMap(renderRouteMap(document)),
    ...renderBgp(document, announced),
  ];
}

function renderLists(document: BgpDocument): ConfigLine[] {
  const profiles = document.bfd_profiles.flatMap((one) => {
    const at = ['bfd', `profile ${one.name}`];
    return [
      at,
      ...optional(one.detect_multiplier !== 3, [...at, `detect-multiplier ${one.detect_multiplier}`]),
      ...optional(one.transmit_interval_ms !== 300, [...at, `transmit-interval ${one.transmit_interval_ms}`]),
      ...optional(one.receive_interval_ms !== 300, [...at, `receive-interval ${one.receive_interval_ms}`]),
    ];
  });
  const prefixes = document.prefix_lists.map(({ name, sequence, action, prefix, ge, le }) => {
    const kind = parsePrefix(prefix)?.family === 'ipv6' ? 'ipv6' : 'ip';
    const range = `${ge === undefined ? '' : ` ge ${ge}`}${le === undefined ? '' : ` le ${le}`}`;
    return [`${kind} prefix-list ${name} seq ${sequence} ${action} ${prefix}${range}`];
  });
  const paths = document.as_path_lists.map(({ name, sequence, action, expression }) => [
    `bgp as-path access-list ${name} seq ${sequence} ${action} ${expression}`,
  ]);
  return [...profiles, ...prefixes, ...document.community_lists.map(renderCommunityList), ...paths];
}

function renderCommunityList({ name, sequence, action, type, community_values }: BgpCommunityList): ConfigLine {
  const kind = type === 'large' ? 'large-community-list standard' : `community-list ${type}`;
  const values = type === 'expanded' ? community_values : sortCommunities(community_values);
  return [`bgp ${kind} ${name} seq ${sequence} ${action} ${values.join(' ')}`];
}

const WELL_KNOWN_ORDER = ['graceful-shutdown', 'blackhole', 'no-export', 'no-advertise', 'local-AS', 'no-peer'];

/** FRR sorts communities by their numbers and drops duplicates. The well-known ones are the largest. */
function sortCommunities(values: readonly string[]): string[] {
  const rank = (value: string) => WELL_KNOWN_ORDER.indexOf(value);
  return [...new Set(values)].toSorted((a, b) => {
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    const [left, right] = [a.split(':').map(Number), b.split(':').map(Number)];
    return left.map((one, i) => one - (right[i] ?? 0)).find((one) => one !== 0) ?? 0;
  });
}

function renderRouteMap(document: BgpDocument): (map: BgpRouteMap) => ConfigLine[] {
  return ({ name, action, sequence, description, match_conditions, set_actions: set }) => {
    const at = `route-map ${name} ${action} ${sequence}`;
    const matches = match_conditions.map(({ match_type: type, match_value: value }) => {
      if (type !== 'prefix-list') return `match ${type} ${value}`;
      return `match ${familyOfList(document, value) === 'ipv6' ? 'ipv6' : 'ip'} address prefix-list ${value}`;
    });
    const texts = [
      ...given(description, (text) => `description ${text}`),
      ...matches,
      ...given(set.set_as_path_prepend, (path) => `set as-path prepend ${path.join(' ')}`),
      ...given(set.set_community, (all) => setCommunities('community', all, set.set_community_additive)),
      ...given(set.set_large_community, (all) =>
        setCommunities('large-community', all, set.set_large_community_additive),
      ),
      ...given(set.set_nexthop, (address) =>
        parseIp(address)?.family === 'ipv6' ? `set ipv6 next-hop global ${address}` : `set ip next-hop ${address}`,
      ),
      ...given(set.set_local_preference, (value) => `set local-preference ${value}`),
      ...given(set.set_metric, (value) => `set metric ${value}`),
      ...given(set.set_origin, (value) => `set origin ${value}`),
      ...given(set.set_weight, (value) => `set weight ${value}`),
    ];
    return [[at], ...texts.map((text) => [at, text])];
  };
}

function setCommunities(kind: string, values: readonly string[], additive: boolean | undefined): string {
  return `set ${kind} ${sortCommunities(values).join(' ')}${additive === true ? ' additive' : ''}`;
}

function renderBgp(document: BgpDocument, announced: ReadonlySet<string>): ConfigLine[] {
  const at = `router bgp ${document.autonomous_system}`;
  const texts = [
    ...renderGlobals(document),
    ...document.peer_groups.flatMap((one) => [`neighbor ${one.name} peer-group`, ...renderSession(one)]),
    ...document.neighbors.flatMap((one) => renderSession(one)),
  ];
  return [
    [at],
    ...texts.map((text) => [at, text]),
    ...FAMILIES.flatMap((family) => renderFamily(document, family, announced).map((line) => [at, ...line])),
  ];
}

function renderGlobals(document: BgpDocument): string[] {
  const { keepalive_time: keepalive, hold_time: hold } = document;
  const hasTimers = keepalive !== undefined && (keepalive !== DEFAULTS.keepalive || hold !== DEFAULTS.hold);
  return [
    `bgp router-id ${document.router_id}`,
    ...optional(document.log_neighbor_changes, 'bgp log-neighbor-changes'),
    ...optional(document.always_compare_med, 'bgp always-compare-med'),
    ...optional(!document.ebgp_requires_policy, 'no bgp ebgp-requires-policy'),
    'no bgp default ipv4-unicast',
    ...optional(document.deterministic_med, 'bgp deterministic-med'),
    ...unlessDefault(document.stale_path_time, DEFAULTS.stale, 'bgp graceful-restart stalepath-time'),
    ...unlessDefault(document.graceful_restart_time, DEFAULTS.restart, 'bgp graceful-restart restart-time'),
    ...unlessDefault(document.select_defer_time, DEFAULTS.defer, 'bgp graceful-restart select-defer-time'),
    ...optional(document.graceful_restart_enabled, 'bgp graceful-restart'),
    ...optional(document.graceful_restart_disable, 'bgp graceful-restart-disable'),
    ...optional(document.preserve_forwarding_state, 'bgp graceful-restart preserve-fw-state'),
    ...unlessDefault(document.rib_stale_time, DEFAULTS.rib, 'bgp graceful-restart rib-stale-time'),
    ...optional(hasTimers, `timers bgp ${keepalive} ${hold}`),
  ];
}

function renderSession(session: Session): string[] {
  const at = `neighbor ${nameOf(session)}`;
  const { timers } = session;
  return [
    ...given(session.remote_as, (remote) => `${at} remote-as ${remote}`),
    ...given('peer_group' in session ? session.peer_group : undefined, (group) => `${at} peer-group ${group}`),
    ...given(session.description, (text) => `${at} description ${text}`),
    ...optional(session.shutdown === true, `${at} shutdown`),
    ...optional(session.bfd === true, `${at} bfd`),
    ...given(session.bfd_profile, (profile) => `${at} bfd profile ${profile}`),
    ...given(session.password, (password) => `${at} password ${password}`),
    ...optional(session.ebgp_multihop === true, `${at} ebgp-multihop ${session.ebgp_multihop_ttl ?? 255}`),
    ...optional(session.disable_connected_check === true, `${at} disable-connected-check`),
    ...given(session.update_source, (source) => `${at} update-source ${source}`),
    ...given(timers?.keepalive, (keepalive) => `${at} timers ${keepalive} ${timers?.holdtime}`),
    ...unlessDefault(timers?.connect_retry, DEFAULTS.connect, `${at} timers connect`),
    ...optional(session.graceful_restart === true, `${at} graceful-restart`),
    ...optional(session.graceful_restart_helper === true, `${at} graceful-restart-helper`),
    ...optional(session.graceful_restart_disable === true, `${at} graceful-restart-disable`),
  ];
}

function renderFamily(document: BgpDocument, family: Family, announced: ReadonlySet<string>): ConfigLine[] {
  const at = `address-family ${family} unicast`;
  const [external, internal, local] = (document.administrative_distance ?? DEFAULTS.distance).split('-');
  const hasDistance =
    document.administrative_distance !== undefined && document.administrative_distance !== DEFAULTS.distance;
  const networks = [
    ...document.networks,
    ...document.health_routes.flatMap(({ prefix }) => (announced.has(prefix) ? [prefix] : [])),
  ];
  const paths = document.maximum_paths ?? DEFAULTS.paths;
  const texts = [
    ...optional(hasDistance, `distance bgp ${external} ${internal} ${local}`),
    ...networks.flatMap((network) => optional(parsePrefix(network)?.family === family, `network ${network}`)),
    ...(['kernel', 'connected', 'static', 'local'] as const).flatMap((source) =>
      optional(document[`redistribute_${source}`], `redistribute ${source}`),
    ),
    ...[...document.peer_groups, ...document.neighbors]
      .filter((one) => familiesOf(document, one).includes(family))
      .flatMap((one) => renderSessionFamily(document, one, family)),
    ...optional(paths !== DEFAULTS.paths, `maximum-paths ${paths}`),
    ...optional(paths !== DEFAULTS.paths, `maximum-paths ibgp ${paths}`),
  ];
  return texts.length > 0 ? [[at], ...texts.map((text) => [at, text])] : [];
}

function renderSessionFamily(document: BgpDocument, session: Session, family: Family): string[] {
  const at = `neighbor ${nameOf(session)}`;
  const policies = (['in', 'out'] as const).flatMap((direction) => [
    ...(session.prefix_lists?.[`prefix_list_${direction}`] ?? [])
      .filter((name) => familyOfList(document, name) === family)
      .map((name) => `${at} prefix-list ${name} ${direction}`),
    ...(session.route_maps?.[`route_map_${direction}`] ?? []).map((name) => `${at} route-map ${name} ${direction}`),
  ]);
  return [
    ...optional(!('peer_group' in session && session.peer_group !== undefined), `${at} activate`),
    ...optional(session.next_hop_self === true, `${at} next-hop-self`),
    ...optional(session.soft_reconfiguration === true, `${at} soft-reconfiguration inbound`),
    ...given(session.maximum_prefix, (most) => `${at} maximum-prefix ${most}`),
    ...given(session.maximum_prefix_out, (most) => `${at} maximum-prefix-out ${most}`),
    ...given(session.allowas_in, (count) => `${at} allowas-in${count === 3 ? '' : ` ${count}`}`),
    ...given(session.weight, (weight) => `${at} weight ${weight}`),
    ...policies,
  ];
}

function optional<T>(isThere: boolean, one: T): T[] {
  return isThere ? [one] : [];
}

function given<T>(value: T | undefined, render: (value: T) => string): string[] {
  return value === undefined ? [] : [render(value)];
}

function unlessDefault(value: number | undefined, standard: number, text: string): string[] {
  return value === undefined || value === standard ? [] : [`${text} ${value}`];
}
