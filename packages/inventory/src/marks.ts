import type { Place } from './place.ts';

const MARKS_MAX = 80;
const CHILDREN_LOOKED_AT = 24;

/** Lists what can be done at a place: methods (`=GET`), the segments below it (`/issues`) and the words below those (`/*` and the word). */
export function listMarks(place: Place): string[] {
  const marks = new Set<string>();
  for (const method of place.ends.keys()) marks.add(`=${method}`);
  for (const pattern of place.values.keys()) marks.add(`/${pattern}`);
  let looked = 0;
  for (const [word, child] of place.words) {
    marks.add(`/${word}`);
    for (const deeper of child.words.keys()) marks.add(`/*/${deeper}`);
    looked += 1;
    if (marks.size >= MARKS_MAX || looked >= CHILDREN_LOOKED_AT) break;
  }
  for (const child of place.values.values()) {
    for (const deeper of child.words.keys()) {
      if (marks.size >= MARKS_MAX) break;
      marks.add(`/*/${deeper}`);
    }
  }
  return [...marks];
}

export function isWordMark(mark: string): boolean {
  return mark.startsWith('/') && !mark.includes('{}');
}

/** How many of the lists have each mark. */
export function countMarks(lists: Iterable<readonly string[]>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const list of lists) for (const mark of list) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}
