import type { RequestView } from '@flotilla/engines';
import type { BodyFailure } from './body-failure.ts';
import { readCodings } from './content-encoding.ts';

/** The declared content length in bytes, if any. Envoy rejects malformed ones. */
export function statedLength(request: Pick<RequestView, 'header'>): number | undefined {
  const [stated = ''] = request.header('content-length');
  return /^\d+$/.test(stated) ? Number(stated) : undefined;
}

/** Detects from the headers, before any byte is requested, that the body cannot be read. */
export function foreseeFailure(request: RequestView, maxBytes: number): BodyFailure | undefined {
  const length = statedLength(request);
  if (length !== undefined && length > maxBytes) return 'body.too_large';
  const encodings = request.header('content-encoding');
  return encodings.length > 0 && readCodings(encodings) === undefined ? 'body.undecodable' : undefined;
}
