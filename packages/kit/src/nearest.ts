export type Likeness = {
  /**
   * How many letters may be wrong in a name of `length` letters; a negative number accepts no candidate. Default: a
   * third, at least one.
   */
  readonly wrongLetters?: (length: number) => number;
  /** Whether `camelCase` equals `camel_case`. */
  readonly camelCase?: boolean;
};

/** Longer names are cut. */
const NAME_MAX = 160;

/**
 * The candidate nearest to `name`, the first of several that are equally near, or undefined if none is near enough.
 * Ignores case, and treats `-` as `_`.
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

/**
 * Two rows of the table in `editDistance`, reused because it runs for every candidate and allocating rows would cost
 * more than the computation.
 */
let before = new Uint16Array(NAME_MAX * 2 + 1);
let row = new Uint16Array(NAME_MAX * 2 + 1);

/** Levenshtein distance. Returns a number of at least `limit` as soon as the distance cannot be below it. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  if (b.length >= row.length) return limit;
  for (let column = 0; column <= b.length; column += 1) row[column] = column;
  for (let at = 0; at < a.length; at += 1) {
    [before, row] = [row, before];
    const letter = a.charCodeAt(at);
    let left = at + 1;
    let smallest = left;
    row[0] = left;
    let diagonal = at;
    for (let column = 1; column <= b.length; column += 1) {
      const above = before[column] ?? limit;
      const changed = diagonal + (letter === b.charCodeAt(column - 1) ? 0 : 1);
      left = Math.min(changed, above + 1, left + 1);
      row[column] = left;
      if (left < smallest) smallest = left;
      diagonal = above;
    }
    if (smallest >= limit) return limit;
  }
  return row[b.length] ?? limit;
}
