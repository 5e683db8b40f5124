// Measures how operations, PII and categories are recognised, against documents of real APIs and labelled corpora.
// node --expose-gc bench/src/templating.ts [tune|publish]; published figures are those of `publish`.
import { categorizePath, findPii, Identifier, Learner } from '@flotilla/inventory';
import { median } from './table.ts';
import { generateCategories } from './templating/category-corpus.ts';
import { type Half, loadApis } from './templating/corpus.ts';
import { measureScanner } from './templating/measure-scanner.ts';
import { measureLearned, measureWithRoutes, type TemplatingFigures } from './templating/measure-templates.ts';
import { generatePii } from './templating/pii-corpus.ts';
import { addScore, emptyScore, figuresOf, scoreSets } from './templating/score.ts';
import { generateTraffic, type Mix } from './templating/traffic.ts';

const half: Half = process.argv[2] === 'tune' ? 'tune' : 'publish';
const startedAt = performance.now();
/** Bounds the time of a run, and the weight of vendors with hundreds of documents. */
const apis = loadApis(half, { documentsPerProvider: 2, operationsPerDocument: 60 });

const MIXES: readonly (readonly [string, Mix])[] = [
  ['200 requests per operation, Zipf', { requestsPerOperation: 200, popularity: 'zipf', hasAnswers: true }],
  ['200, the same number for each', { requestsPerOperation: 200, popularity: 'equal', hasAnswers: true }],
  ['20, Zipf', { requestsPerOperation: 20, popularity: 'zipf', hasAnswers: true }],
  ['20, the same number for each', { requestsPerOperation: 20, popularity: 'equal', hasAnswers: true }],
  ['20, Zipf, every path answered', { requestsPerOperation: 20, popularity: 'zipf', hasAnswers: false }],
];

const table: Record<string, Record<string, number>> = {};
for (const [name, mix] of MIXES) table[name] = toRow(measureLearned(apis, mix));
table['20, Zipf, routes known'] = toRow(
  measureWithRoutes(apis, { requestsPerOperation: 20, popularity: 'zipf', hasAnswers: true }),
);
console.log(`operations of the ${half} half`);
console.table(table);
console.table({ PII: measurePii(), categories: measureCategories() });
console.table({
  'scanner, 1,000,000 missing paths': measureScanner(1_000_000, { isAnswered: false }),
  'scanner, 200,000 answered paths': measureScanner(200_000, { isAnswered: true }),
});
console.table(measureThroughput());
console.log(`${((performance.now() - startedAt) / 1000).toFixed(0)} s`);

function toRow({
  precision,
  recall,
  f1,
  meanF1,
  apis: count,
  operations,
  requests,
}: TemplatingFigures): Record<string, number> {
  return {
    precision: round(precision),
    recall: round(recall),
    F1: round(f1),
    'mean F1 of APIs': round(meanF1),
    APIs: count,
    operations,
    requests,
  };
}

function measurePii(): Record<string, number> {
  const sum = emptyScore();
  const corpus = generatePii(50, 7);
  for (const { value, name, truth } of corpus)
    addScore(sum, scoreSets(new Set(truth === undefined ? [] : [truth]), new Set(findPii(value, { name }))));
  const { precision, recall, f1 } = figuresOf(sum);
  return { precision: round(precision), recall: round(recall), F1: round(f1), cases: corpus.length };
}

function measureCategories(): Record<string, number> {
  const sum = emptyScore();
  const corpus = generateCategories();
  for (const { path, truth } of corpus) addScore(sum, scoreSets(new Set(truth), new Set(categorizePath(path))));
  const { precision, recall, f1 } = figuresOf(sum);
  return { precision: round(precision), recall: round(recall), F1: round(f1), cases: corpus.length };
}

/** Naming and learning, beside parsing the same paths as URLs, interleaved. */
function measureThroughput(): Record<string, Record<string, number>> {
  const paths = apis
    .slice(0, 40)
    .flatMap((api) => generateTraffic(api, { requestsPerOperation: 20, popularity: 'zipf', hasAnswers: true }));
  const identifier = new Identifier({}, new Learner());
  const requests = paths.map(({ method, path, answer }) => ({ method, authority: 'api.example.com', path, answer }));
  const works: Record<string, () => void> = {
    'parse as URL': () => {
      for (const { path } of requests) URL.parse(path, 'http://api.example.com');
    },
    observe: () => {
      for (const request of requests) identifier.observe(request);
    },
    identify: () => {
      for (const request of requests) identifier.identify(request);
    },
  };
  const seconds: Record<string, number[]> = {};
  for (let round = 0; round < 5; round++) {
    for (const [name, work] of Object.entries(works)) {
      const began = performance.now();
      work();
      seconds[name] = [...(seconds[name] ?? []), (performance.now() - began) / 1000];
    }
    identifier.learner.settle();
  }
  const baseline = median(seconds['parse as URL'] ?? []);
  return Object.fromEntries(
    Object.entries(seconds).map(([name, times]) => [
      name,
      {
        'paths per second': Math.round(requests.length / median(times)),
        'times the baseline': round(median(times) / baseline),
      },
    ]),
  );
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
