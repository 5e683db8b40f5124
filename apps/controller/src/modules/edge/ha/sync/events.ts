/** Published when the pending work of a pair has changed. */
export const HA_SYNC_CHANGED = 'ha_sync.changed';
