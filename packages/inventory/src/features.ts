import { clamp, flag, sum } from './arithmetic.ts';
import { isChoice } from './closed-sets.ts';
import { countMarks, isWordMark, listMarks } from './marks.ts';
import { isLeaf } from './place.ts';
import type { Described, Siblings } from './siblings.ts';
import { describeStyle, styleFeatures } from './style-features.ts';

/** The same for all siblings. */
interface Group {
  readonly size: number;
  readonly singletons: number;
  readonly typedShare: number;
  readonly total: number;
  readonly knownShare: number;
  readonly choiceShare: number;
  /** Share of siblings that have the most frequent set of two or more methods. */
  readonly uniformity: number;
  readonly marks: ReadonlyMap<string, number>;
  readonly typedMarks: ReadonlySet<string> | undefined;
}

/** One row of features for each sibling, seen by itself and beside all others. The order is that of `weights.ts`. */
export function listFeatures(siblings: Siblings, described: readonly Described[]): number[][] {
  const group = describeGroup(siblings, described);
  const style = describeStyle(siblings, described);
  return described.map((one, at) => [
    ...textFeatures(one.value, one.known),
    ...groupFeatures(siblings, one, group),
    ...markFeatures(one, group),
    ...styleFeatures(siblings, one, { ...style, odds: style.allOdds[at] ?? 0 }),
  ]);
}

function describeGroup({ typed }: Siblings, described: readonly Described[]): Group {
  const size = described.length;
  const total = described.reduce((sum, { place }) => sum + place.total, 0);
  return {
    size,
    total,
    singletons: described.filter(({ place }) => place.total === 1).length / size,
    typedShare: typed === undefined ? 0 : typed.total / (typed.total + total),
    knownShare: described.reduce((sum, { known }) => sum + known, 0) / size,
    choiceShare: sum(described, ({ value }) => flag(isChoice(value))) / size,
    uniformity: uniformityOf(described),
    marks: countMarks(described.map(({ marks }) => marks)),
    typedMarks: typed === undefined ? undefined : new Set(listMarks(typed)),
  };
}

function uniformityOf(described: readonly Described[]): number {
  const sets = described
    .map(({ place }) => [...place.ends.keys()].sort().join(' '))
    .filter((methods) => methods.includes(' '));
  return described.length < 3 ? 0 : Math.max(0, ...countMarks(sets.map((set) => [set])).values()) / described.length;
}

const VERSION = /^v?\d+(?:\.\d+)*$/i;

function textFeatures(value: string, known: number): number[] {
  const isVersion = VERSION.test(value);
  return [
    1,
    known,
    flag(known < 0.3),
    flag(/\d/.test(value) && !isVersion),
    flag(/^[A-Z][a-z]/.test(value)),
    flag(/^[A-Z0-9_-]{2,}$/.test(value)),
    Math.min(2, value.length / 16),
    Math.min(3, value.split(/[-_]/).length - 1),
    flag(/[^A-Za-z0-9._-]/.test(value)),
    flag(isVersion),
    flag(/\.[a-z0-9]{2,4}$/i.test(value)),
    flag(value.length <= 3),
    flag(isChoice(value)),
    flag(/^[a-z]+[A-Z]/.test(value)),
  ];
}

function groupFeatures({ typed, parent, depth }: Siblings, { place, known }: Described, group: Group): number[] {
  const logSize = Math.min(8, Math.log2(group.size));
  const share = place.total / Math.max(1, group.total / group.size);
  const perSibling = Math.min(8, Math.log2(group.total / group.size));
  return [
    logSize,
    group.singletons,
    group.typedShare,
    flag(typed !== undefined),
    clamp(Math.log2(share), 4),
    flag(parent !== undefined && /[^s]s$/.test(parent)),
    flag(parent === undefined && depth > 0),
    flag(depth === 0),
    Math.min(10, Math.log2(1 + place.total)),
    group.knownShare,
    logSize * (1 - group.knownShare),
    known * group.typedShare,
    flag(group.size > 1 && group.total / group.size < 4),
    flag(group.size === 1),
    known * group.knownShare,
    group.choiceShare,
    logSize * group.choiceShare,
    group.uniformity,
    Math.min(5, logSize) * group.uniformity,
    perSibling,
    perSibling * group.knownShare,
    perSibling * logSize,
    perSibling * flag(isLeaf(place)),
    flag(group.total < 30) * group.knownShare,
  ];
}

function markFeatures({ marks, place }: Described, { size, marks: counts, typedMarks }: Group): number[] {
  const others = Math.max(1, size - 1);
  const isEnd = isLeaf(place);
  const words = marks.filter(isWordMark);
  const similarity =
    size === 1 || marks.length === 0 ? 0 : sum(marks, (mark) => ((counts.get(mark) ?? 1) - 1) / others) / marks.length;
  const sharedWords = words.filter((mark) => (counts.get(mark) ?? 1) - 1 >= Math.max(1, others * 0.3)).length;
  const ownWords = words.filter((mark) => counts.get(mark) === 1).length;
  const explained =
    typedMarks === undefined ? 0 : sum(marks, (mark) => flag(typedMarks.has(mark))) / Math.max(1, marks.length);
  return [
    isEnd ? 0 : similarity,
    flag(!isEnd && size > 1) * (1 - similarity),
    flag(isEnd),
    flag(size > 1 && marks.some((mark) => mark.startsWith('=') && counts.get(mark) === 1)),
    Math.min(4, sharedWords),
    Math.min(4, ownWords),
    explained,
    typedMarks === undefined
      ? 0
      : Math.min(
          4,
          sum(marks, (mark) => flag(!typedMarks.has(mark))),
        ),
    flag(size >= 5 && similarity > 0.6 && !isEnd),
    flag(size >= 3 && sharedWords >= 2),
  ];
}
