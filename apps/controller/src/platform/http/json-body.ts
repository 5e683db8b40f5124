import { fail } from '@flotilla/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findFault } from './json-text.ts';
import { isServedElsewhere, LARGE_FROM_BYTES, LargeBody } from './large-body.ts';

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** Refuses bytes that are not UTF-8: a stored record would differ from what was sent. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON bodies and merge patches, which have a media type of their own (RFC 7396). With `leavesLarge`, large
 * bodies of routes that are also served elsewhere stay unparsed.
 */
export function acceptJson(app: FastifyInstance, { leavesLarge = false } = {}): void {
  app.removeAllContentTypeParsers();
  const read = (request: FastifyRequest, bytes: Buffer): unknown => {
    const { contract } = request.routeOptions.config;
    if (!leavesLarge || !contract || !isServedElsewhere(contract)) return readBody(bytes);
    request.sent = bytes;
    return bytes.length > LARGE_FROM_BYTES ? new LargeBody(bytes) : readBody(bytes);
  };
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) =>
    read(request, bytes),
  );
  app.addContentTypeParser(MERGE_PATCH_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    if (request.method !== 'PATCH') throw fail('request.media_type', { type: JSON_TYPE });
    return read(request, bytes);
  });
}

/** Many clients send a POST without a body but with a JSON content type. */
function readBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return parseJson(UTF8.decode(bytes));
  } catch (error) {
    throw fail('request.malformed', { reason: describeFailure(error) });
  }
}

function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const fault = findFault(text);
  if (fault !== undefined) throw new SyntaxError(fault);
  return value;
}

function describeFailure(error: unknown): string {
  return error instanceof SyntaxError ? error.message : 'it is not UTF-8';
}
