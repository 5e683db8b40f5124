import type { RequestView } from '@flotilla/engines';
import { readCodings } from './content-encoding.ts';
import type { BodyFailure } from './received-body.ts';

/** The request's stated length in bytes; undefined where it states none. Envoy refuses one that is malformed. */
export function statedLength(request: Pick<RequestView, 'header'>): number | undefined {
  const [stated = ''] = request.header('content-length');
  return /^\d+$/.test(stated) ? Number(stated) : undefined;
}

/** What the headers alone say of a body that nobody will be able to read, before a byte of it is asked for. */
export function foreseeFailure(request: RequestView, maxBytes: number): BodyFailure | undefined {
  const length = statedLength(request);
  if (length !== undefined && length > maxBytes) return 'body.too_large';
  const encodings = request.header('content-encoding');
  return encodings.length > 0 && readCodings(encodings) === undefined ? 'body.undecodable' : undefined;
}
