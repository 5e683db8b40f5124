import { ADDRESS_BITS, FAMILIES, type Family, parseIp, parsePrefix } from './addresses.ts';
import type { BgpDocument, BgpNeighbor, BgpPeerGroup } from './document.ts';
import { communitySchema, expressionSchema, largeCommunitySchema } from './fields.ts';

/** `path` leads to the member of the document. */
export interface DocumentProblem {
  readonly path: ReadonlyArray<string | number>;
  readonly message: string;
}

type Session = BgpNeighbor | BgpPeerGroup;

/** Finds what the schema cannot express: duplicates, names that nothing defines, and members that contradict each other. */
export function checkDocument(document: BgpDocument): DocumentProblem[] {
  return [
    ...checkGlobals(document),
    ...findDuplicates(document),
    ...document.neighbors.flatMap((one, i) => [
      ...checkNeighbor(document, one, ['neighbors', i]),
      ...checkSession(document, one, ['neighbors', i]),
    ]),
    ...document.peer_groups.flatMap((one, i) => [...checkSession(document, one, ['peer_groups', i])]),
    ...checkPrefixLists(document),
    ...checkCommunityLists(document),
    ...checkRouteMaps(document),
  ];
}

/** Advice that does not prevent the configuration from being applied. */
export function findWarnings(document: BgpDocument): string[] {
  const timers = [
    { of: 'the timers', keepalive: document.keepalive_time, hold: document.hold_time },
    ...[...document.neighbors, ...document.peer_groups].map((one) => ({
      of: `the timers of ${nameOf(one)}`,
      keepalive: one.timers?.keepalive,
      hold: one.timers?.holdtime,
    })),
  ];
  const slow = timers.flatMap(({ of, keepalive, hold }) =>
    keepalive !== undefined && hold !== undefined && keepalive > hold / 3
      ? [`${of}: keepalive ${keepalive} is more than a third of the hold time ${hold}`]
      : [],
  );
  const open = document.ebgp_requires_policy
    ? document.neighbors.flatMap((one) => (isExternalWithoutPolicy(document, one) ? [withoutPolicy(one)] : []))
    : [];
  return [...slow, ...open];
}

function withoutPolicy({ peer_ip }: BgpNeighbor): string {
  return `neighbour ${peer_ip} has no policy for both directions, so it exchanges no routes; give route maps or prefix lists, or set ebgp_requires_policy to false`;
}

function isExternalWithoutPolicy(document: BgpDocument, neighbor: BgpNeighbor): boolean {
  const group = groupOf(document, neighbor);
  const remote = neighbor.remote_as ?? group?.remote_as;
  if (remote === document.autonomous_system) return false;
  const all = [neighbor, ...(group ? [group] : [])];
  const has = (direction: 'in' | 'out') =>
    all.some(
      ({ route_maps: maps, prefix_lists: lists }) =>
        (maps?.[`route_map_${direction}`].length ?? 0) > 0 || (lists?.[`prefix_list_${direction}`].length ?? 0) > 0,
    );
  return !has('in') || !has('out');
}

export function nameOf(session: Session): string {
  return 'peer_ip' in session ? session.peer_ip : session.name;
}

export function groupOf(document: BgpDocument, { peer_group }: BgpNeighbor): BgpPeerGroup | undefined {
  return document.peer_groups.find(({ name }) => name === peer_group);
}

/** A member of a group has the families of the group, and a group has by default that of IPv4. */
export function familiesOf(document: BgpDocument, session: Session): readonly Family[] {
  const group = 'peer_ip' in session ? groupOf(document, session) : undefined;
  if (group) return familiesOf(document, group);
  if (session.families) return FAMILIES.filter((family) => session.families?.includes(family));
  return [('peer_ip' in session ? parseIp(session.peer_ip)?.family : undefined) ?? 'ipv4'];
}

/** The family of a prefix list is that of its entries. */
export function familyOfList(document: BgpDocument, name: string): Family | undefined {
  const entry = document.prefix_lists.find((one) => one.name === name);
  return entry && parsePrefix(entry.prefix)?.family;
}

function* checkGlobals(document: BgpDocument): Generator<DocumentProblem> {
  const { keepalive_time: keepalive, hold_time: hold } = document;
  if ((keepalive === undefined) !== (hold === undefined)) {
    yield { path: ['keepalive_time'], message: 'must be given together with hold_time' };
  }
  if (keepalive !== undefined && hold !== undefined && keepalive >= hold) {
    yield { path: ['keepalive_time'], message: 'must be less than hold_time' };
  }
  if (document.graceful_restart_enabled && document.graceful_restart_disable) {
    yield { path: ['graceful_restart_disable'], message: 'must not be given together with graceful_restart_enabled' };
  }
}

function findDuplicates(document: BgpDocument): DocumentProblem[] {
  const lists = [
    repeated('neighbors', document.neighbors.map(nameOf)),
    repeated('peer_groups', document.peer_groups.map(nameOf)),
    repeated('networks', document.networks),
    repeated(
      'bfd_profiles',
      document.bfd_profiles.map(({ name }) => name),
    ),
    repeated(
      'health_routes',
      document.health_routes.map(({ prefix }) => prefix),
    ),
    ...(['prefix_lists', 'community_lists', 'as_path_lists', 'route_maps'] as const).map((key) =>
      repeated(
        key,
        document[key].map(({ name, sequence }) => `${name} ${sequence}`),
      ),
    ),
  ];
  const both = document.health_routes.flatMap(({ prefix }, i) =>
    document.networks.includes(prefix)
      ? [
          {
            path: ['health_routes', i, 'prefix'],
            message: `${prefix} is in networks, too, and would never be withdrawn`,
          },
        ]
      : [],
  );
  return [...lists.flat(), ...both];
}

function repeated(key: string, names: readonly string[]): DocumentProblem[] {
  const seen = new Set<string>();
  return names.flatMap((name, i) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ path: [key, i], message: `${name} exists twice` }];
  });
}

function* checkNeighbor(
  document: BgpDocument,
  neighbor: BgpNeighbor,
  path: ReadonlyArray<string | number>,
): Generator<DocumentProblem> {
  const group = groupOf(document, neighbor);
  if (neighbor.peer_group !== undefined && !group) {
    yield { path: [...path, 'peer_group'], message: `peer group ${neighbor.peer_group} does not exist` };
  }
  if (neighbor.remote_as === undefined && group?.remote_as === undefined) {
    yield { path: [...path, 'remote_as'], message: 'is required, unless the peer group has it' };
  }
  if (neighbor.remote_as !== undefined && group?.remote_as !== undefined) {
    yield { path: [...path, 'remote_as'], message: 'must not be given: the peer group has it' };
  }
  if (neighbor.families && neighbor.peer_group !== undefined) {
    yield { path: [...path, 'families'], message: 'must not be given: the peer group decides' };
  }
}

function* checkSession(
  document: BgpDocument,
  session: Session,
  path: ReadonlyArray<string | number>,
): Generator<DocumentProblem> {
  const { timers, bfd_profile: profile } = session;
  if ((timers?.keepalive === undefined) !== (timers?.holdtime === undefined)) {
    yield { path: [...path, 'timers'], message: 'must have both keepalive and holdtime, or neither' };
  }
  if (timers?.keepalive !== undefined && timers.holdtime !== undefined && timers.keepalive >= timers.holdtime) {
    yield { path: [...path, 'timers', 'keepalive'], message: 'must be less than holdtime' };
  }
  const modes = ['graceful_restart', 'graceful_restart_helper', 'graceful_restart_disable'] as const;
  if (modes.filter((mode) => session[mode] === true).length > 1) {
    yield { path: [...path, 'graceful_restart'], message: `at most one of ${modes.join(', ')} may be true` };
  }
  if (profile !== undefined && !document.bfd_profiles.some(({ name }) => name === profile)) {
    yield { path: [...path, 'bfd_profile'], message: `BFD profile ${profile} does not exist` };
  }
  if (profile !== undefined && session.bfd !== true) {
    yield { path: [...path, 'bfd_profile'], message: 'needs bfd to be true' };
  }
  if (session.ebgp_multihop === true && session.remote_as === document.autonomous_system) {
    yield { path: [...path, 'ebgp_multihop'], message: 'is only for neighbours of another AS' };
  }
  if (session.ebgp_multihop_ttl !== undefined && session.ebgp_multihop !== true) {
    yield { path: [...path, 'ebgp_multihop_ttl'], message: 'needs ebgp_multihop to be true' };
  }
  yield* checkPolicies(document, session, path);
}

function* checkPolicies(
  document: BgpDocument,
  session: Session,
  path: ReadonlyArray<string | number>,
): Generator<DocumentProblem> {
  const families = familiesOf(document, session);
  for (const direction of ['in', 'out'] as const) {
    const maps = session.route_maps?.[`route_map_${direction}`] ?? [];
    const mapPath = [...path, 'route_maps', `route_map_${direction}`];
    if (maps.length > 1) yield { path: mapPath, message: 'may contain only one route map' };
    for (const name of maps) {
      if (document.route_maps.some((one) => one.name === name)) continue;
      yield { path: mapPath, message: `route map ${name} does not exist` };
    }
    const lists = session.prefix_lists?.[`prefix_list_${direction}`] ?? [];
    const listPath = [...path, 'prefix_lists', `prefix_list_${direction}`];
    const ofLists = lists.map((name) => familyOfList(document, name));
    if (new Set(ofLists).size < ofLists.length) {
      yield { path: listPath, message: 'may contain one prefix list of each address family' };
    }
    for (const [i, name] of lists.entries()) {
      const family = ofLists[i];
      if (family === undefined) yield { path: listPath, message: `prefix list ${name} does not exist` };
      else if (!families.includes(family)) {
        yield { path: listPath, message: `prefix list ${name} is for ${family}, which the session does not carry` };
      }
    }
  }
}

function* checkPrefixLists(document: BgpDocument): Generator<DocumentProblem> {
  for (const [i, entry] of document.prefix_lists.entries()) {
    const path = ['prefix_lists', i];
    const prefix = parsePrefix(entry.prefix);
    if (!prefix) continue;
    if (prefix.family !== familyOfList(document, entry.name)) {
      yield { path, message: `all entries of ${entry.name} must be of the same address family` };
    }
    const { ge, le } = entry;
    const most = ADDRESS_BITS[prefix.family];
    if (ge !== undefined && (ge <= prefix.length || ge > most)) {
      yield { path: [...path, 'ge'], message: `must be more than ${prefix.length} and at most ${most}` };
    }
    if (le !== undefined && (le <= prefix.length || le > most || (ge !== undefined && le < ge))) {
      yield { path: [...path, 'le'], message: `must be more than ${prefix.length}, at least ge and at most ${most}` };
    }
  }
}

function* checkCommunityLists({ community_lists }: BgpDocument): Generator<DocumentProblem> {
  const schemas = { standard: communitySchema, large: largeCommunitySchema, expanded: expressionSchema };
  const types = new Map<string, string>();
  for (const [i, { name, type, community_values: values }] of community_lists.entries()) {
    const known = types.get(name) ?? type;
    types.set(name, known);
    if (known !== type) yield { path: ['community_lists', i, 'type'], message: `must be ${known}, as in ${name}` };
    if (type === 'expanded' && values.length > 1) {
      yield { path: ['community_lists', i, 'community_values'], message: 'must be one expression' };
    }
    for (const [j, value] of values.entries()) {
      const [problem] = schemas[type].safeParse(value).error?.issues ?? [];
      if (problem) yield { path: ['community_lists', i, 'community_values', j], message: problem.message };
    }
  }
}

function* checkRouteMaps(document: BgpDocument): Generator<DocumentProblem> {
  for (const [i, { match_conditions, set_actions }] of document.route_maps.entries()) {
    const kinds = new Set<string>();
    for (const [j, { match_type: type, match_value: name }] of match_conditions.entries()) {
      const path = ['route_maps', i, 'match_conditions', j];
      const kind = type === 'prefix-list' ? `${type} of ${familyOfList(document, name)}` : type;
      if (kinds.has(kind)) yield { path, message: `a route map may match only one ${kind}` };
      kinds.add(kind);
      if (!isDefined(document, type, name)) yield { path, message: `${type} ${name} does not exist` };
    }
    if (set_actions.set_community_additive === true && !set_actions.set_community) {
      yield { path: ['route_maps', i, 'set_actions', 'set_community_additive'], message: 'needs set_community' };
    }
    if (set_actions.set_large_community_additive === true && !set_actions.set_large_community) {
      const path = ['route_maps', i, 'set_actions', 'set_large_community_additive'];
      yield { path, message: 'needs set_large_community' };
    }
  }
}

function isDefined(document: BgpDocument, type: string, name: string): boolean {
  const lists = document.community_lists.filter((one) => one.name === name);
  switch (type) {
    case 'prefix-list':
      return familyOfList(document, name) !== undefined;
    case 'as-path':
      return document.as_path_lists.some((one) => one.name === name);
    case 'large-community':
      return lists.some((one) => one.type === 'large');
    default:
      return lists.some((one) => one.type !== 'large');
  }
}
