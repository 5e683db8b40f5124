import type { Buffer } from 'node:buffer';
import { fail } from '@flotilla/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export const UPLOAD_TYPE = 'application/octet-stream';

/** Leaves the bytes to the handler: a file of any size is never held in memory. */
export function acceptUpload(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(UPLOAD_TYPE, (_request, _payload, done) => done(null, undefined));
}

/** The bytes of the request, up to what its route takes. */
export async function* readUpload(request: FastifyRequest): AsyncGenerator<Buffer> {
  const { bodyLimit } = request.routeOptions;
  let bytes = 0;
  for await (const chunk of request.raw as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyLimit) throw fail('request.too_large', { limit: bodyLimit });
    yield chunk;
  }
}
