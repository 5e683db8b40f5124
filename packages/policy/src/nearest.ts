/** Letters that may be wrong in a name for it to be taken for another. */
const DISTANCE_MAX = 2;

/** The name that was probably meant, or undefined where none is like `name`. Capitals and dashes do not count. */
export function findNearest(name: string, known: Iterable<string>): string | undefined {
  const wanted = fold(name);
  // Of a short name most letters have to be right.
  let limit = Math.min(DISTANCE_MAX, Math.floor((wanted.length - 1) / 2)) + 1;
  let nearest: string | undefined;
  for (const candidate of known) {
    const distance = editDistance(wanted, fold(candidate), limit);
    if (distance < limit) [nearest, limit] = [candidate, distance];
  }
  return nearest;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

/** Letters to add, drop or change; `limit` where it is not below. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (let column = 0; column < b.length; column += 1) {
      const changed = (row[column] ?? limit) + (letter === b[column] ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? limit) + 1, (next[column] ?? limit) + 1));
    }
    row = next;
  }
  return Math.min(limit, row[b.length] ?? limit);
}
