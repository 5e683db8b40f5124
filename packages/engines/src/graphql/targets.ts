import type { GraphqlOptions } from '@flotilla/policy';
import type { RequestView } from '../engine.ts';
import { METHOD_OVERRIDES } from '../method-overrides/names.ts';

const INSPECTED = /^(?:post|get|head)$/i;

/** The same in a list of methods, of which a server may take any (Express takes the first). */
const INSPECTED_OF_LIST = /(?:^|,)\s*(?:post|get|head)\s*(?:,|$)/i;

/** What follows it is a tunnel, and no content (RFC 9110 section 9.3.6). */
const TUNNEL = /^connect$/i;

/** True for the methods that are inspected: with `anyMethod` every one but CONNECT. */
export function hasInspectedMethod(request: RequestView, { anyMethod }: Pick<GraphqlOptions, 'anyMethod'>): boolean {
  return (anyMethod && !TUNNEL.test(request.method)) || hasMethodOfQueries(request);
}

/**
 * GET, POST, and HEAD, which a server answers like GET (RFC 9110 section 9.3.2), in any letter case: the request's own method, or the
 * one that a header makes of another.
 */
function hasMethodOfQueries(request: RequestView): boolean {
  const { method } = request;
  if (method === 'POST' || method === 'GET' || INSPECTED.test(method)) return true;
  return request
    .findNames(METHOD_OVERRIDES)
    .some((name) => request.header(name).some((line) => INSPECTED_OF_LIST.test(line)));
}

/**
 * True when any reading of the path is under any of the lowercase prefixes, or when there is none. Letter case is no
 * matter, because it is none to the routers of many servers: one reading of every path is in lower case.
 */
export function hasInspectedPath(request: RequestView, prefixes: readonly string[]): boolean {
  if (prefixes.length === 0 || request.paths.mayBeAny) return true;
  for (const path of request.paths.texts) for (const prefix of prefixes) if (path.startsWith(prefix)) return true;
  return false;
}
