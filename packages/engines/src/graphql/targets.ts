import type { GraphqlOptions } from '@flotilla/policy';
import { AlikeNames } from '../alike-names.ts';
import type { RequestView } from '../engine.ts';
import { METHOD_OVERRIDES } from '../method-overrides.ts';

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

const CONTENT_TYPE = 'content-type';
const CONTENT_TYPES = new AlikeNames([CONTENT_TYPE]);
const NO_TYPE = [''];

/**
 * The lines of the content type, and of what programs take for them that are told headers by CGI variables: PHP behind Caddy and
 * lighttpd has `HTTP_CONTENT_TYPE` beside `CONTENT_TYPE`, and what frameworks make of the two is one header; graphene-django takes the
 * former where there is no other. To all others there is no type then.
 */
export function listContentTypes(request: RequestView): readonly string[] {
  const plain = request.header(CONTENT_TYPE);
  const others = request.findNames(CONTENT_TYPES).filter((name) => name !== CONTENT_TYPE);
  if (others.length === 0) return plain;
  return [...(plain.length === 0 ? NO_TYPE : plain), ...[...new Set(others)].flatMap((name) => request.header(name))];
}

/**
 * What asks to go on in another protocol (RFC 9110 section 7.8; Envoy hands the filter an extended CONNECT of HTTP/2 in the
 * same form). `handshake`: a GET without content, as a WebSocket begins; what follows is no body. `other`: one that has
 * content or another method, which a server that ignores the upgrade may execute, and which nobody here would see.
 */
export function upgradeOf(request: RequestView): 'none' | 'handshake' | 'other' {
  if (!request.header('upgrade').some((line) => line !== '')) return 'none';
  const hasContent =
    request.header('transfer-encoding').length > 0 || request.header('content-length').some((line) => line !== '0');
  return request.method === 'GET' && !hasContent ? 'handshake' : 'other';
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
