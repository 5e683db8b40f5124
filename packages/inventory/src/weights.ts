/** Fitted by `node bench/src/templating-fit.ts`; one for each feature, in its order (features.ts). */
export const FIRST_WEIGHTS = parse(`
-0.104 1.245 -1.013 -0.871 -0.33 -1.159 2.049 -0.912 0.284 -1.797 -3.383 1.396 -0.708 -0.059 -0.657 -1.896 -3.033 0.156 0.445 -0.7 -0.643 1.634 0.182 0.063 0.068 5.99 -1.847 0.114 -1.62 -0.712 -1.207 3.668 -1.693 0.648 0.499 0.065 -0.178 0.315 -1.482 0.417 -0.089 3.752 -1.549 0.177 -1.349 0.177 -0.347 0.039
`);

export const SECOND_WEIGHTS = parse(`
-0.259 0.461 1.701 1.046 -1.454 1.714 -2.336 3.249 0.164 -0.255 0.449 -0.258 0.69 0.034 -4.061 -2.421 1.851
`);

function parse(table: string): readonly number[] {
  return table.trim().split(' ').map(Number);
}
