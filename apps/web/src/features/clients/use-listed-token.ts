import { useEffect } from 'react';
import type { ApiList } from '../../api/index.ts';
import { findToken } from './enrolment.ts';
import type { EnrolmentToken } from './model.ts';

/**
 * Finds a token in a list and reads further pages until it is found. null: not in the list; undefined: not known yet.
 * Ignores answers from before `sinceMs`.
 */
export function useListedToken(
  list: ApiList<EnrolmentToken>,
  id: string,
  sinceMs = 0,
): EnrolmentToken | null | undefined {
  const isRead = list.query.dataUpdatedAt > sinceMs;
  const token = isRead ? findToken(list, id) : undefined;
  const isSought = isRead && token === undefined && !list.query.isError;
  useEffect(() => {
    if (isSought) list.loadMore();
  });
  return token;
}
