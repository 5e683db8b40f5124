/** Exact releases anywhere in a release catalogue, whose shape is its maker's own. */
export function findReleases(catalogue: unknown, depth = 0): string[] {
  if (typeof catalogue === 'string') return isRelease(catalogue) ? [catalogue.replace(/^v/, '')] : [];
  if (typeof catalogue !== 'object' || catalogue === null || depth > 6) return [];
  const named = Array.isArray(catalogue) ? [] : Object.keys(catalogue).filter(isRelease);
  return [
    ...named.map((name) => name.replace(/^v/, '')),
    ...Object.values(catalogue).flatMap((value) => findReleases(value, depth + 1)),
  ];
}

function isRelease(text: string): boolean {
  return /^v?\d{1,3}\.\d{1,3}\.\d{1,4}$/.test(text);
}

/** Newest first, each once. */
export function sortVersions(versions: Iterable<string>): string[] {
  return [...new Set(versions)].toSorted((a, b) => compare(b, a));
}

function compare(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (const [index, part] of left.entries()) {
    const difference = part - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
