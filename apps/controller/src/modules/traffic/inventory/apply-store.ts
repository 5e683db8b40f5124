import { INVENTORY_LIMITS } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { BatchSpan } from '@flotilla/event-store';
import {
  createOperationState,
  mergeDelta,
  type OperationDelta,
  type OperationKey,
  toOperationId,
} from '@flotilla/inventory';
import { noteArrivals } from '../event-exports/index.ts';
import { type BatchPlace, markBatches } from './marks-store.ts';
import { forgetMerges, readMerges } from './merges-store.ts';
import { cleanDelta } from './model/clean.ts';
import { admit, type OperationCounts, type OperationLimits, otherKey } from './model/quota.ts';
import { type StoredOperation, toStored } from './model/row.ts';
import { announceInventory, lockProjects, readStates, storeCounts, writeOperations } from './operations-store.ts';

/** Everything that a batch of a sender adds to the catalogue. */
export interface BatchDeltas extends BatchPlace {
  readonly deltas: readonly OperationDelta[];
  /** Where the event store has its events; undefined without a store. */
  readonly span?: BatchSpan | undefined;
  readonly now: Date;
}

/** `duplicate`: the batch, or a later one of the same epoch, was applied before; or its project does not exist any more. */
export type ApplyOutcome = 'applied' | 'duplicate';

/** Requests that were named before a merge arrive until then, and count for its target. Later ones show that the name is used again. */
const MERGE_GRACE_MS = 10 * 60_000;
/** Operations that are merged between two statements, so that a large batch does not hold the event loop. */
const CHUNK = 250;
/** People who look at the inventory are notified at most this often. */
const ANNOUNCE_MS = 5000;

/**
 * Adds batches to the catalogue in one transaction: all of them or none. A repeated batch adds nothing. Several controllers may call it at the same
 * time. Resolves to the outcomes in the order of the batches.
 */
export async function applyBatches(
  db: Db,
  inputs: readonly BatchDeltas[],
  limits: OperationLimits = INVENTORY_LIMITS,
): Promise<readonly ApplyOutcome[]> {
  if (inputs.length === 0) return [];
  const now = new Date(Math.max(...inputs.map((input) => input.now.getTime())));
  return db.transaction().execute(async (tx) => {
    const counts = await lockProjects(tx, [...new Set(inputs.map(({ projectId }) => projectId))]);
    const known = inputs.filter(({ projectId }) => counts.has(projectId));
    const fresh = await markBatches(tx, known, now);
    for (const [projectId, counted] of counts) {
      const deltas = known
        .filter((batch) => batch.projectId === projectId && fresh.has(batch))
        .flatMap((batch) => batch.deltas);
      if (deltas.length > 0) await applyToProject(tx, { projectId, deltas, counts: counted, now, limits });
    }
    await noteArrivals(
      tx,
      known.flatMap((batch) =>
        batch.span && fresh.has(batch) ? [{ projectId: batch.projectId, span: batch.span }] : [],
      ),
    );
    return inputs.map((input) => (fresh.has(input) ? 'applied' : 'duplicate'));
  });
}

interface ProjectWork {
  readonly projectId: string;
  readonly deltas: readonly OperationDelta[];
  readonly counts: OperationCounts;
  readonly now: Date;
  readonly limits: OperationLimits;
}

async function applyToProject(tx: Tx, work: ProjectWork): Promise<void> {
  const { projectId, counts, now } = work;
  const beyond: OperationDelta[] = [];
  const redirected = await applyDeltas(tx, work, beyond);
  if (redirected.length > 0) await applyDeltas(tx, { ...work, deltas: redirected }, beyond);
  await writeOperations(tx, await mergeOthers(tx, work, beyond));
  await storeCounts(tx, projectId, counts);
  await announce(tx, projectId, now);
}

/** Returns the deltas of operations that were merged a moment ago, with the names of those that they are part of. */
async function applyDeltas(tx: Tx, work: ProjectWork, beyond: OperationDelta[]): Promise<OperationDelta[]> {
  const { projectId, deltas, now } = work;
  const byId = Map.groupBy(deltas, ({ key }) => toOperationId(projectId, key));
  const ids = [...byId.keys()];
  const redirected: OperationDelta[] = [];
  for (let at = 0; at < ids.length; at += CHUNK) {
    const chunk = ids.slice(at, at + CHUNK);
    const states = await readStates(tx, projectId, chunk);
    const keys = await findMergedKeys(tx, work, {
      unknown: chunk.filter((id) => !states.has(id)),
    });
    const stored = chunk.flatMap((id) => {
      const key = keys.get(id);
      if (key !== undefined) {
        redirected.push(...(byId.get(id) ?? []).map((delta) => ({ ...delta, key })));
        return [];
      }
      const merged = mergeAdmitted(work, { state: states.get(id), deltas: byId.get(id) ?? [], beyond });
      return merged ? [toStored({ projectId, id }, merged, now.getTime())] : [];
    });
    await writeOperations(tx, stored);
  }
  return redirected;
}

/** The keys of operations of which unknown ones are a part. An operation that returns later is one of its own again. */
async function findMergedKeys(
  tx: Tx,
  { projectId, now }: ProjectWork,
  { unknown }: { readonly unknown: readonly string[] },
): Promise<Map<string, OperationKey>> {
  const merges = await readMerges(tx, projectId, unknown);
  if (merges.size === 0) return new Map();
  const targets = await readStates(tx, projectId, [...new Set(Array.from(merges.values(), ({ target }) => target))]);
  const keys = new Map<string, OperationKey>();
  for (const [id, { target, mergedAt }] of merges) {
    const state = targets.get(target);
    if (state !== undefined && now.getTime() - mergedAt.getTime() < MERGE_GRACE_MS) keys.set(id, state.key);
  }
  await forgetMerges(
    tx,
    projectId,
    [...merges.keys()].filter((id) => !keys.has(id)),
  );
  return keys;
}

interface OfOperation {
  readonly state: Parameters<typeof mergeDelta>[0] | undefined;
  readonly deltas: readonly OperationDelta[];
  /** Takes the deltas for which there is no room. */
  readonly beyond: OperationDelta[];
}

function mergeAdmitted({ counts, limits, now }: ProjectWork, { state: stored, deltas, beyond }: OfOperation) {
  let state = stored;
  for (const raw of deltas) {
    if (!admit(counts, state, raw, limits)) {
      beyond.push(raw);
      continue;
    }
    const delta = cleanDelta(raw);
    state = mergeDelta(state ?? createOperationState(delta.key), delta, now.getTime());
  }
  return state;
}

/** The rows that count all operations beyond the limits, one of each half. */
async function mergeOthers(
  tx: Tx,
  { projectId, now }: ProjectWork,
  beyond: readonly OperationDelta[],
): Promise<StoredOperation[]> {
  const halves = Map.groupBy(beyond, ({ confirmed }) => confirmed);
  const stored: StoredOperation[] = [];
  for (const [confirmed, deltas] of halves) {
    const key = otherKey(confirmed);
    const id = toOperationId(projectId, key);
    let state = (await readStates(tx, projectId, [id])).get(id) ?? createOperationState(key);
    for (const delta of deltas) state = mergeDelta(state, cleanDelta(delta), now.getTime());
    stored.push(toStored({ projectId, id }, state, now.getTime()));
  }
  return stored;
}

async function announce(tx: Tx, projectId: string, now: Date): Promise<void> {
  const since = new Date(now.getTime() - ANNOUNCE_MS);
  const { numUpdatedRows } = await tx
    .updateTable('inventory_projects')
    .set({ announced_at: now })
    .where('project_id', '=', projectId)
    .where((eb) => eb.or([eb('announced_at', 'is', null), eb('announced_at', '<=', since)]))
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await announceInventory(tx, projectId);
}
