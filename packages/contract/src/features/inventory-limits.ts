/* Without schemas, because screens use these numbers, too. */

export const INVENTORY_STALE_DAYS_DEFAULT = 90;
export const INVENTORY_STALE_DAYS_MIN = 7;
export const INVENTORY_STALE_DAYS_MAX = 3650;
/** Ids in one request. */
export const INVENTORY_CHANGE_MAX = 500;
