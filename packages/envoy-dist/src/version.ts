/** A requested version: one release, or the newest patch of a line. */
export type VersionRequest =
  | { readonly kind: 'exact'; readonly version: string }
  | { readonly kind: 'line'; readonly line: string };

const REQUEST = /^v?(\d{1,3})\.(\d{1,3})(?:\.(\d{1,4})(?:\.post\d{1,3})?)?$/;

/**
 * Parses `1.39.3`, `v1.39.3` or the line `1.39`. A packager's suffix (`1.36.2.post1`) means the same Envoy, 1.36.2.
 * Undefined for everything else; the result is safe as a path segment.
 */
export function parseVersionRequest(text: string): VersionRequest | undefined {
  const match = REQUEST.exec(text.trim());
  if (!match) return undefined;
  const line = `${Number(match[1])}.${Number(match[2])}`;
  return match[3] === undefined ? { kind: 'line', line } : { kind: 'exact', version: `${line}.${Number(match[3])}` };
}

/** Numeric order of two exact versions: `1.9.0` before `1.10.0`. */
export function compareVersions(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The newest of `versions` in `line` (`1.39`). */
export function newestOfLine(versions: Iterable<string>, line: string): string | undefined {
  let newest: string | undefined;
  for (const version of versions) {
    if (!version.startsWith(`${line}.`)) continue;
    if (newest === undefined || compareVersions(version, newest) > 0) newest = version;
  }
  return newest;
}
