/**
 * Returns a predicate for whether a translation read one of these documents; a virtual host also matches if all hosts
 * of its route configuration were read.
 */
export function createHitTest(keys: readonly string[]): (used: ReadonlySet<string>) => boolean {
  const wanted = new Set(keys);
  for (const key of keys) {
    const [collection, routes] = key.split('/', 2);
    if (collection === 'virtual_hosts') wanted.add(`virtual_hosts/${routes}/`);
  }
  const list = [...wanted];
  return (used) => list.some((key) => used.has(key));
}
