import { EDGES_FILE } from './edges.ts';

/** Top-level `.yaml`, `.yml` and `.json` files are policy documents; everything else in a bundle is a data file. */
export function isPolicyFile(path: string): boolean {
  return !path.includes('/') && /\.(?:ya?ml|json)$/.test(path);
}

/**
 * Returns why a path cannot name a data file of a bundle, if so. Data files come only from the bundle: a path that
 * leads outside is rejected before any lookup.
 */
export function findDataPathFault(path: string): string | undefined {
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'must be a path inside the bundle, not an absolute one';
  if (path.includes('\\') || path.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    return 'must be a plain relative path inside the bundle, without "..", "." and backslashes';
  }
  if (path === EDGES_FILE) return 'is what the bundle says of itself';
  if (!isPolicyFile(path)) return undefined;
  return 'would be read as a policy document, as it lies at the top of the bundle: put it into a folder, such as files/';
}
