/**
 * The time that engines may spend on one request. Walks whose length a client controls check it every few hundred
 * steps.
 */
export interface Budget {
  /** Throws `BudgetExceeded` once the time is used up. Reads the clock. */
  check(): void;
}

/** Aborts an engine's work; the policy's fail mode decides about the request. */
export class BudgetExceeded extends Error {
  constructor() {
    super('the time budget of the request is used up');
    this.name = 'BudgetExceeded';
  }
}

export const UNLIMITED: Budget = { check: () => undefined };
