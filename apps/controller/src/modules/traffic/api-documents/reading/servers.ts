import { INVALID_HOST, normalizeHost } from '@flotilla/inventory';
import type { Server } from '../model/document.ts';
import { isRecord, memberOf } from './references.ts';
import { cleanText } from './texts.ts';

const SERVERS_MAX = 32;
const BASE_MAX = 512;

interface Servers {
  readonly servers: readonly Server[];
  readonly warnings: readonly { readonly field: string; readonly message: string }[];
}

/** The servers of a document, each host and base path once. One server without a host if it names none. */
export function readServers(root: unknown, isSwagger: boolean): Servers {
  const warnings: { field: string; message: string }[] = [];
  const given = isSwagger ? [readSwagger(root)] : readOpenapi(root, warnings);
  const servers = [...new Map(given.map((server) => [`${server.host ?? ''} ${server.base}`, server])).values()];
  return { servers: servers.length > 0 ? servers : [{ host: null, base: '' }], warnings };
}

function readSwagger(root: unknown): Server {
  const host = memberOf(root, 'host');
  const base = memberOf(root, 'basePath');
  return {
    host: typeof host === 'string' ? (toHost(host) ?? null) : null,
    base: typeof base === 'string' ? toBase(base) : '',
  };
}

function readOpenapi(root: unknown, warnings: { field: string; message: string }[]): Server[] {
  const servers = memberOf(root, 'servers');
  if (!Array.isArray(servers)) return [];
  if (servers.length > SERVERS_MAX)
    warnings.push({ field: 'servers', message: `Only the first ${SERVERS_MAX} servers are used.` });
  return servers.slice(0, SERVERS_MAX).flatMap((server, index) => {
    const read = readUrl(server);
    if (read !== undefined) return [read];
    warnings.push({ field: `servers.${index}`, message: 'The address of the server is not valid, so it is left out.' });
    return [];
  });
}

/** The host may have variables: then any name fits in the place of a first label, or the host is any host. */
function readUrl(server: unknown): Server | undefined {
  const url = memberOf(server, 'url');
  if (typeof url !== 'string' || url.length > 2048) return undefined;
  const match = /^(?:[a-z][a-z0-9+.-]*:|\{[^{}]*\}:)?\/\/([^/?#]*)([^?#]*)/i.exec(url);
  const base = toBase(fillVariables(match === null ? (url.split(/[?#]/)[0] ?? '') : (match[2] ?? ''), server));
  if (match === null) return { host: null, base };
  const host = toHost(match[1] ?? '');
  return host === undefined ? undefined : { host, base };
}

/** Undefined: not a host. */
function toHost(text: string): string | null | undefined {
  const [, rest] = /^\{[^{}]*\}\.([^{}]+)$/.exec(text) ?? [];
  if (rest !== undefined) {
    const host = normalizeHost(rest);
    return host === INVALID_HOST ? undefined : `*.${host}`;
  }
  if (text.includes('{')) return null;
  const host = normalizeHost(text);
  return host === INVALID_HOST ? undefined : host;
}

function fillVariables(base: string, server: unknown): string {
  const variables = memberOf(server, 'variables');
  return base.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = isRecord(variables) ? memberOf(memberOf(variables, name), 'default') : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  });
}

function toBase(text: string): string {
  const segments = cleanText(text, BASE_MAX)
    .split('/')
    .filter((segment) => segment !== '');
  return segments.length === 0 ? '' : `/${segments.join('/')}`;
}
