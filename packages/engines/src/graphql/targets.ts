import type { RequestView } from '../engine.ts';

/** GET, POST, and HEAD, which a server answers like GET (RFC 9110 section 9.3.2), in any letter case. */
export function hasInspectedMethod(request: RequestView): boolean {
  const { method } = request;
  return method === 'POST' || method === 'GET' || /^(?:post|get|head)$/i.test(method);
}

/**
 * True for the handshake of a WebSocket or another protocol (RFC 9110 section 7.8; Envoy hands the filter an extended
 * CONNECT of HTTP/2 in the same form): what follows it is no body, and nobody here would see the documents in it.
 */
export function isUpgrade(request: RequestView): boolean {
  return request.header('upgrade').some((line) => line !== '');
}

/**
 * True when any reading of the path is under any of the lowercase prefixes, or when there is none. Letter case is no
 * matter, because it is none to the routers of many servers: one reading of every path is in lower case.
 */
export function hasInspectedPath(request: RequestView, prefixes: readonly string[]): boolean {
  if (prefixes.length === 0) return true;
  for (const path of request.paths) for (const prefix of prefixes) if (path.startsWith(prefix)) return true;
  return false;
}
