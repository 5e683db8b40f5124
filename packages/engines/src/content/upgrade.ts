import type { RequestView } from '../engine.ts';

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
