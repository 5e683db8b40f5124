/** Fitted by `node bench/src/templating-fit.ts`; one for each feature, in its order (features.ts). */
export const FIRST_WEIGHTS = parse(`
0.107 1.195 -1.154 -0.915 -0.189 -1.345 1.906 -0.861 0.279 -2.392 -3.348 1.43 -0.534 -0.001 -0.64 -2.081 -2.92 0.237 0.393 -0.679 -0.632 1.7 0.226 0.072 0.035 5.915 -1.821 0.158 -2.228 -0.76 -1.271 3.509 -1.676 0.708 0.44 0.053 -0.188 0.373 -1.286 0.68 0.111 3.642 -1.576 0.143 -1.435 0.235 -0.339 -0.101
`);

export const SECOND_WEIGHTS = parse(`
-0.522 0.394 1.397 0.754 -1.049 2.035 -2.653 3.797 0.136 -0.063 0.399 -0.183 0.707 0.148 -3.98 -2.289 1.592
`);

function parse(table: string): readonly number[] {
  return table.trim().split(' ').map(Number);
}
