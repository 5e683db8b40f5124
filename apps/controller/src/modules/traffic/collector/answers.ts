import type { LogAnswer } from '../../../platform/streams/index.ts';

/** The agent may delete the batch. */
export const STORED: LogAnswer = { stored: true };

/** How long an agent waits before it sends a batch again, by the reason. */
export const RETRY_MS = { full: 1000, held: 1000, notReady: 5000, notHere: 10_000, failed: 2000 };
