export interface Sample {
  readonly row: readonly number[];
  readonly isLiteral: boolean;
  readonly weight: number;
}

const ROUNDS = 300;
const RATE = 0.1;
const DECAY = 1e-5;

/** Logistic regression by gradient descent over all samples (Adam). The same samples in the same order give the same weights. */
export function fitWeights(samples: readonly Sample[]): number[] {
  const width = samples[0]?.row.length ?? 0;
  const rows = new Float32Array(samples.length * width);
  for (const [at, { row }] of samples.entries()) rows.set(row, at * width);
  const total = samples.reduce((sum, { weight }) => sum + weight, 0);
  const weights = new Float64Array(width);
  const mean = new Float64Array(width);
  const variance = new Float64Array(width);
  for (let round = 1; round <= ROUNDS; round++) {
    const gradient = gradientOf(samples, rows, weights);
    for (let at = 0; at < width; at++) {
      const slope = (gradient[at] ?? 0) / total + DECAY * (weights[at] ?? 0);
      mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
      variance[at] = 0.999 * (variance[at] ?? 0) + 0.001 * slope * slope;
      const step =
        (mean[at] ?? 0) / (1 - 0.9 ** round) / (Math.sqrt((variance[at] ?? 0) / (1 - 0.999 ** round)) + 1e-8);
      weights[at] = (weights[at] ?? 0) - RATE * step;
    }
  }
  return Array.from(weights, (weight) => Number(weight.toFixed(3)));
}

function gradientOf(samples: readonly Sample[], rows: Float32Array, weights: Float64Array): Float64Array {
  const width = weights.length;
  const gradient = new Float64Array(width);
  for (const [index, { isLiteral, weight }] of samples.entries()) {
    const from = index * width;
    let score = 0;
    for (let at = 0; at < width; at++) score += (rows[from + at] ?? 0) * (weights[at] ?? 0);
    const error = (1 / (1 + Math.exp(-score)) - (isLiteral ? 1 : 0)) * weight;
    for (let at = 0; at < width; at++) gradient[at] = (gradient[at] ?? 0) + error * (rows[from + at] ?? 0);
  }
  return gradient;
}
