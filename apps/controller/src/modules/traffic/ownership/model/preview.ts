import type { ApiOwnerPreview, ApiOwnerRule } from '@flotilla/contract';
import type { Evaluation } from './evaluate.ts';
import type { OwnedRow } from './owned.ts';

const SAMPLES = 10;
const SHADOWS = 5;

interface RuleTotals {
  matched: number;
  effective: number;
  readonly shadowedBy: Set<number>;
  readonly samples: ApiOwnerPreview['rules'][number]['samples'];
}

/** Counts what rules would do. */
export class RulePreview {
  readonly #rules: readonly ApiOwnerRule[];
  readonly #totals: readonly RuleTotals[];
  #operations = 0;
  #unowned = 0;

  constructor(rules: readonly ApiOwnerRule[]) {
    this.#rules = rules;
    this.#totals = rules.map(() => ({ matched: 0, effective: 0, shadowedBy: new Set(), samples: [] }));
  }

  add({ id: operation_id, method, host, path }: OwnedRow, { team, matched, effective }: Evaluation): void {
    this.#operations += 1;
    if (team === '') this.#unowned += 1;
    for (const index of matched) {
      const totals = this.#totals[index];
      if (totals === undefined) continue;
      totals.matched += 1;
      if (totals.samples.length < SAMPLES) totals.samples.push({ operation_id, method, host, path });
      if (effective.includes(index)) totals.effective += 1;
      else
        for (const other of effective)
          if (other < index && totals.shadowedBy.size < SHADOWS) totals.shadowedBy.add(other);
    }
  }

  close(): ApiOwnerPreview {
    const nameOf = (index: number) => this.#rules[index]?.name ?? '';
    return {
      operation_count: this.#operations,
      unowned: this.#unowned,
      rules: this.#totals.map(({ matched, effective, shadowedBy, samples }, index) => {
        const shadowed = matched > 0 && effective === 0;
        const shadowed_by = shadowed ? [...shadowedBy].toSorted((a, b) => a - b).map(nameOf) : [];
        return { name: nameOf(index), matched, effective, shadowed, shadowed_by, samples };
      }),
    };
  }
}
