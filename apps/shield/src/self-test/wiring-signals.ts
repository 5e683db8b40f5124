/**
 * What the exchanges tell about how Envoy is wired. Each call is an increment: cheap enough for every exchange that asks
 * for a body; exchanges that ask for none tell nothing.
 */
export interface WiringSignals {
  /** The answer to the request's headers asked for its body. */
  onBodyAsked(): void;
  /** The body that was asked for came; `isComplete` is false where Envoy's buffer ended before the body. */
  onBodyArrived(isComplete: boolean): void;
  /**
   * A message came instead of the body that was asked for, or the exchange ended well without it: Envoy did not do what
   * the answer said.
   */
  onBodyMissing(): void;
  /** Envoy or the client broke the exchange off while the body was awaited: says nothing about the wiring. */
  onBodyAbandoned(): void;
}
