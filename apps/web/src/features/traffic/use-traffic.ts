import type { TrafficScope, TrafficService } from '@flotilla/contract';
import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { CHART_VALUES } from './chart-lines.ts';
import { formatMs, formatRate, formatShare } from './figures.ts';
import type { TimeWindow } from './time-window.ts';

const REFRESH_MS = 10_000;

/** The traffic to show: of the project, a service or a client, and of one name or all of them. */
export interface Subject {
  readonly serviceId?: string;
  readonly clientId?: string;
  readonly scope?: TrafficScope;
  readonly name?: string;
}

/** Reads a series. Times of the window change as time goes on, and with them the query. */
export function useTrafficSeries(subject: Subject, { from, to }: TimeWindow, enabled = true) {
  const project = useProject();
  const { serviceId, clientId, scope, name } = subject;
  return useApi(
    routes.traffic.series,
    {
      query: {
        project: project.id,
        ...(serviceId !== undefined && { service_id: [serviceId] }),
        ...(clientId !== undefined && { client_id: clientId }),
        ...(scope !== undefined && { scope }),
        ...(name !== undefined && { name }),
        from,
        to,
        metrics: [...CHART_VALUES],
      },
    },
    { keepPrevious: true, enabled },
  );
}

interface SummaryOptions {
  readonly serviceId?: string;
  readonly clientId?: string;
  readonly scopes?: readonly TrafficScope[];
}

/** Reads the current traffic, of all services if none is named, in one request. */
export function useTrafficSummary({ serviceId, clientId, scopes }: SummaryOptions = {}) {
  const project = useProject();
  const can = useCan();
  return useApi(
    routes.traffic.summary,
    {
      query: {
        project: project.id,
        ...(serviceId !== undefined && { service_id: [serviceId] }),
        ...(clientId !== undefined && { client_id: clientId }),
        ...(scopes && { scope: [...scopes] }),
      },
    },
    { keepPrevious: true, enabled: can(routes.traffic.summary), refetchEveryMs: () => REFRESH_MS },
  );
}

const COLLECTIONS: Readonly<Partial<Record<TrafficScope, string>>> = { listener: 'listeners', cluster: 'clusters' };

/** Returns the current traffic of the listeners and clusters of a service in words, by `collection/name`. */
export function useTrafficLabels(serviceId: string): ReadonlyMap<string, string> {
  const { data } = useTrafficSummary({ serviceId, scopes: ['listener', 'cluster'] });
  return useMemo(
    () =>
      new Map(
        data?.body.services[0]?.names.flatMap(({ scope, name, requests_per_s, error_share, p95_ms }) => {
          if (name === null || requests_per_s === null) return [];
          const words = [formatRate(requests_per_s), formatShare(error_share), formatMs(p95_ms)].join(' · ');
          return [[`${COLLECTIONS[scope]}/${name}`, words] as const];
        }),
      ),
    [data],
  );
}

/** Returns the current traffic of each service of the project by its ID. */
export function useTrafficByService(): ReadonlyMap<string, TrafficService> {
  const { data } = useTrafficSummary();
  return useMemo(() => new Map(data?.body.services.map((one) => [one.service_id, one])), [data]);
}
