import type { BoostedTree } from '@flotilla/inventory/fitting';
import { Random } from '@flotilla/testkit/random';
import type { Sample } from './regression.ts';

const TREES = 140;
const DEPTH = 4;
const INNER = 2 ** DEPTH - 1;
const RATE = 0.1;
/** Added to the curvature of a leaf: few samples move it little. */
const SHRINKAGE = 8;
const CURVATURE_MIN = 2;
const GAIN_MIN = 1e-6;
const BINS = 24;
/** Each tree sees this share of the features. */
const FEATURES_SEEN = 0.7;

/** One column of features, as the number of a bin for each sample. */
interface Column {
  /** Ascending; the bin of a value is the number of limits below it. */
  readonly limits: readonly number[];
  readonly bins: Uint8Array;
}

interface Split {
  readonly column: number;
  readonly bin: number;
  readonly gain: number;
}

/** Adds regression trees to the log-odds of `base` (gradient boosting of the logistic loss, by Newton's method). The same samples give the same trees. */
export function boostTrees(samples: readonly Sample[], base: (row: readonly number[]) => number): BoostedTree[] {
  return new Boosting(samples, base).run();
}

class Boosting {
  readonly #samples: readonly Sample[];
  readonly #columns: readonly Column[];
  readonly #scores: Float64Array;
  readonly #slopes: Float64Array;
  readonly #curvatures: Float64Array;
  /** The node of the tree that is being built in which a sample is, within its level. */
  readonly #nodes: Uint8Array;
  readonly #random = new Random(7);

  constructor(samples: readonly Sample[], base: (row: readonly number[]) => number) {
    this.#samples = samples;
    const width = samples[0]?.row.length ?? 0;
    this.#columns = Array.from({ length: width }, (_, at) => toColumn(samples.map(({ row }) => row[at] ?? 0)));
    this.#scores = Float64Array.from(samples, ({ row }) => base(row));
    this.#slopes = new Float64Array(samples.length);
    this.#curvatures = new Float64Array(samples.length);
    this.#nodes = new Uint8Array(samples.length);
  }

  run(): BoostedTree[] {
    return Array.from({ length: TREES }, () => this.#grow());
  }

  #grow(): BoostedTree {
    this.#derive();
    const seen = this.#columns.flatMap((_, at) => (this.#random.chance(FEATURES_SEEN) ? [at] : []));
    const tree = { features: new Array<number>(INNER).fill(0), limits: new Array<number>(INNER).fill(0) };
    for (let level = 0; level < DEPTH; level++) {
      const splits = this.#split(level, seen);
      for (const [at, { column, bin }] of splits.entries()) {
        const limits = this.#columns[column]?.limits ?? [];
        tree.features[2 ** level - 1 + at] = column;
        // A node that is not divided sends everything to its first child.
        tree.limits[2 ** level - 1 + at] = limits[bin] ?? 1e9;
      }
      this.#descend(splits);
    }
    return { ...tree, leaves: this.#weighLeaves() };
  }

  #derive(): void {
    this.#nodes.fill(0);
    for (const [at, { isLiteral, weight }] of this.#samples.entries()) {
      const odds = 1 / (1 + Math.exp(-(this.#scores[at] ?? 0)));
      this.#slopes[at] = weight * (odds - (isLiteral ? 1 : 0));
      this.#curvatures[at] = weight * Math.max(1e-6, odds * (1 - odds));
    }
  }

  #split(level: number, seen: readonly number[]): Split[] {
    const best: Split[] = Array.from({ length: 2 ** level }, () => ({ column: 0, bin: BINS, gain: GAIN_MIN }));
    for (const column of seen) {
      const { limits, bins } = this.#columns[column] ?? { limits: [], bins: this.#nodes };
      const width = limits.length + 1;
      const slopes = new Float64Array(best.length * width);
      const curvatures = new Float64Array(best.length * width);
      for (let at = 0; at < bins.length; at++) {
        const cell = (this.#nodes[at] ?? 0) * width + (bins[at] ?? 0);
        slopes[cell] = (slopes[cell] ?? 0) + (this.#slopes[at] ?? 0);
        curvatures[cell] = (curvatures[cell] ?? 0) + (this.#curvatures[at] ?? 0);
      }
      for (const [node, known] of best.entries()) {
        const from = node * width;
        const found = bestBin(slopes.subarray(from, from + width), curvatures.subarray(from, from + width));
        if (found.gain > known.gain) best[node] = { column, ...found };
      }
    }
    return best;
  }

  #descend(splits: readonly Split[]): void {
    for (let at = 0; at < this.#nodes.length; at++) {
      const node = this.#nodes[at] ?? 0;
      const { column = 0, bin = BINS } = splits[node] ?? {};
      this.#nodes[at] = 2 * node + ((this.#columns[column]?.bins[at] ?? 0) > bin ? 1 : 0);
    }
  }

  #weighLeaves(): number[] {
    const slopes = new Float64Array(INNER + 1);
    const curvatures = new Float64Array(INNER + 1);
    for (const [at, node] of this.#nodes.entries()) {
      slopes[node] = (slopes[node] ?? 0) + (this.#slopes[at] ?? 0);
      curvatures[node] = (curvatures[node] ?? 0) + (this.#curvatures[at] ?? 0);
    }
    const leaves = Array.from(slopes, (slope, node) =>
      Number(((-RATE * slope) / ((curvatures[node] ?? 0) + SHRINKAGE)).toFixed(4)),
    );
    for (const [at, node] of this.#nodes.entries()) this.#scores[at] = (this.#scores[at] ?? 0) + (leaves[node] ?? 0);
    return leaves;
  }
}

/** Divides the values into bins of about the same number of samples, or one for each value if there are few. */
function toColumn(values: readonly number[]): Column {
  const sorted = Float64Array.from(values).sort();
  const distinct = [...new Set(sorted)];
  const limits =
    distinct.length <= BINS
      ? distinct.slice(1).map((value, at) => (value + (distinct[at] ?? 0)) / 2)
      : Array.from({ length: BINS - 1 }, (_, bin) => sorted[Math.floor((sorted.length * (bin + 1)) / BINS)] ?? 0);
  const rounded = [...new Set(limits.map((limit) => Number(limit.toFixed(3))))].sort((a, b) => a - b);
  return { limits: rounded, bins: Uint8Array.from(values, (value) => rounded.filter((limit) => limit < value).length) };
}

function bestBin(slopes: Float64Array, curvatures: Float64Array): Omit<Split, 'column'> {
  const all = { slope: total(slopes), curvature: total(curvatures) };
  const whole = gainOf(all.slope, all.curvature);
  const best = { bin: BINS, gain: 0 };
  let slope = 0;
  let curvature = 0;
  for (let bin = 0; bin < slopes.length - 1; bin++) {
    slope += slopes[bin] ?? 0;
    curvature += curvatures[bin] ?? 0;
    if (Math.min(curvature, all.curvature - curvature) < CURVATURE_MIN) continue;
    const gain = gainOf(slope, curvature) + gainOf(all.slope - slope, all.curvature - curvature) - whole;
    if (gain > best.gain) Object.assign(best, { bin, gain });
  }
  return best;
}

function gainOf(slope: number, curvature: number): number {
  return (slope * slope) / (curvature + SHRINKAGE);
}

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
