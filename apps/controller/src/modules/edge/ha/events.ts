import { publish, type Tx } from '@flotilla/db';

/** What the members of a pair should have may differ from what they were given. */
export const HA_CHANGED = 'ha.changed';
/** What a member reports has changed. */
export const HA_REPORTED = 'ha.reported';

export interface PairKey {
  readonly id: string;
  readonly projectId: string;
}

/** Every controller reads again what the members that are connected to it should have. */
export const announceChange = (tx: Tx, pair: PairKey, now: Date) =>
  publish(tx, HA_CHANGED, { project_id: pair.projectId, pair_id: pair.id }, now);

export const announceReport = (tx: Tx, pair: PairKey, now: Date) =>
  publish(tx, HA_REPORTED, { project_id: pair.projectId, pair_id: pair.id }, now);
