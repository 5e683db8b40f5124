import { fail } from '@flotilla/contract';
import type { FastifyInstance } from 'fastify';
import { findRepeatedMember } from './json-members.ts';

/** Of bytes that are no UTF-8 a record would hold others than were sent: they are refused. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Of a name that an answer repeats. */
const NAME_SHOWN_MAX = 128;

/** Reads JSON bodies. A body-less POST with a JSON content type is common among clients and means no body. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined);
    try {
      done(null, parseJson(UTF8.decode(bytes)));
    } catch (error) {
      done(fail('request.malformed', { reason: describeFailure(error) }), undefined);
    }
  });
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
