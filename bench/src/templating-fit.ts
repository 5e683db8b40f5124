// Fits packages/inventory/src/weights.ts on the tuning half and prints the new file: `node bench/src/templating-fit.ts > packages/inventory/src/weights.ts`.
import { describe, describeValues, listFirstFeatures, secondFeatures, weigh } from '@flotilla/inventory/fitting';
import { loadApis } from './templating/corpus.ts';
import { type LabelledSiblings, labelSiblings } from './templating/labelled-siblings.ts';
import { fitWeights, type Sample } from './templating/regression.ts';
import { generateTraffic } from './templating/traffic.ts';

/** A group of very many values counts as much as this many. */
const VALUES_COUNTED = 12;
/** In the second round, a value that is taken for literal is worse than the opposite: it gives an operation of its own. */
const VALUE_WEIGHT = 2;
/** The second round also looks at values of which the first one is less certain than this. */
const DOUBT = -1;

const apis = loadApis('tune', { documentsPerProvider: 2, operationsPerDocument: 60 });
const groups = [20, 200].flatMap((requestsPerOperation) =>
  apis
    .filter((_, at) => at % (requestsPerOperation === 20 ? 1 : 3) === 0)
    .flatMap((api) =>
      labelSiblings(generateTraffic(api, { requestsPerOperation, popularity: 'zipf', hasAnswers: true })),
    ),
);

const first = fitWeights(groups.flatMap(listFirst));
const second = fitWeights(groups.flatMap(listSecond));
console.log(`/** Fitted by \`node bench/src/templating-fit.ts\`; one for each feature, in its order (features.ts). */
export const FIRST_WEIGHTS = parse(\`
${first.join(' ')}
\`);

export const SECOND_WEIGHTS = parse(\`
${second.join(' ')}
\`);

function parse(table: string): readonly number[] {
  return table.trim().split(' ').map(Number);
}`);

function listFirst({ siblings, areLiteral }: LabelledSiblings): Sample[] {
  const valueWeight = Math.min(1, VALUES_COUNTED / siblings.list.length);
  return listFirstFeatures(siblings, describe(siblings)).map((row, at) => ({
    row,
    isLiteral: areLiteral[at] ?? false,
    weight: areLiteral[at] ? 1 : valueWeight,
  }));
}

function listSecond({ siblings, areLiteral }: LabelledSiblings): Sample[] {
  const described = describe(siblings);
  const scores = listFirstFeatures(siblings, described).map((row) => weigh(row, first));
  const values = describeValues(siblings, described, (at) => (scores[at] ?? 0) < 0);
  if (values === undefined) return [];
  return described.flatMap((one, at) => {
    const score = scores[at] ?? 0;
    const isLiteral = areLiteral[at] ?? false;
    return score < DOUBT
      ? []
      : [{ row: secondFeatures(one, score, values), isLiteral, weight: isLiteral ? 1 : VALUE_WEIGHT }];
  });
}
