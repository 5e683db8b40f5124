import { createHash } from 'node:crypto';
import type { RouteContract } from '@flotilla/contract';
import * as z from 'zod';
import type { Reply } from './context.ts';
import { type RawInput, refuse } from './validate.ts';

/** Parameters of one page, which do not affect the rows and the order of the list. */
const OF_THE_PAGE = ['cursor', 'limit', 'offset', 'with_total', 'with_service_ips', 'resource'];

/**
 * Binds cursors to their list: its route, project, sort and filters. In another list the position would be meaningless,
 * so each cursor carries a digest of its own list: `<digest>.<place>`.
 */
export interface ListCursors {
  /** Unwraps the cursor of a request. Throws request.invalid for a cursor of another list. */
  open(request: RawInput): RawInput;
  /** Wraps the cursor of an answer. */
  seal(answer: Reply): Reply;
}

const OF_NO_LIST: ListCursors = { open: (request) => request, seal: (answer) => answer };

export function cursorsOf({ id, query: schema }: RouteContract, { params, query }: RawInput): ListCursors {
  if (!(schema instanceof z.ZodObject && 'cursor' in schema.shape)) return OF_NO_LIST;
  const filters = Object.entries(query as Record<string, unknown>)
    .filter(([name]) => !OF_THE_PAGE.includes(name))
    // Several values are a set: clients may send them in any order.
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].toSorted() : value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const list = createHash('sha256')
    .update(JSON.stringify([id, params, filters]))
    .digest('base64url')
    .slice(0, 11);
  return {
    open: (request) => {
      const { cursor, ...rest } = request.query as { cursor?: unknown };
      // The query check reports a repeated cursor.
      if (typeof cursor !== 'string') return request;
      const at = cursor.indexOf('.');
      if (at === -1) throw refuse([{ path: 'cursor', rule: 'cursor', message: 'is not a cursor of this list' }]);
      if (cursor.slice(0, at) !== list) throw refuse([OF_ANOTHER]);
      return { ...request, params, query: { ...rest, cursor: cursor.slice(at + 1) } };
    },
    seal: (answer) => {
      const next = (answer.body as { next_cursor?: unknown } | undefined)?.next_cursor;
      return typeof next === 'string'
        ? { ...answer, body: { ...(answer.body as object), next_cursor: `${list}.${next}` } }
        : answer;
    },
  };
}

const OF_ANOTHER = {
  path: 'cursor',
  rule: 'cursor',
  message: 'is of another list, or of another sort or filter of this one: begin without a cursor',
};
