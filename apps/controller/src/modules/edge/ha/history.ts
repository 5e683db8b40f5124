import type { HaRoleChange } from '@flotilla/contract';
import type { StoredChange, StoredTerm } from './history-store.ts';

export interface Records {
  /** Newest first. */
  readonly changes: readonly StoredChange[];
  readonly terms: readonly StoredTerm[];
  /** The terms that their members still have, by what they report now. */
  readonly held: ReadonlyArray<{ readonly clientId: string; readonly epoch: number; readonly at: Date }>;
  readonly boundMs: number;
  /** By client: milliseconds that its clock is behind the controller's. */
  readonly offsets: ReadonlyMap<string, number>;
}

/** Below this, a difference of clocks cannot be distinguished from the time that a message takes. */
const OFFSET_MIN_MS = 1000;

/** The changes by the controller's clock, newest first, with the gap and the check of every take-over. */
export function deriveHistory(records: Records): HaRoleChange[] {
  return records.changes.map((stored) => describeChange(stored, records)).toSorted((a, b) => b.at.localeCompare(a.at));
}

function describeChange({ clientId, clientName, change }: StoredChange, records: Records): HaRoleChange {
  const at = toControllerTime(records, clientId, Date.parse(change.at));
  const failover = change.role === 'active' ? describeTakeover({ clientId, change }, records) : undefined;
  return {
    ...change,
    at: new Date(at).toISOString(),
    client_id: clientId,
    client: clientName,
    ...(failover && { failover }),
    stale_epoch: change.role === 'active' && isStale(records, change.epoch, at),
  };
}

/** A term with a higher epoch had begun already. */
function isStale(records: Records, epoch: number, at: number): boolean {
  return records.terms.some(
    (term) => term.epoch > epoch && toControllerTime(records, term.clientId, term.raisedAt.getTime()) < at,
  );
}

function toControllerTime({ offsets }: Records, clientId: string, at: number): number {
  const offset = offsets.get(clientId) ?? 0;
  return Math.abs(offset) < OFFSET_MIN_MS ? at : at + Math.round(offset);
}

type Takeover = NonNullable<HaRoleChange['failover']>;

/** Undefined: nobody had the addresses before. */
function describeTakeover(
  { clientId, change }: Pick<StoredChange, 'clientId' | 'change'>,
  records: Records,
): Takeover | undefined {
  const before = findEarlier(records.terms, change.epoch);
  if (!before) return undefined;
  const term = records.terms.find((one) => one.clientId === clientId && one.epoch === change.epoch);
  const from = { from_client_id: before.clientId, bound_ms: records.boundMs };
  if (!term) return { ...from, gap_ms: null, invariant: 'unknown' };
  const releasedAt = findRelease(before, term);
  if (releasedAt === undefined) return { ...from, gap_ms: null, invariant: judgeOpen({ before, term }, records) };
  const gap = Math.round(term.raisedAt.getTime() - releasedAt);
  return { ...from, gap_ms: gap, invariant: -gap > records.boundMs ? 'violated' : 'kept' };
}

/** The newest term before this epoch. */
function findEarlier(terms: readonly StoredTerm[], epoch: number): StoredTerm | undefined {
  return terms
    .filter((term) => term.epoch < epoch)
    .toSorted((a, b) => b.epoch - a.epoch || b.raisedAt.getTime() - a.raisedAt.getTime())[0];
}

/** When the earlier holder lost the addresses, in the time of the later one. Undefined: it does not know. */
function findRelease(before: StoredTerm, term: StoredTerm): number | undefined {
  return before.releasedAt === null ? undefined : toClockOf(term, before.clientId, before.releasedAt.getTime());
}

function toClockOf(term: StoredTerm, clientId: string, at: number): number {
  return clientId === term.clientId ? at : at - term.skewMs;
}

/**
 * The earlier holder was killed, so that it does not know when its addresses were gone, or still has them. Its next change says by
 * when they were gone at the latest.
 */
function judgeOpen(
  { before, term }: { readonly before: StoredTerm; readonly term: StoredTerm },
  records: Records,
): Takeover['invariant'] {
  const raisedAt = term.raisedAt.getTime();
  const stillHeld = records.held.find(({ clientId, epoch }) => clientId === before.clientId && epoch === before.epoch);
  if (stillHeld) {
    const overlap = stillHeld.at.getTime() - toControllerTime(records, term.clientId, raisedAt);
    return overlap > records.boundMs + OFFSET_MIN_MS ? 'violated' : 'unknown';
  }
  const next = records.changes
    .filter(({ clientId, change }) => clientId === before.clientId && Date.parse(change.at) > before.raisedAt.getTime())
    .map(({ change }) => Date.parse(change.at))
    .toSorted((a, b) => a - b)[0];
  if (next === undefined) return 'unknown';
  return toClockOf(term, before.clientId, next) - raisedAt <= records.boundMs ? 'kept' : 'unknown';
}
