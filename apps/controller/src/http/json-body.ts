import { fail } from '@flotilla/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findRepeatedMember } from './json-members.ts';

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** Of bytes that are no UTF-8 a record would hold others than were sent: they are refused. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Of a name that an answer repeats. */
const NAME_SHOWN_MAX = 128;

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

/** Of a member that stands twice JSON.parse would keep the last one, and who sent it might have meant the other. */
function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text, refuseUnstorable);
  const repeated = findRepeatedMember(text);
  if (repeated !== undefined)
    throw new SyntaxError(`an object has the member ${JSON.stringify(repeated.slice(0, NAME_SHOWN_MAX))} twice`);
  return value;
}

function describeFailure(error: unknown): string {
  if (error instanceof SyntaxError) return error.message;
  return error instanceof RangeError ? 'it is nested too deeply' : 'it is not UTF-8';
}

/** What PostgreSQL's text and jsonb cannot hold (NUL, half a surrogate pair), and the one name that JavaScript abuses. */
function refuseUnstorable(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a member named __proto__ is not allowed');
  if (!isStorable(key)) throw new SyntaxError('a member name holds NUL or a lone surrogate');
  if (typeof value === 'string' && !isStorable(value)) {
    throw new SyntaxError(`the text of "${key}" holds NUL or a lone surrogate`);
  }
  return value;
}

/** Whether the database can hold the text. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
