import type { AuditEntryView, auditRoutes, CallOutput } from '@flotilla/contract';
import { useEffect } from 'react';
import { routes, useApi, useApiList } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { useNow, useTableState } from '../../ui/index.ts';
import { toFilters } from './audit-filters.ts';
import { isTime, toTimeQuery } from './time-range.ts';

type Pages = { readonly pages: readonly CallOutput<typeof auditRoutes.list>[] };

const MINUTE_MS = 60_000;
const ASK_EVERY_MS = 10_000;

/** Loads entries, counts and filters of the log for the URL. */
export function useAuditLog() {
  const project = useProject();
  const user = useUser();
  const url = useUrlState();
  const now = useNow(MINUTE_MS);
  const isAll = user.is_owner && url.get('projects') === 'all';
  const [range, fromText, toText] = [url.get('range'), url.get('from'), url.get('to')];
  const from = isTime(fromText) ? fromText : undefined;
  const to = isTime(toText) ? toText : undefined;
  const time = toTimeQuery({ range, from, to }, now);
  const scope = isAll ? {} : { project: project.id };
  const topics = ['audit'] as const;

  const whole = useApi(routes.audit.stats, { query: { ...scope, ...time } }, { topics, keepPrevious: true });
  const known = whole.data?.body;
  const filters = toFilters(
    {
      actions: Object.keys(known?.top_actions ?? {}),
      users: Object.keys(known?.top_users ?? {}),
      types: Object.keys(known?.top_resources ?? {}),
    },
    { action: url.all('action'), user: url.all('user'), resource_type: url.all('resource_type'), from, to },
  );
  const state = useTableState(filters);
  const { sort, from: _, to: __, ...narrowed } = state.query;
  const query = { ...narrowed, ...scope, ...time };
  const stats = useApi(
    routes.audit.stats,
    { query },
    // Events only arrive for the open project.
    { topics, keepPrevious: true, ...(isAll && { refetchEveryMs: () => ASK_EVERY_MS }) },
  );
  const list = useApiList<AuditEntryView>(
    routes.audit.list,
    { query: { ...query, ...(sort ? { sort } : {}) } },
    { topics },
  );
  const { refetch } = list.query;
  const { dataUpdatedAt } = stats;
  useEffect(() => {
    if (isAll && dataUpdatedAt > 0) void refetch({ cancelRefetch: false });
  }, [isAll, dataUpdatedAt, refetch]);
  const pages = (list.query.data as Pages | undefined)?.pages;
  const searchedTo = pages?.at(-1)?.searched_to ?? undefined;
  return {
    list,
    searchedTo,
    stats,
    state,
    filters,
    isAll,
    isNewestFirst: sort !== 'at',
    query,
    time: { range, from, to },
  };
}
