import type { RequestView } from '../engine.ts';

/**
 * Whether the request asks for another protocol (RFC 9110 section 7.8; Envoy gives the filter an extended CONNECT of
 * HTTP/2 in the same form). `handshake`: a GET without content, as for a WebSocket; what follows is not a body.
 * `other`: a request with content or another method, which a server that ignores the upgrade may execute although the
 * filter cannot inspect it.
 */
export function upgradeOf(request: RequestView): 'none' | 'handshake' | 'other' {
  if (!request.header('upgrade').some((line) => line !== '')) return 'none';
  const hasContent =
    request.header('transfer-encoding').length > 0 || request.header('content-length').some((line) => line !== '0');
  return request.method === 'GET' && !hasContent ? 'handshake' : 'other';
}
