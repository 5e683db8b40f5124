/** The candidate most likely meant by `name`, if one is near: at most a third of its letters differ. */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(name);
  let best: string | undefined;
  let smallest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, fold(candidate), smallest);
    if (distance < smallest) [best, smallest] = [candidate, distance];
  }
  return best;
}

function fold(name: string): string {
  return name
    .slice(0, 160)
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/_+/g, '_')
    .replace(/^_/, '');
}

/** Letters to add, drop or change; `limit` as soon as it cannot be below. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const changed = (previous[j] ?? limit) + (a[i] === b[j] ? 0 : 1);
      row.push(Math.min(changed, (previous[j + 1] ?? limit) + 1, (row[j] ?? limit) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? limit;
}
