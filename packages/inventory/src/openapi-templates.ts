import { normalizeHost } from './host.ts';
import { normalizePath } from './path.ts';
import type { KnownTemplate } from './template-index.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const SERVERS_MAX = 20;

/** The templates of a parsed OpenAPI 3 or Swagger 2 document, below the paths of its servers. Parts that have another shape are left out. */
export function listOpenApiTemplates(document: unknown): KnownTemplate[] {
  const root = asRecord(document);
  const bases = listBases(root);
  const templates: KnownTemplate[] = [];
  for (const [path, item] of Object.entries(asRecord(root.paths))) {
    const bare = path.split(/[?#]/)[0] ?? '';
    const methods = METHODS.filter((method) => asRecord(item)[method] !== undefined);
    for (const { host, base } of bases) {
      for (const method of methods) {
        templates.push({
          template: joinPaths(base, bare),
          method: method.toUpperCase(),
          ...(host === undefined ? {} : { host }),
        });
      }
    }
  }
  return templates;
}

interface Base {
  readonly host: string | undefined;
  readonly base: string;
}

function listBases(root: Record<string, unknown>): readonly Base[] {
  const servers = Array.isArray(root.servers) ? root.servers.slice(0, SERVERS_MAX) : [];
  const bases = servers.flatMap((server) => readServer(asRecord(server).url));
  if (bases.length > 0) return bases;
  const base = typeof root.basePath === 'string' ? root.basePath : '';
  return [{ host: typeof root.host === 'string' ? normalizeHost(root.host) : undefined, base }];
}

/** A host with variables is any host. */
function readServer(url: unknown): Base[] {
  if (typeof url !== 'string') return [];
  const match = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)([^?#]*)/i.exec(url);
  if (match === null) return [{ host: undefined, base: url.split(/[?#]/)[0] ?? '' }];
  const host = match[1] ?? '';
  return [{ host: host.includes('{') ? undefined : normalizeHost(host), base: match[2] ?? '' }];
}

/** Literal segments are compared with those of normalized paths, so they are normalized, too. */
function joinPaths(base: string, path: string): string {
  const segments = `${base}/${path}`
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .map((segment) => (/[{*]/.test(segment) ? segment : (normalizePath(`/${segment}`).segments[0] ?? '')));
  return `/${segments.join('/')}`;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
