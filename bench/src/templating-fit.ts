// Fits what packages/inventory/src knows of real APIs (vocabulary.ts, parameter-odds.ts, weights.ts) on the tuning half and writes it:
// node bench/src/templating-fit.ts
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, listFeatures, type Place, replaceLexicon, weigh } from '@flotilla/inventory/fitting';
import { Random } from '@flotilla/testkit/random';
import { boostTrees } from './templating/boosting.ts';
import { loadApis } from './templating/corpus.ts';
import { type LabelledSiblings, labelSiblings } from './templating/labelled-siblings.ts';
import { countWords, toLexicon } from './templating/lexicon.ts';
import { fitWeights, type Sample } from './templating/regression.ts';
import { generateTraffic } from './templating/traffic.ts';
import { writeOdds, writeVocabulary, writeWeights } from './templating/write-lexicon.ts';

/** A group of values counts as much as this many. */
const VALUES_COUNTED = 80;
/** The most popular values are samples, and as many of the others. */
const VALUES_SAMPLED = 12;
/** An error costs the operations below the segment, up to this many. */
const OPERATIONS_MAX = 30;
/** Siblings together cost at most this much, so that no single API decides. */
const GROUP_COST_MAX = 100;
/** One API of so many also has traffic with the same number of requests for each operation. */
const EQUAL_EVERY = 8;
/** An API is described by the words of the other parts of the corpus, as unknown APIs are. */
const PARTS = 4;

/** More words than this below a place are values: one of them is counted. */
const WORDS_MAX = 12;

const target = join(import.meta.dirname, '../../packages/inventory/src');
const random = new Random(7);
const counts = countWords(loadApis('tune', { documentsPerProvider: 60, operationsPerDocument: 2000 }));
const apis = loadApis('tune', { documentsPerProvider: 2, operationsPerDocument: 60 });
const samples = Array.from({ length: PARTS }, (_, part) => listPart(part)).flat();
const weights = fitWeights(samples);
const trees = boostTrees(samples, (row) => weigh(row, weights));
const lexicon = toLexicon(counts, () => true);
writeFileSync(join(target, 'vocabulary.ts'), writeVocabulary(lexicon));
writeFileSync(join(target, 'parameter-odds.ts'), writeOdds(lexicon));
writeFileSync(join(target, 'weights.ts'), writeWeights(weights, trees));

function listPart(part: number): Sample[] {
  replaceLexicon(toLexicon(counts, (provider) => partOf(provider) !== part));
  return apis.flatMap((api, at) => {
    if (partOf(api.provider) !== part) return [];
    return [20, 200].flatMap((requestsPerOperation) => {
      const mix = { requestsPerOperation, popularity: 'zipf', hasAnswers: true } as const;
      const groups = labelSiblings(generateTraffic(api, mix));
      if (at % EQUAL_EVERY === 1) groups.push(...labelSiblings(generateTraffic(api, { ...mix, popularity: 'equal' })));
      return groups.flatMap(listSamples);
    });
  });
}

function partOf(provider: string): number {
  return (createHash('sha256').update(provider).digest()[1] ?? 0) % PARTS;
}

function listSamples({ siblings, areLiteral }: LabelledSiblings): Sample[] {
  const { list } = siblings;
  const values = [...list.keys()]
    .filter((at) => !areLiteral[at])
    .sort((a, b) => (list[b]?.place.total ?? 0) - (list[a]?.place.total ?? 0));
  const rest = values.slice(VALUES_SAMPLED);
  const drawn = rest.filter(() => random.chance(VALUES_SAMPLED / rest.length));
  const stands = new Map([
    ...values.slice(0, VALUES_SAMPLED).map((at) => [at, 1] as const),
    ...drawn.map((at) => [at, rest.length / drawn.length] as const),
  ]);
  const costs = list.map(({ place }, at) => {
    const valueCost = (stands.get(at) ?? 0) * Math.min(1, VALUES_COUNTED / values.length);
    return Math.max(1, Math.min(OPERATIONS_MAX, countEnds(place, 2))) * (areLiteral[at] ? 1 : valueCost);
  });
  const scale = Math.min(1, GROUP_COST_MAX / costs.reduce((sum, cost) => sum + cost, 0));
  return listFeatures(siblings, describe(siblings)).flatMap((row, at) => {
    const weight = (costs[at] ?? 0) * scale;
    return weight === 0 ? [] : [{ row, isLiteral: areLiteral[at] ?? false, weight }];
  });
}

function countEnds({ ends, words, values }: Place, levels: number): number {
  if (levels === 0) return ends.size;
  const below = Array.from(words.values(), (child) => countEnds(child, levels - 1));
  const literal = below.length > WORDS_MAX ? Math.max(...below) : below.reduce((sum, count) => sum + count, 0);
  return ends.size + literal + [...values.values()].reduce((sum, child) => sum + countEnds(child, levels - 1), 0);
}
