/** The candidate a person most likely meant by `name`, if one is near: at most a third of its letters differ. */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = normalize(name);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, normalize(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Long names are cut: what is longer is no name. */
function normalize(name: string): string {
  return name.slice(0, 160).toLowerCase().replaceAll('-', '_');
}

/** Levenshtein's distance, or `limit` as soon as it cannot be below. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const cost = Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      row.push(cost);
      if (cost < smallest) smallest = cost;
    }
    if (smallest >= limit) return limit;
    previous = row;
  }
  return previous[b.length] ?? limit;
}
