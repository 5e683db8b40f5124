import { createHash } from 'node:crypto';

const NAME_MAX_CHARS = 80;
const CANDIDATES = 50;

/**
 * A name for documents and services after a host and path: letters, digits and dashes only, because Envoy cuts the names of
 * its statistics at dots. `*.example.com` becomes `any-example-com`.
 */
export function nameAfter(host: string, path = '/'): string {
  const words = `${host.replace('*', 'any')}${path}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  if (words.length <= NAME_MAX_CHARS) return words === '' ? 'upstream' : words;
  const digest = createHash('sha256').update(`${host}${path}`).digest('hex').slice(0, 8);
  return `${words.slice(0, NAME_MAX_CHARS - 9).replace(/-$/, '')}-${digest}`;
}

/** The name and its numbered variants, in the order in which they are tried. */
export function listCandidates(name: string): string[] {
  return [name, ...Array.from({ length: CANDIDATES - 1 }, (_, i) => `${name}-${i + 2}`)];
}
