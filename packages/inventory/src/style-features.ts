import { flag, sum } from './arithmetic.ts';
import { lexicon } from './lexicon.ts';
import { compareProfiles, type Profile, profilePlaces } from './likeness.ts';
import { countMarks } from './marks.ts';
import { isLeaf } from './place.ts';
import type { Described, Siblings } from './siblings.ts';
import { splitWords } from './words.ts';

/** How the texts and the traffic of siblings go together. */
interface Style {
  readonly allOdds: readonly number[];
  readonly meanOdds: number;
  readonly alikeShare: number;
  readonly meanWords: number;
  readonly first: ReadonlyMap<string, number>;
  readonly last: ReadonlyMap<string, number>;
  readonly methodsShare: number;
  readonly leafShare: number;
  readonly lengths: ReadonlyMap<string, number>;
  readonly capitalShare: number;
  /** Share of the siblings whose first letters another one has, too. */
  readonly prefixShare: number;
  readonly suffixShare: number;
  readonly least: number;
  readonly median: number;
}

export function describeStyle(siblings: Siblings, described: readonly Described[]): Style {
  const size = described.length;
  const totals = described.map(({ place }) => place.total).sort((a, b) => a - b);
  const allOdds = compareProfiles(profilesOf(siblings, described)).slice(0, size);
  const sets = countMarks(described.map(({ place }) => [[...place.ends.keys()].sort().join(' ')]));
  return {
    allOdds,
    meanOdds: sum(allOdds, (odds) => odds) / size,
    alikeShare: sum(allOdds, (odds) => flag(odds < -0.5)) / size,
    meanWords: sum(described, ({ words }) => Math.min(4, words.length)) / size,
    first: countMarks(described.map(({ words }) => (words.length > 1 ? words.slice(0, 1) : []))),
    last: countMarks(described.map(({ words }) => (words.length > 1 ? words.slice(-1) : []))),
    methodsShare: Math.max(0, ...sets.values()) / size,
    leafShare: sum(described, ({ place }) => flag(isLeaf(place))) / size,
    lengths: countMarks(described.map(({ value }) => [String(value.length)])),
    capitalShare: sum(described, ({ value }) => flag(/^[A-Z0-9_.-]{2,}$/.test(value))) / size,
    prefixShare: shareOfAlike(described, ({ value }) => value.slice(0, 4)),
    suffixShare: shareOfAlike(described, ({ value }) => value.slice(-4)),
    least: totals[0] ?? 0,
    median: totals[totals.length >> 1] ?? 0,
  };
}

function shareOfAlike(described: readonly Described[], partOf: (one: Described) => string): number {
  const counts = countMarks(described.map((one) => [partOf(one)]));
  return sum(described, (one) => flag((counts.get(partOf(one)) ?? 0) > 1)) / described.length;
}

function profilesOf({ typed }: Siblings, described: readonly Described[]): Profile[] {
  const profiles = described.map(({ profile }) => profile);
  return typed === undefined ? profiles : [...profiles, ...profilePlaces([typed])];
}

export function styleFeatures(
  { parent, pattern, list }: Siblings,
  { words, value, place }: Described,
  style: Style & { readonly odds: number },
): number[] {
  const size = list.length;
  const shares = (counts: ReadonlyMap<string, number>, word = ''): number =>
    words.length > 1 ? ((counts.get(word) ?? 1) - 1) / Math.max(1, size - 1) : 0;
  return [
    style.odds,
    style.meanOdds,
    style.alikeShare,
    Math.min(4, words.length),
    style.meanWords,
    shares(style.first, words[0]),
    shares(style.last, words.at(-1)),
    style.methodsShare,
    style.leafShare,
    style.methodsShare * style.leafShare * Math.min(6, Math.log2(size)),
    size === 1 ? 0 : ((style.lengths.get(String(value.length)) ?? 1) - 1) / (size - 1),
    style.capitalShare,
    parent === undefined ? 0 : parameterOdds(parent),
    flag(pattern.startsWith('{}.')),
    flag(pattern.startsWith('{}:')),
    place.ends.size,
    Math.min(6, place.words.size + place.values.size),
    style.prefixShare,
    style.suffixShare,
    Math.min(8, Math.log2(style.least)),
    Math.min(8, Math.log2(style.median)),
  ];
}

const ALIKE_MIN = 3;
const CODE_CHARACTERS_MIN = 8;

/** Whether a text has the length of recognised values that all have one, as codes do: most of them were recognised, and this one by chance was not. */
export function isLikeTyped({ typed }: Siblings, { value, known }: Described): boolean {
  if (typed === undefined || value.length < CODE_CHARACTERS_MIN || known >= 0.5 || typed.samples.size < ALIKE_MIN)
    return false;
  for (const sample of typed.samples.keys()) if (sample.length !== value.length) return false;
  return true;
}

/** The log-odds that a parameter follows a segment, by its last word. */
function parameterOdds(parent: string): number {
  const word = splitWords(parent).at(-1);
  return word === undefined ? 0 : (lexicon().parameterOdds.get(word) ?? flag(word.endsWith('s')) * PLURAL_ODDS);
}
const PLURAL_ODDS = 0.4;
