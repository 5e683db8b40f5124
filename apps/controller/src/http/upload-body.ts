import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { fail } from '@flotilla/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export const UPLOAD_TYPE = 'application/octet-stream';

/** Leaves the bytes to the handler: a file of any size is never held in memory. */
export function acceptUpload(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(UPLOAD_TYPE, (request, _payload, done) => {
    const { bodyLimit } = request.routeOptions;
    // What says that it is too large is not read to the bound first.
    const isTooLarge = Number(request.headers['content-length'] ?? 0) > bodyLimit;
    done(isTooLarge ? fail('request.too_large', { limit: bodyLimit }) : null, undefined);
  });
}

export interface Upload {
  /** The bytes of the request, up to what its route takes. */
  readonly chunks: AsyncIterable<Buffer>;
  /** SHA-256 of those that were read so far. */
  digest(): Buffer;
}

/** `isDigested`: whether anybody will ask for the digest; a file may be large. */
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
