/** Short enough for a test that waits for the end of a lease. */
export const SEAT_TIMING = { lifeMs: 3000, renewMs: 500 };
