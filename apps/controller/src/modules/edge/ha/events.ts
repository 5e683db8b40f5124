import { publish, type Tx } from '@flotilla/db';

/** Topic: these clients may have been given something else than they should have. */
export const HA_CHANGED = 'ha.changed';
/** Topic: a member reports something else than before. */
export const HA_REPORTED = 'ha.reported';

export interface PairKey {
  readonly id: string;
  readonly projectId: string;
}

/** The controllers with streams of these clients read again what they should have. */
export const announceChange = (
  tx: Tx,
  pair: PairKey,
  { clientIds, now }: { clientIds: readonly string[]; now: Date },
) => publish(tx, HA_CHANGED, { project_id: pair.projectId, pair_id: pair.id, client_ids: clientIds }, now);

export const announceReport = (tx: Tx, pair: PairKey, now: Date) =>
  publish(tx, HA_REPORTED, { project_id: pair.projectId, pair_id: pair.id }, now);
