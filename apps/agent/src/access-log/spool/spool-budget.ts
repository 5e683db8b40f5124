/** A spool as its budget sees it. */
export interface BudgetedSpool {
  readonly bytes: number;
  readonly segments: number;
  /** Forgets the oldest segment at once; false: it has none. */
  dropOldest(): boolean;
}

/**
 * The bytes that all spools of a host may occupy together. Above the limit, the spool that occupies most drops its oldest segment, so that one service with
 * much traffic does not cost another one its entries. The newest segment of each spool stays, even if it is larger than the limit.
 */
export class SpoolBudget {
  readonly limitBytes: number;
  readonly #spools = new Set<BudgetedSpool>();

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.#spools) sum += bytes;
    return sum;
  }

  add(spool: BudgetedSpool): void {
    this.#spools.add(spool);
  }

  remove(spool: BudgetedSpool): void {
    this.#spools.delete(spool);
  }

  /** Call after a spool has grown. */
  keep(): void {
    while (this.bytes > this.limitBytes) {
      const [largest] = [...this.#spools].filter((one) => one.segments > 1).sort((a, b) => b.bytes - a.bytes);
      if (!largest?.dropOldest()) return;
    }
  }
}
