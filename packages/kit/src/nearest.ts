export type Likeness = {
  /** How many letters of a name of `length` letters may be wrong; below 0: none is near. Without it a third, at least one. */
  readonly wrongLetters?: (length: number) => number;
  /** Whether `camelCase` is the same as `camel_case`. */
  readonly camelCase?: boolean;
};

/** What is longer is cut: it is no name. */
const NAME_MAX = 160;

/**
 * The candidate most likely meant by `name`, or undefined where none is near; of several the nearest, of those the first.
 * Capitals and dashes do not count.
 */
export function findNearest(name: string, candidates: Iterable<string>, likeness: Likeness = {}): string | undefined {
  const { wrongLetters = allowThird, camelCase = false } = likeness;
  const fold = camelCase ? foldCamelCase : foldCase;
  const wanted = fold(name.slice(0, NAME_MAX));
  let nearest: string | undefined;
  let limit = wrongLetters(wanted.length) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, fold(candidate.slice(0, NAME_MAX)), limit);
    if (distance < limit) [nearest, limit] = [candidate, distance];
  }
  return nearest;
}

function allowThird(length: number): number {
  return Math.max(1, Math.floor(length / 3));
}

function foldCase(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

function foldCamelCase(name: string): string {
  return foldCase(name.replace(/[A-Z]/g, (letter) => `_${letter}`))
    .replace(/_+/g, '_')
    .replace(/^_/, '');
}

/** Levenshtein's distance: letters to add, drop or change. Some number from `limit` on as soon as it cannot be below. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let at = 0; at < a.length; at += 1) {
    const next = [at + 1];
    let smallest = at + 1;
    for (let column = 0; column < b.length; column += 1) {
      const changed = (row[column] ?? limit) + (a[at] === b[column] ? 0 : 1);
      const distance = Math.min(changed, (row[column + 1] ?? limit) + 1, (next[column] ?? limit) + 1);
      next.push(distance);
      smallest = Math.min(smallest, distance);
    }
    if (smallest >= limit) return limit;
    row = next;
  }
  return row[b.length] ?? limit;
}
