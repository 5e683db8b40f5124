/**
 * Filters and agents keep the counts of this many minutes for an absent controller. The controller accepts no older
 * ones.
 */
export const SHIELD_MINUTES_KEPT = 60;
/** Counters of all these minutes together; beyond that, the oldest minutes are dropped. */
export const SHIELD_MINUTE_COUNTERS_KEPT = 20_000;
