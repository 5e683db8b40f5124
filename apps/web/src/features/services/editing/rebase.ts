import { isEqual } from '../../../changes/diff-json.ts';
import type { DraftClient, ServiceDraft } from './draft.ts';

export interface Rebased {
  readonly draft: ServiceDraft;
  /** Fields that both changed to different values: the draft keeps the user's value. */
  readonly conflicts: readonly string[];
}

/**
 * Applies the user's changes (`base` to `mine`) on top of those that someone else saved (`theirs`). Combines additions to and removals from
 * lists.
 */
export function rebase(base: ServiceDraft, mine: ServiceDraft, theirs: ServiceDraft): Rebased {
  const conflicts: string[] = [];
  const pick = <T>(field: string, [before, own, other]: readonly [T, T, T]): T => {
    if (isEqual(own, before)) return other;
    if (!isEqual(other, before) && !isEqual(other, own)) conflicts.push(field);
    return own;
  };
  const names = (field: 'listeners' | 'policies') =>
    mergeLists({ base: base[field], mine: mine[field], theirs: theirs[field] });
  const draft: ServiceDraft = {
    name: pick('name', [base.name, mine.name, theirs.name]),
    version: pick('version', [base.version, mine.version, theirs.version]),
    bootstrap: pick('bootstrap', [base.bootstrap, mine.bootstrap, theirs.bootstrap]),
    listeners: names('listeners'),
    policies: names('policies'),
    shield: {
      threads: pick('shield.threads', [base.shield.threads, mine.shield.threads, theirs.shield.threads]),
      xff_trusted_hops: pick('shield.xff_trusted_hops', [
        base.shield.xff_trusted_hops,
        mine.shield.xff_trusted_hops,
        theirs.shield.xff_trusted_hops,
      ]),
    },
    api_discovery: pick('api_discovery', [base.api_discovery, mine.api_discovery, theirs.api_discovery]),
    clients: mergeClients([base.clients, mine.clients, theirs.clients], pick),
  };
  return { draft, conflicts };
}

function mergeLists({ base, mine, theirs }: Record<'base' | 'mine' | 'theirs', readonly string[]>): string[] {
  const removed = base.filter((item) => !mine.includes(item));
  const added = mine.filter((item) => !base.includes(item) && !theirs.includes(item));
  return [...theirs.filter((item) => !removed.includes(item)), ...added];
}

type Pick3 = <T>(field: string, values: readonly [T, T, T]) => T;

function mergeClients(
  [base, mine, theirs]: readonly [readonly DraftClient[], readonly DraftClient[], readonly DraftClient[]],
  pick: Pick3,
): DraftClient[] {
  const ids = mergeLists({ base: idsOf(base), mine: idsOf(mine), theirs: idsOf(theirs) });
  return ids.map((client_id) => {
    const find = (clients: readonly DraftClient[]) => clients.find((one) => one.client_id === client_id)?.addresses;
    const before = find(base) ?? [];
    const own = find(mine) ?? before;
    const other = find(theirs) ?? before;
    return { client_id, addresses: pick(`clients ${client_id}`, [before, own, other]) };
  });
}

function idsOf(clients: readonly DraftClient[]): string[] {
  return clients.map(({ client_id }) => client_id);
}
