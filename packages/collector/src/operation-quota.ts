/** Operations of one project that have a row of their own. */
export interface OperationLimits {
  readonly confirmed: number;
  /** Operations that no request has confirmed. */
  readonly others: number;
}

const LIMITS: OperationLimits = { confirmed: 50_000, others: 5000 };

/**
 * Limits the operations of a project, with a quota of its own for those that were never confirmed: a scanner that invents paths takes no place from a real
 * operation. Real ones move into the other quota when they are confirmed.
 */
export class OperationQuota {
  readonly #limits: OperationLimits;
  readonly #confirmed = new Set<string>();
  readonly #others = new Set<string>();
  #refused = 0;

  constructor(limits: OperationLimits = LIMITS) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#confirmed.size + this.#others.size;
  }

  get refused(): number {
    return this.#refused;
  }

  /** False: the request is counted for the other operations. */
  admits(key: string, isConfirmed: boolean): boolean {
    if (this.#confirmed.has(key)) return true;
    if (isConfirmed && this.#confirmed.size < this.#limits.confirmed) {
      this.#others.delete(key);
      this.#confirmed.add(key);
      return true;
    }
    if (this.#others.has(key)) return true;
    if (!isConfirmed && this.#others.size < this.#limits.others) {
      this.#others.add(key);
      return true;
    }
    this.#refused += 1;
    return false;
  }
}
