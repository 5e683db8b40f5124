import { fail } from '@flotilla/contract';
import type { FastifyInstance } from 'fastify';

/** Reads JSON bodies. A body-less POST with a JSON content type is common among clients and means no body. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text: string, done) => {
    if (text === '') return done(null, undefined);
    try {
      done(null, JSON.parse(text, refuseUnstorable));
    } catch (error) {
      done(fail('request.malformed', { reason: error instanceof Error ? error.message : 'not JSON' }), undefined);
    }
  });
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
