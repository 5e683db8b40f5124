import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { fail } from '@flotilla/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export const UPLOAD_TYPE = 'application/octet-stream';

/** Passes the bytes on to the handler: files are never held in memory. */
export function acceptUpload(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(UPLOAD_TYPE, (request, _payload, done) => {
    const { bodyLimit } = request.routeOptions;
    // Refuses a body with a Content-Length above the limit before reading it.
    const isTooLarge = Number(request.headers['content-length'] ?? 0) > bodyLimit;
    done(isTooLarge ? fail('request.too_large', { limit: bodyLimit }) : null, undefined);
  });
}

export interface Upload {
  /** The bytes of the request, up to the limit of its route. */
  readonly chunks: AsyncIterable<Buffer>;
  /** SHA-256 of the bytes read so far. */
  digest(): Buffer;
}

/** `isDigested`: whether the digest will be needed; hashing a large file is expensive. */
export function readUpload(request: FastifyRequest, isDigested: boolean): Upload {
  const hash = isDigested ? createHash('sha256') : undefined;
  const { bodyLimit } = request.routeOptions;
  async function* read(): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of request.raw as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bodyLimit) throw fail('request.too_large', { limit: bodyLimit });
      hash?.update(chunk);
      yield chunk;
    }
  }
  return {
    chunks: read(),
    digest: () => {
      if (!hash) throw new Error('nobody was to ask for the digest');
      return hash.copy().digest();
    },
  };
}
