import { type Profile, profilePlaces } from './likeness.ts';
import { listMarks } from './marks.ts';
import type { Place, ValuePlace } from './place.ts';
import { splitWords, wordsOf } from './words.ts';

/** One child of a place, which is either a literal segment or a value of a parameter. */
export interface Sibling {
  /** The text without what its pattern adds. */
  readonly value: string;
  readonly place: Place;
}

/** Siblings with one pattern, and what else is known of their place. */
export interface Siblings {
  readonly list: readonly Sibling[];
  readonly pattern: string;
  /** Values that detectors recognised in the same place. */
  readonly typed: ValuePlace | undefined;
  /** The segment before; undefined at the root and after a parameter. */
  readonly parent: string | undefined;
  readonly depth: number;
}

/** A sibling with what was derived from it. */
export interface Described extends Sibling {
  readonly known: number;
  readonly marks: readonly string[];
  /** In small letters. */
  readonly words: readonly string[];
  readonly profile: Profile;
}

export function describe(siblings: Siblings): Described[] {
  const places = siblings.list.map(({ place }) => place);
  const profiles = profilePlaces(siblings.typed === undefined ? places : [...places, siblings.typed]);
  return siblings.list.map((sibling, at) => ({
    ...sibling,
    known: wordsOf(sibling.value).knownShare,
    marks: listMarks(sibling.place),
    words: splitWords(sibling.value),
    profile: profiles[at] ?? new Map(),
  }));
}
