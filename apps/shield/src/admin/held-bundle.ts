import type { LoadedPolicies } from '@flotilla/policy';
import type { PolicySource } from '../policy-source.ts';

/** The bundle that holds, not put together anew for every trial, and given up when memory is wanted. */
export class HeldBundle {
  readonly #source: PolicySource;
  #kept: WeakRef<LoadedPolicies> | undefined;

  constructor(source: PolicySource) {
    this.#source = source;
  }

  get loaded(): LoadedPolicies {
    const kept = this.#kept?.deref();
    if (kept?.digest === this.#source.current.digest) return kept;
    const { loaded } = this.#source;
    this.#kept = new WeakRef(loaded);
    return loaded;
  }
}
