/** The time that engines may spend on one request. Walks whose length a client chooses ask it every few hundred steps. */
export interface Budget {
  /** Throws `BudgetExceeded` once the time is used up. Costs a reading of the clock. */
  check(): void;
}

/** Ends an engine's work in the middle; the policy's fail mode says what becomes of the request. */
export class BudgetExceeded extends Error {
  constructor() {
    super('the time budget of the request is used up');
    this.name = 'BudgetExceeded';
  }
}

export const UNLIMITED: Budget = { check: () => undefined };
