import type { FlagSet } from '../flag-set.ts';
import type { RequestFacts } from '../request-facts.ts';
import type { StateTable } from '../windows/keyed-states.ts';

/** Recognises what several requests show together. Its state is bounded. */
export interface Detector {
  readonly name: string;
  /** Adds the request to what was seen, and adds flags to it. */
  observe(facts: RequestFacts, flags: FlagSet): void;
  /** Whether it learns what is normal for an operation: its keys are then ids of operations. */
  readonly isBaseline: boolean;
  readonly states: StateTable;
}

/** States of one detector of one project. */
export const KEYS_MAX = 4096;

export function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** A client error that does not speak about credentials or rates. */
export function isClientError(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}
