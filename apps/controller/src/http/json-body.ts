import { fail } from '@flotilla/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findFault } from './json-text.ts';

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** Of bytes that are no UTF-8 a record would hold others than were sent: they are refused. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Reads JSON bodies, and merge patches by the name that they have of their own (RFC 7396). */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) =>
    readBody(bytes),
  );
  app.addContentTypeParser(MERGE_PATCH_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    if (request.method !== 'PATCH') throw fail('request.media_type', { type: JSON_TYPE });
    return readBody(bytes);
  });
}

/** A body-less POST with a JSON content type is common among clients and means no body. */
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
