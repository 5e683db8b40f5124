import type { HaPair } from '@flotilla/contract';
import { type Db, publish, type Tx } from '@flotilla/db';
import { HA_SYNC_CHANGED } from './events.ts';
import { type Comparison, deriveDebts } from './model.ts';
import {
  compareMembers,
  deleteUntried,
  findPeer,
  listDeployedTo,
  lockMembers,
  makeDue,
  selectPending,
  upsertDebt,
} from './store.ts';

export interface TargetsChanged {
  readonly serviceId: string;
  /** Clients where the service is deployed, or was until this change. */
  readonly clientIds: readonly string[];
  readonly now: Date;
}

/**
 * Notes what the other member of each client's pair owes, in the transaction that changed targets of a service. The caller has locked
 * the service and the clients. The changes by which the program lets a member catch up are not followed.
 */
export async function noteTargetsChanged(tx: Tx, change: TargetsChanged): Promise<void> {
  const comparisons = await compareMembers(tx, change);
  await writeDebts(tx, comparisons, change);
}

/**
 * All services of the other member become work of the new one. Call it once all rows of ha_members are written, also for a pair with
 * one member, which may run in a cloud. Locks the clients of the members, so that no deploy in between is missed.
 */
export async function noteMemberJoined(
  tx: Tx,
  { pairId, clientId, now }: { readonly pairId: string; readonly clientId: string; readonly now: Date },
): Promise<void> {
  const sourceId = (await findPeer(tx, { pairId, clientId })) ?? clientId;
  await lockMembers(tx, [sourceId, clientId]);
  for (const serviceId of await listDeployedTo(tx, sourceId)) {
    const change = { serviceId, clientIds: [sourceId], now };
    await writeDebts(tx, await compareMembers(tx, change), change);
  }
}

async function writeDebts(tx: Tx, comparisons: readonly Comparison[], change: TargetsChanged): Promise<void> {
  const { serviceId, now } = change;
  for (const debt of deriveDebts(comparisons)) {
    const { op, clientId, sourceId } = debt;
    if (op !== undefined) await upsertDebt(tx, { ...debt, op, serviceId, now });
    else if (!(await deleteUntried(tx, { serviceId, clientIds: [clientId, sourceId] }))) continue;
    await publish(tx, HA_SYNC_CHANGED, { project_id: debt.projectId, pair_id: debt.pairId }, now);
  }
}

/** The pending work of these pairs, by pair. */
export async function listPending(
  db: Db,
  pairIds: readonly string[],
): Promise<ReadonlyMap<string, HaPair['sync']['pending']>> {
  const byPair = Map.groupBy(await selectPending(db, pairIds), (row) => row.pair_id);
  return new Map(
    pairIds.map((pairId) => [
      pairId,
      (byPair.get(pairId) ?? []).map(({ pair_id: _, since, last_error: error, next_attempt_at: next, ...row }) => ({
        ...row,
        since: since.toISOString(),
        ...(error !== null && { last_error: error }),
        ...(next !== null && { next_attempt_at: next.toISOString() }),
      })),
    ]),
  );
}

/** The next attempt of everything pending is now. Returns how much waits for one; the rest has a command that runs. */
export async function retryNow(tx: Tx, pairId: string, now: Date): Promise<number> {
  return makeDue(tx, pairId, now);
}
