import type { ShieldEvent } from '@flotilla/contract';
import { routes, useApi, useApiList } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { useNow, useTableState } from '../../ui/index.ts';
import { toEventFilters, toEventQuery } from './event-filters.ts';
import { toTimes } from './event-range.ts';

const MINUTE_MS = 60_000;
const TOPICS = ['shield_event'] as const;

/** Loads events for the URL: the list, its counts, and the filters with their options. */
export function useShieldEvents() {
  const project = useProject();
  const url = useUrlState();
  const now = useNow(MINUTE_MS);
  const asked = { range: url.get('range'), from: url.get('from'), to: url.get('to') };
  const times = toTimes(asked, now);
  const scope = { project: project.id, ...times };
  const whole = useApi(routes.shieldEvent.summary, { query: scope }, { topics: TOPICS, keepPrevious: true });
  const filters = toEventFilters(whole.data?.body, url.all);
  const state = useTableState(filters);
  const { sort, ...narrowed } = toEventQuery(state.query);
  const query = { ...narrowed, ...scope };
  const summary = useApi(routes.shieldEvent.summary, { query }, { topics: TOPICS, keepPrevious: true });
  const list = useApiList<ShieldEvent>(
    routes.shieldEvent.list,
    { query: { ...query, ...(sort === undefined ? {} : { sort }) } },
    { topics: TOPICS },
  );
  return { list, summary, state, filters, asked, isNewestFirst: sort !== 'time' };
}
