/** The stories run the programs as they are shipped: from the bundle. */
export async function setup(): Promise<void> {
  const { ensureBuilt } = await import('../../scripts/build.mjs');
  ensureBuilt();
}
