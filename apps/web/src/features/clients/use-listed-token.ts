import { useEffect } from 'react';
import type { ApiList } from '../../api/index.ts';
import { findToken } from './enrolment.ts';
import type { EnrolmentToken } from './model.ts';

/**
 * A token of a list, of which further pages are read until one has it. Null: none has; undefined: not known yet. Only an
 * answer that came after `sinceMs` counts.
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
