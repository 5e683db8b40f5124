import type { HaPair } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';

/** Published when the pending work of a pair has changed. */
export const HA_SYNC_CHANGED = 'ha_sync.changed';

/** All services of the source become work of the new member. */
export async function noteMemberJoined(
  _tx: Tx,
  _member: { pairId: string; clientId: string; now: Date },
): Promise<void> {
  // Replaced when the parts are joined.
}

export async function listPending(
  _db: Db,
  _pairIds: readonly string[],
): Promise<ReadonlyMap<string, HaPair['sync']['pending']>> {
  return new Map();
}

/** The next attempt of everything pending is now. */
export async function retryNow(_tx: Tx, _pairId: string, _now: Date): Promise<number> {
  return 0;
}
