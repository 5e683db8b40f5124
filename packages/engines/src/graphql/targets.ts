import type { RequestView } from '../engine.ts';

const INSPECTED = /^(?:post|get|head)$/i;

/**
 * Headers by which frameworks take a request for one of another method: Slim and Yii whatever its own is, Express where it is told so.
 * In every spelling that is one to PHP.
 */
const OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override'].flatMap(spellName);

/**
 * GET, POST, and HEAD, which a server answers like GET (RFC 9110 section 9.3.2), in any letter case: the request's own method, or the
 * one that a header makes of another.
 */
export function hasInspectedMethod(request: RequestView): boolean {
  const { method } = request;
  if (method === 'POST' || method === 'GET' || INSPECTED.test(method)) return true;
  return OVERRIDES.some((name) => request.header(name).some((line) => INSPECTED.test(line)));
}

function spellName(name: string): readonly string[] {
  const [first = '', ...parts] = name.split('-');
  return parts.reduce<readonly string[]>(
    (names, part) => names.flatMap((begun) => ['-', '_', '.'].map((sign) => `${begun}${sign}${part}`)),
    [first],
  );
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
