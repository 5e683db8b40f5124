/*
 * Readers of the answers to ROUTING commands. The answer comes from a host that may be compromised or run another agent: what has
 * another shape is left out, and an answer of another shape as a whole is undefined.
 */

export interface BgpSession {
  readonly peerIp: string;
  readonly remoteAs: number | undefined;
  readonly description: string;
  readonly peerGroup: string;
  /** `Established`, or a state of the start. */
  readonly state: string;
  readonly uptimeMs: number | undefined;
  readonly isShutDown: boolean;
  /** How often an established session has ended. */
  readonly flaps: number;
  readonly lastReset: string;
  readonly receivedPrefixes: number;
  readonly sentPrefixes: number;
  /** The state of BFD; empty without BFD. */
  readonly bfd: string;
  /** The mode of graceful restart on this side. */
  readonly gracefulRestart: string;
}

export interface BgpRoute {
  readonly network: string;
  readonly isBest: boolean;
  readonly isValid: boolean;
  readonly asPath: string;
  readonly nextHops: readonly string[];
  readonly origin: string;
  readonly metric: number | undefined;
  readonly localPreference: number | undefined;
  readonly weight: number | undefined;
  readonly peer: string;
}

export interface BgpRoutes {
  /** Counts all networks. The answer may contain only some. */
  readonly total: number;
  /** One for each path. */
  readonly paths: readonly BgpRoute[];
}

/** A line that a change adds to FRR's configuration or removes from it. */
export interface BgpChangedLine {
  readonly kind: 'add' | 'remove';
  /** The lines of the blocks that contain it. */
  readonly blocks: readonly string[];
  readonly line: string;
}

export interface BgpDiff {
  readonly revision: number;
  readonly lines: readonly BgpChangedLine[];
  /** Counts all lines. The answer may contain only some. */
  readonly total: number;
  readonly warnings: readonly string[];
}

export interface BgpConfigAnswer {
  /** 0: Flotilla has not configured BGP on this host. */
  readonly revision: number;
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly isInSync: boolean;
  /** Lines that somebody changed on the host since. */
  readonly drift: readonly BgpChangedLine[];
  readonly warnings: readonly string[];
  readonly healthRoutes: readonly BgpHealthRoute[];
}

/** A network that a host announces while a service is healthy. */
export interface BgpHealthRoute {
  readonly service: string;
  readonly prefix: string;
  readonly isAnnounced: boolean;
}

export function readBgpSessions(result: unknown): readonly BgpSession[] | undefined {
  return objectsIn(result, 'neighbors')?.map((one) => {
    const families = objectsIn(one, 'families') ?? [];
    const sum = (key: string) => families.reduce((total, family) => total + (numberOf(family[key]) ?? 0), 0);
    return {
      peerIp: textOf(one.peer_ip),
      remoteAs: numberOf(one.remote_as),
      description: textOf(one.description),
      peerGroup: textOf(one.peer_group),
      state: textOf(one.state),
      uptimeMs: numberOf(one.uptime_ms),
      isShutDown: one.is_shut_down === true,
      flaps: numberOf(one.connections_dropped) ?? 0,
      lastReset: textOf(one.last_reset),
      receivedPrefixes: sum('accepted_prefixes'),
      sentPrefixes: sum('sent_prefixes'),
      bfd: textOf(asRecord(one.bfd).status),
      gracefulRestart: textOf(asRecord(one.graceful_restart).local),
    };
  });
}

export function readBgpRoutes(result: unknown): BgpRoutes | undefined {
  const { routes } = asRecord(result);
  const networks = objectsIn(routes, 'routes');
  if (!networks) return undefined;
  const paths = networks.flatMap(({ network, paths: ofNetwork }) =>
    (Array.isArray(ofNetwork) ? ofNetwork : []).map(asRecord).map((path) => ({
      network: textOf(network),
      isBest: path.is_best === true,
      isValid: path.is_valid === true,
      asPath: textOf(path.as_path),
      nextHops: textsOf(path.next_hops),
      origin: textOf(path.origin),
      metric: numberOf(path.metric),
      localPreference: numberOf(path.local_preference),
      weight: numberOf(path.weight),
      peer: textOf(path.peer),
    })),
  );
  return { total: numberOf(asRecord(routes).total) ?? networks.length, paths };
}

/** Reads the answer to BGP_DIFF_CONFIG, and to commands that change the configuration. */
export function readBgpDiff(result: unknown): BgpDiff | undefined {
  const { revision, changes, changes_total: total, warnings } = asRecord(result);
  if (typeof revision !== 'number' || !Array.isArray(changes)) return undefined;
  const lines = readLines(changes);
  return { revision, lines, total: numberOf(total) ?? lines.length, warnings: textsOf(warnings) };
}

export function readBgpConfig(result: unknown): BgpConfigAnswer | undefined {
  const { revision, config, in_sync: isInSync, drift, warnings } = asRecord(result);
  if (typeof revision !== 'number') return undefined;
  return {
    revision,
    config: typeof config === 'object' && config !== null ? asRecord(config) : null,
    isInSync: isInSync === true,
    drift: readLines(drift),
    warnings: textsOf(warnings),
    healthRoutes: (objectsIn(result, 'health_routes') ?? []).map(({ service, prefix, is_announced: isAnnounced }) => ({
      service: textOf(service),
      prefix: textOf(prefix),
      isAnnounced: isAnnounced === true,
    })),
  };
}

function readLines(value: unknown): BgpChangedLine[] {
  return (Array.isArray(value) ? value : []).map(asRecord).map(({ kind, blocks, line }) => ({
    kind: kind === 'remove' ? 'remove' : 'add',
    blocks: textsOf(blocks),
    line: textOf(line),
  }));
}

/** One line of a diff as text. */
export function formatBgpLine({ kind, blocks, line }: BgpChangedLine): string {
  return `${kind === 'add' ? '+' : '-'} ${[...blocks, line].join(' / ')}`;
}

function objectsIn(value: unknown, key: string): Array<Readonly<Record<string, unknown>>> | undefined {
  const items = asRecord(value)[key];
  return Array.isArray(items) ? items.map(asRecord) : undefined;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** One entry of a route map or of a list. */
export interface BgpPolicyEntry {
  readonly kind: 'route map' | 'prefix list' | 'community list' | 'AS path list';
  readonly name: string;
  readonly sequence: number | undefined;
  readonly action: string;
  /** Its conditions and actions. */
  readonly rule: string;
}

const POLICY_KINDS = {
  route_maps: 'route map',
  prefix_lists: 'prefix list',
  community_lists: 'community list',
  as_path_lists: 'AS path list',
} as const;

export function readBgpPolicies(result: unknown): readonly BgpPolicyEntry[] | undefined {
  const { policy_config: policies } = asRecord(result);
  if (typeof policies !== 'object' || policies === null) return undefined;
  return (Object.keys(POLICY_KINDS) as Array<keyof typeof POLICY_KINDS>).flatMap((key) =>
    (objectsIn(policies, key) ?? []).map((entry) => ({
      kind: POLICY_KINDS[key],
      name: textOf(entry.name),
      sequence: numberOf(entry.sequence),
      action: textOf(entry.action),
      rule: describeEntry(entry),
    })),
  );
}

function describeEntry(entry: Readonly<Record<string, unknown>>): string {
  const matches = (objectsIn(entry, 'match_conditions') ?? []).map(
    ({ match_type: type, match_value: value }) => `${textOf(type)} ${textOf(value)}`,
  );
  const sets = Object.entries(asRecord(entry.set_actions)).map(
    ([key, value]) =>
      `${key.replace(/^set_/, '').replaceAll('_', ' ')} ${Array.isArray(value) ? value.join(' ') : String(value)}`,
  );
  const parts = [
    textOf(entry.prefix),
    ...(['ge', 'le'] as const).flatMap((key) =>
      numberOf(entry[key]) === undefined ? [] : [`${key} ${String(entry[key])}`],
    ),
    textsOf(entry.community_values).join(' '),
    textOf(entry.expression),
    matches.length > 0 ? `match ${matches.join(', ')}` : '',
    sets.length > 0 ? `set ${sets.join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}
