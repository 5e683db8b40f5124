/**
 * Signs in exchanges about Envoy's configuration. Each call is a cheap increment, made for every exchange that asks for
 * a body; others show nothing.
 */
export interface WiringSignals {
  /** The answer to the request's headers asked for its body. */
  onBodyAsked(): void;
  /** The requested body arrived; `isComplete` is false if it exceeded Envoy's buffer. */
  onBodyArrived(isComplete: boolean): void;
  /** The body exceeded Envoy's buffer. `isBelowCap`: the buffer is also smaller than what the policy inspects. */
  onBodyCut(isBelowCap: boolean): void;
  /** Another message came instead of the requested body: Envoy did not follow the answer. */
  onBodyMissing(): void;
  /**
   * Envoy reset the exchange, and did not half-close it, while the body was awaited. 1.38 and later do this at once if
   * they ignore the answer, and never because of clients or timeouts (observed).
   */
  onBodyIgnored(): void;
  /**
   * The exchange ended in another way while the body was awaited: by a half-close if a client disconnects during its
   * upload, or with the connection. 1.36 and 1.37 also half-close if they ignore the answer, which looks the same.
   */
  onBodyAbandoned(): void;
  /** The exchange did not begin with the headers of a request. */
  onHeadersMissing(): void;
}

/** Further events for the self-test. */
export interface SelfTestSignals extends WiringSignals {
  /** An exchange began with request headers, after one that did not. */
  onHeadersArrived(): void;
}
