/** Synchronised clocks and a loaded network differ by less. */
const TOLERANCE_MS = 15_000;
/** A single late message says nothing about a clock; this many in a row do. */
const REPORTS = 3;
/** A time that is further off is not a clock reading, and is ignored. */
const LAG_MAX_MS = 20 * 365 * 86_400_000;

/**
 * How far the clocks of hosts are behind the controller's. A delay can only make a clock look further behind, so the smallest
 * difference of the last reports counts: a message that was held back for a minute shifts nothing.
 */
export class HostClocks {
  readonly #lagsOf = new Map<string, readonly number[]>();

  /** Milliseconds to add to times of the host; 0 if its clock is right. */
  note(clientId: string, sentMs: number, nowMs: number): number {
    const lags = [...(this.#lagsOf.get(clientId) ?? []), nowMs - sentMs].slice(-REPORTS);
    this.#lagsOf.set(clientId, lags);
    const lag = lags.reduce((least, one) => Math.min(least, one));
    return Math.abs(lag) <= TOLERANCE_MS || Math.abs(lag) > LAG_MAX_MS ? 0 : Math.round(lag);
  }

  forget(clientId: string): void {
    this.#lagsOf.delete(clientId);
  }
}
