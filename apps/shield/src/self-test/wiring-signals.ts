/**
 * What the exchanges tell about how Envoy is wired. Each call is an increment: cheap enough for every exchange that asks
 * for a body; exchanges that ask for none tell nothing.
 */
export interface WiringSignals {
  /** The answer to the request's headers asked for its body. */
  onBodyAsked(): void;
  /** The body that was asked for came; `isComplete` is false where Envoy's buffer ended before the body. */
  onBodyArrived(isComplete: boolean): void;
  /** Envoy's buffer ended before the body. `isBelowCap`: also before the number of bytes that the policy reads. */
  onBodyCut(isBelowCap: boolean): void;
  /** A message of another kind came instead of the body that was asked for: Envoy did not do what the answer said. */
  onBodyMissing(): void;
  /**
   * Envoy reset the exchange, and did not half-close it, while the body was awaited. So do 1.38 and later at once where they do
   * not heed the answer, and never for what clients do or for a time that ran out (seen).
   */
  onBodyIgnored(): void;
  /**
   * The exchange ended otherwise while the body was awaited: by a half-close where a client goes away in the middle of its
   * upload, or with the connection. 1.36 and 1.37 half-close also where they do not heed the answer: the one looks
   * like the other.
   */
  onBodyAbandoned(): void;
  /** The exchange began with something else than the headers of a request. */
  onHeadersMissing(): void;
}

/** What the self-test is told beyond that, by whoever hears the exchanges. */
export interface SelfTestSignals extends WiringSignals {
  /** An exchange began with the headers of a request, after one that did not. */
  onHeadersArrived(): void;
}
