import { refOf } from '../../model/any.ts';
import { isList, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { toLabel } from '../../model/names.ts';
import { type CellProblem, hasObjects, listOtherKeys, readMember, writeMember } from './members.ts';
import { texts } from './texts.ts';

const words = texts.routes;

/** Places of the texts that a match can be edited by, in a RouteMatch. */
const MATCH_FIELDS = {
  prefix: ['prefix'],
  path: ['path'],
  path_separated_prefix: ['path_separated_prefix'],
  safe_regex: ['safe_regex', 'regex'],
} as const;
export type MatchKind = keyof typeof MATCH_FIELDS;
export const MATCH_KINDS = Object.keys(MATCH_FIELDS) as readonly MatchKind[];

const OTHER_MATCHES = ['connect_matcher', 'path_match_policy'];
const OTHER_ACTIONS = ['redirect', 'direct_response', 'filter_action', 'non_forwarding_action'];
const OTHER_TARGETS = [
  'cluster_header',
  'weighted_clusters',
  'cluster_specifier_plugin',
  'inline_cluster_specifier_plugin',
];

type Match = { readonly kind: MatchKind; readonly text: string } | { readonly kind: 'other'; readonly label: string };
type Target =
  | { readonly kind: 'cluster'; readonly cluster: string }
  | { readonly kind: 'other'; readonly label: string };

export interface RouteRow {
  readonly match: Match;
  readonly target: Target;
  /** Conditions of the match that the row does not show. */
  readonly conditions: readonly string[];
  /** Settings of the route that the row does not show. */
  readonly settings: readonly string[];
  /** Number of the previous route that matches every path. */
  readonly shadowedBy: number | undefined;
  readonly problems: readonly CellProblem<'match' | 'cluster'>[];
}

export type Routes =
  | { readonly isSimple: true; readonly rows: readonly RouteRow[] }
  | { readonly isSimple: false; readonly reason: string };

/** Reads `VirtualHost.routes`. Matches and targets of other kinds are named, and can only be moved. */
export function readRoutes(value: Json | undefined): Routes {
  const items = value ?? [];
  if (!isList(items)) return { isSimple: false, reason: words.noList };
  const rows: RouteRow[] = [];
  for (const [index, item] of items.entries()) {
    const reason = refuseItem(item);
    if (reason !== undefined) return { isSimple: false, reason: words.refused(index + 1, reason) };
    rows.push(toRow(item));
  }
  const first = rows.findIndex(isCatchAll);
  if (first === -1) return { isSimple: true, rows };
  const marked = rows.map((row, index) =>
    index > first && row.match.kind !== 'other' ? { ...row, shadowedBy: first + 1 } : row,
  );
  return { isSimple: true, rows: marked };
}

/** Changes the match and keeps its conditions. A match of another kind stays. */
export function writeMatch(
  item: Json | undefined,
  next: { readonly kind: MatchKind; readonly text: string },
): JsonObject {
  const route = isObject(item) ? item : {};
  const { match } = toRow(route);
  if (match.kind === 'other' || (match.kind === next.kind && match.text === next.text)) return route;
  const kept = match.kind === next.kind ? route : writeMember(route, ['match', match.kind], undefined);
  return writeMember(kept, ['match', ...MATCH_FIELDS[next.kind]], next.text);
}

/** Changes the cluster and keeps the settings of the route. A target of another kind stays. */
export function writeCluster(item: Json | undefined, cluster: string): JsonObject {
  const route = isObject(item) ? item : {};
  const { target } = toRow(route);
  if (target.kind === 'other' || target.cluster === cluster) return route;
  return writeMember(route, ['route', 'cluster'], cluster === '' ? undefined : cluster);
}

export function createRoute(): JsonObject {
  return { match: { prefix: '/' }, route: {} };
}

function refuseItem(item: Json): string | undefined {
  if (!isObject(item)) return 'is not an object';
  const parts = [item, readMember(item, ['match']), readMember(item, ['route'])];
  if (parts.some((part) => refOf(part) !== undefined)) return 'contains a reference';
  if (!hasObjects(item, ['match', 'safe_regex']) || !hasObjects(item, ['route'])) return 'has a value of a wrong type';
  return undefined;
}

function toRow(item: Json): RouteRow {
  const match = readMatch(readMember(item, ['match']));
  const target = readTarget(item);
  return {
    match,
    target,
    conditions: listOtherKeys(readMember(item, ['match']), [...MATCH_KINDS, ...OTHER_MATCHES]),
    settings: [
      ...listOtherKeys(item, ['match', 'route', ...OTHER_ACTIONS]),
      ...listOtherKeys(readMember(item, ['route']), ['cluster', ...OTHER_TARGETS]),
    ],
    shadowedBy: undefined,
    problems: findProblems(match, target),
  };
}

function readMatch(match: Json | undefined): Match {
  const set = [...MATCH_KINDS, ...OTHER_MATCHES].filter((field) => readMember(match, [field]) !== undefined);
  const kind = set.length === 0 ? 'prefix' : MATCH_KINDS.find((known) => known === set[0]);
  const label = set.map(toLabel).join(', ');
  if (kind === undefined || set.length > 1) return { kind: 'other', label };
  const text = readMember(match, MATCH_FIELDS[kind]) ?? '';
  const hidden = kind === 'safe_regex' ? listOtherKeys(readMember(match, [kind]), ['regex']) : [];
  return typeof text === 'string' && hidden.length === 0 ? { kind, text } : { kind: 'other', label };
}

function readTarget(item: Json): Target {
  const actions = OTHER_ACTIONS.filter((field) => readMember(item, [field]) !== undefined);
  const targets = OTHER_TARGETS.filter((field) => readMember(item, ['route', field]) !== undefined);
  const cluster = readMember(item, ['route', 'cluster']) ?? '';
  if (actions.length + targets.length > 0 || typeof cluster !== 'string')
    return { kind: 'other', label: [...actions, ...targets].map(toLabel).join(', ') || toLabel('cluster') };
  return { kind: 'cluster', cluster };
}

function findProblems(match: Match, target: Target): RouteRow['problems'] {
  const problems: CellProblem<'match' | 'cluster'>[] = [];
  if (match.kind === 'path_separated_prefix' && !/^\/.*[^/]$/.test(match.text))
    problems.push({ cell: 'match', message: words.slashes });
  if (match.kind === 'safe_regex' && match.text === '') problems.push({ cell: 'match', message: words.noRegex });
  if (target.kind === 'cluster' && target.cluster === '') problems.push({ cell: 'cluster', message: words.noCluster });
  return problems;
}

function isCatchAll({ match, conditions }: RouteRow): boolean {
  return match.kind === 'prefix' && (match.text === '/' || match.text === '') && conditions.length === 0;
}
