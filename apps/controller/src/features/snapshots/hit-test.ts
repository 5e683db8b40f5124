/** Whether a translation looked at one of these documents; of a virtual host also: at its route configuration's. */
export function createHitTest(keys: readonly string[]): (used: ReadonlySet<string>) => boolean {
  const wanted = new Set(keys);
  for (const key of keys) {
    const [collection, routes] = key.split('/', 2);
    if (collection === 'virtual_hosts') wanted.add(`virtual_hosts/${routes}/`);
  }
  const list = [...wanted];
  return (used) => list.some((key) => used.has(key));
}
