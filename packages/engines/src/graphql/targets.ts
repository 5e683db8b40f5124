import type { RequestView } from '../engine.ts';

/** GET, POST, and HEAD, which a server answers like GET (RFC 9110 section 9.3.2), in any letter case. */
export function hasInspectedMethod(request: RequestView): boolean {
  const { method } = request;
  return method === 'POST' || method === 'GET' || /^(?:post|get|head)$/i.test(method);
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
