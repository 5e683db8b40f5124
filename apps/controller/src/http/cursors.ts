import { createHash } from 'node:crypto';
import type { RouteContract } from '@flotilla/contract';
import * as z from 'zod';
import type { Reply } from './context.ts';
import { type RawInput, refuse } from './validate.ts';

/** What is asked of one page, and is no part of which rows the list has and in what order. */
const OF_THE_PAGE = ['cursor', 'limit', 'offset', 'with_total', 'with_service_ips', 'resource'];

/**
 * The list that a request is about: its route, project, sort and filters. A cursor says where one list goes on, and what
 * another one would read from it is a place of no meaning, so each carries a digest of its own list: `<digest>.<place>`.
 */
export interface ListCursors {
  /** The request as its route knows it. Throws request.invalid for a cursor of another list. */
  open(request: RawInput): RawInput;
  /** The answer as it goes out. */
  seal(answer: Reply): Reply;
}

const OF_NO_LIST: ListCursors = { open: (request) => request, seal: (answer) => answer };

export function cursorsOf({ id, query: schema }: RouteContract, { params, query }: RawInput): ListCursors {
  if (!(schema instanceof z.ZodObject && 'cursor' in schema.shape)) return OF_NO_LIST;
  const filters = Object.entries(query as Record<string, unknown>)
    .filter(([name]) => !OF_THE_PAGE.includes(name))
    // Several values are a set: clients that keep them as one send them in any order.
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].toSorted() : value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const list = createHash('sha256')
    .update(JSON.stringify([id, params, filters]))
    .digest('base64url')
    .slice(0, 11);
  return {
    open: (request) => {
      const { cursor, ...rest } = request.query as { cursor?: unknown };
      // Of one that is given twice, the check of the query tells.
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
