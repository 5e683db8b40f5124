import type { BgpDocument, BgpNeighbor } from './document.ts';
import type { BgpChange } from './operations.ts';

export interface EditProblem {
  readonly code: 'routing.not_configured' | 'routing.exists' | 'routing.not_found';
  readonly message: string;
}

export type EditResult =
  | { readonly ok: true; readonly document: BgpDocument | null }
  | { readonly ok: false; readonly error: EditProblem };

/** Returns the document after a change. Passwords that the change keeps are those of `current`. */
export function editDocument(current: BgpDocument | null, change: BgpChange): EditResult {
  if (change.operation === 'BGP_SET_CONFIG') {
    return done(change.config && keepPasswords(change.config, current));
  }
  if (!current) {
    const message = 'BGP is not configured on this host; send BGP_SET_CONFIG first';
    return refuse('routing.not_configured', message);
  }
  switch (change.operation) {
    case 'BGP_ADD_NEIGHBOR':
    case 'BGP_UPDATE_NEIGHBOR':
    case 'BGP_REMOVE_NEIGHBOR':
      return editNeighbor(current, change);
    case 'BGP_APPLY_PREFIX_LIST':
      return done({ ...current, prefix_lists: putEntry(current.prefix_lists, change.prefix_list) });
    case 'BGP_APPLY_COMMUNITY_LIST':
      return done({ ...current, community_lists: putEntry(current.community_lists, change.community_list) });
    case 'BGP_APPLY_ROUTE_MAP':
      return done({ ...current, route_maps: putEntry(current.route_maps, change.route_map) });
    case 'BGP_REMOVE_PREFIX_LIST':
      return removeEntries(current, 'prefix_lists', change.prefix_list);
    case 'BGP_REMOVE_COMMUNITY_LIST':
      return removeEntries(current, 'community_lists', change.community_list);
    case 'BGP_REMOVE_ROUTE_MAP':
      return removeEntries(current, 'route_maps', change.route_map);
  }
}

type NeighborChange = Extract<BgpChange, { operation: `BGP_${'ADD' | 'UPDATE' | 'REMOVE'}_NEIGHBOR` }>;

function editNeighbor(current: BgpDocument, change: NeighborChange): EditResult {
  const peer = change.operation === 'BGP_REMOVE_NEIGHBOR' ? change.peer_ip : change.neighbor.peer_ip;
  const known = current.neighbors.some(({ peer_ip }) => peer_ip === peer);
  if (change.operation === 'BGP_ADD_NEIGHBOR') {
    if (known) return refuse('routing.exists', `neighbour ${peer} exists; send BGP_UPDATE_NEIGHBOR to change it`);
    return done({ ...current, neighbors: [...current.neighbors, change.neighbor] });
  }
  if (!known) return refuse('routing.not_found', `neighbour ${peer} does not exist`);
  if (change.operation === 'BGP_REMOVE_NEIGHBOR') {
    return done({ ...current, neighbors: current.neighbors.filter(({ peer_ip }) => peer_ip !== peer) });
  }
  const neighbors = current.neighbors.map((one) => (one.peer_ip === peer ? change.neighbor : one));
  return done(keepPasswords({ ...current, neighbors }, current));
}

interface Entry {
  readonly name: string;
  readonly sequence: number;
}

function putEntry<T extends Entry>(entries: readonly T[], entry: T): T[] {
  const isSame = (one: T) => one.name === entry.name && one.sequence === entry.sequence;
  return [...entries.filter((one) => !isSame(one)), entry].toSorted(
    (a, b) => compare(a.name, b.name) || a.sequence - b.sequence,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Without a sequence, the whole list is removed. */
function removeEntries(
  current: BgpDocument,
  key: 'prefix_lists' | 'community_lists' | 'route_maps',
  { name, sequence }: { readonly name: string; readonly sequence?: number | undefined },
): EditResult {
  const entries: readonly Entry[] = current[key];
  const kept = entries.filter((one) => one.name !== name || (sequence !== undefined && one.sequence !== sequence));
  if (kept.length < entries.length) return done({ ...current, [key]: kept });
  return refuse('routing.not_found', `${name}${sequence === undefined ? '' : ` ${sequence}`} does not exist`);
}

type Secret = Pick<BgpNeighbor, 'password' | 'has_password'>;

/** Documents that were read contain `has_password` instead of passwords. */
function keepPasswords(next: BgpDocument, current: BgpDocument | null): BgpDocument {
  return {
    ...next,
    neighbors: next.neighbors.map((one) =>
      keepPassword(
        one,
        current?.neighbors.find(({ peer_ip }) => peer_ip === one.peer_ip),
      ),
    ),
    peer_groups: next.peer_groups.map((one) =>
      keepPassword(
        one,
        current?.peer_groups.find(({ name }) => name === one.name),
      ),
    ),
  };
}

function keepPassword<T extends Secret>({ has_password, ...next }: T, current: Secret | undefined) {
  const password = next.password ?? (has_password === true ? current?.password : undefined);
  return { ...next, ...(password !== undefined && { password }) };
}

/** The document as it is shown: without passwords. */
export function hidePasswords(document: BgpDocument): BgpDocument {
  const hide = <T extends Secret>({ password, has_password: _, ...rest }: T) => ({
    ...rest,
    ...(password !== undefined && { has_password: true }),
  });
  return { ...document, neighbors: document.neighbors.map(hide), peer_groups: document.peer_groups.map(hide) };
}

function done(document: BgpDocument | null): EditResult {
  return { ok: true, document };
}

function refuse(code: EditProblem['code'], message: string): EditResult {
  return { ok: false, error: { code, message } };
}
