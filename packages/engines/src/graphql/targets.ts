import type { GraphqlOptions } from '@flotilla/policy';
import type { RequestView } from '../engine.ts';
import { METHOD_OVERRIDES } from '../method-overrides/names.ts';

const INSPECTED = /^(?:post|get|head)$/i;

/** The same in a list of methods, of which a server may use any (Express uses the first). */
const INSPECTED_OF_LIST = /(?:^|,)\s*(?:post|get|head)\s*(?:,|$)/i;

/** CONNECT is followed by a tunnel and not by content (RFC 9110 section 9.3.6). */
const TUNNEL = /^connect$/i;

/** True for inspected methods; with `anyMethod`, all but CONNECT. */
export function hasInspectedMethod(request: RequestView, { anyMethod }: Pick<GraphqlOptions, 'anyMethod'>): boolean {
  return (anyMethod && !TUNNEL.test(request.method)) || hasMethodOfQueries(request);
}

/**
 * GET, POST, and HEAD, which a server handles like GET (RFC 9110 section 9.3.2), in any case: the request's own method,
 * or one that a header replaces it with.
 */
function hasMethodOfQueries(request: RequestView): boolean {
  const { method } = request;
  if (method === 'POST' || method === 'GET' || INSPECTED.test(method)) return true;
  return request
    .findNames(METHOD_OVERRIDES)
    .some((name) => request.header(name).some((line) => INSPECTED_OF_LIST.test(line)));
}

/**
 * True if any reading of the path has one of the lowercase prefixes, or if there are no prefixes. Ignores case like the
 * routers of many servers: one reading of every path is in lowercase.
 */
export function hasInspectedPath(request: RequestView, prefixes: readonly string[]): boolean {
  if (prefixes.length === 0 || request.paths.mayBeAny) return true;
  for (const path of request.paths.texts) for (const prefix of prefixes) if (path.startsWith(prefix)) return true;
  return false;
}
