import type { TrafficEvent, TrafficEventList } from '@flotilla/contract';
import { useMemo, useState } from 'react';
import { type ApiList, routes, useApi, useApiList } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { useNow, useTableState } from '../../../ui/index.ts';
import { readWindow } from '../time-window.ts';
import { useRiskFlags, useServiceOptions } from '../use-inventory.ts';
import { FACET_NAMES, toEventFilters, toEventQuery } from './event-filters.ts';
import { useLiveTail } from './use-live-tail.ts';

const MINUTE_MS = 60_000;
const CLIENTS_MAX = 1000;

/** Loads the requests that the URL asks for, with their groups, and follows new ones on demand. */
export function useTrafficEvents(operationId: string | undefined) {
  const project = useProject();
  const url = useUrlState();
  const isLive = url.get('live') !== undefined;
  const asked = readWindow(url.get, useMoment(isLive));
  const { filters, state } = useFilters();
  const chosen = toEventQuery(state.query);
  const narrowed = operationId === undefined ? chosen : { ...chosen, operation_id: operationId };
  const { list, first } = useList(operationId, {
    project: project.id,
    ...chosen,
    from: asked.from,
    to: asked.to,
    facets: FACET_NAMES,
  });
  const [isPaused, setPaused] = useState(false);
  const tail = useLiveTail({
    query: { project: project.id, ...narrowed },
    isOn: isLive,
    isPaused,
  });
  const live = {
    isOn: isLive,
    isPaused,
    tail,
    toggle: () => {
      setPaused(false);
      url.set(isLive ? { live: undefined } : { live: '1', range: '15m', from: undefined, to: undefined }, 'push');
    },
    setPaused,
  };
  return { asked, list, first, state, filters, live, narrowed };
}

export type Live = ReturnType<typeof useTrafficEvents>['live'];

/** The time at which the range ends. It stands still while new requests are followed, so that the list is not loaded again. */
function useMoment(isLive: boolean): number {
  const now = useNow(MINUTE_MS);
  const [since, setSince] = useState<number>();
  if (isLive && since === undefined) setSince(Date.now());
  if (!isLive && since !== undefined) setSince(undefined);
  // A range ends at a full minute: the running one belongs to a list that is followed.
  return isLive ? (since ?? now) + MINUTE_MS : now;
}

function useFilters() {
  const flags = useRiskFlags();
  const services = useServiceOptions();
  const clients = useClientOptions();
  const filters = useMemo(() => toEventFilters({ flags, services, clients }), [flags, services, clients]);
  return { filters, state: useTableState(filters) };
}

type Options = ReturnType<typeof useServiceOptions>;

function useClientOptions(): Options {
  const project = useProject();
  const { data } = useApi(
    routes.fleet.clients,
    { query: { project: project.id, limit: CLIENTS_MAX } },
    { topics: ['client'] },
  );
  return useMemo(() => data?.body.items.map((one) => ({ value: one.client_id, label: one.name })) ?? [], [data]);
}

function useList(operationId: string | undefined, query: Record<string, unknown>) {
  const list: ApiList<TrafficEvent> = useApiList<TrafficEvent>(
    operationId === undefined ? routes.trafficEvent.list : routes.trafficEvent.ofOperation,
    { ...(operationId !== undefined && { params: { operation_id: operationId } }), query },
  );
  const pages = (list.query.data as { readonly pages: readonly TrafficEventList[] } | undefined)?.pages;
  const first = { ...list.query, data: pages?.[0] };
  return { list, first };
}
