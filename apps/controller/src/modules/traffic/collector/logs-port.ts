/** The agent that sends a batch, from its certificate. */
export interface PushingClient {
  readonly clientId: string;
  readonly projectId: string;
}

export interface PushedBatch {
  readonly serviceId: string;
  readonly epoch: string;
  readonly sequence: bigint;
  readonly payload: Uint8Array;
  /** What the agent says. */
  readonly entries: number;
}

/** Stored or thrown away for good: the agent may forget the batch. Otherwise the agent sends it again after `retryMs`. */
export type LogAnswer = { readonly stored: true } | { readonly retryMs: number };

/** What the log streams of agents need of the collector. */
export interface LogsPort {
  /** Several batches of a client may be open at a time. The payload belongs to the callee. */
  push(client: PushingClient, batch: PushedBatch): Promise<LogAnswer>;
}
