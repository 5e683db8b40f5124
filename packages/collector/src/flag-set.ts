import { RISK_FLAG_NAMES, RISK_FLAGS, type RiskFlag, type RiskScores, scoreFlags } from '@flotilla/inventory';

/** Flags that a request had together. Requests with the same flags share one object, so what follows from them is derived once. */
export interface FlagCombination extends RiskScores {
  readonly flags: readonly RiskFlag[];
  /** The bits of the flags, as the event store has them. */
  readonly bits: { readonly low: number; readonly high: number };
  /** No flag of an attack, and no unusual latency. */
  readonly isHarmless: boolean;
}

const COMBINATIONS_MAX = 4096;
const HALF = 2 ** 32;

/** The flags of one request while they are found. It is used for one request after the other. */
export class FlagSet {
  #low = 0;
  #high = 0;
  readonly #known = new Map<number, FlagCombination>();

  add(flag: RiskFlag): void {
    const { bit } = RISK_FLAGS[flag];
    if (bit < 32) this.#low |= 1 << bit;
    else this.#high |= 1 << (bit - 32);
  }

  has(flag: RiskFlag): boolean {
    const { bit } = RISK_FLAGS[flag];
    return bit < 32 ? (this.#low & (1 << bit)) !== 0 : (this.#high & (1 << (bit - 32))) !== 0;
  }

  clear(): void {
    this.#low = 0;
    this.#high = 0;
  }

  combine(): FlagCombination {
    // Exact: no flag has a bit above 52.
    const key = this.#high * HALF + (this.#low >>> 0);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const combination = this.#describe();
    if (this.#known.size >= COMBINATIONS_MAX) this.#known.clear();
    this.#known.set(key, combination);
    return combination;
  }

  #describe(): FlagCombination {
    const flags = RISK_FLAG_NAMES.filter((flag) => this.has(flag));
    return {
      flags,
      bits: { low: this.#low >>> 0, high: this.#high >>> 0 },
      isHarmless: flags.every((flag) => RISK_FLAGS[flag].axis !== 'threat' && flag !== 'latency_anomaly'),
      ...scoreFlags(flags),
    };
  }
}
