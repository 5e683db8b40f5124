import type { EventTopic } from '@flotilla/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Loaded, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import type { Service, ServiceDetail } from './types.ts';

const TOPICS: readonly EventTopic[] = ['service', 'node', 'client', 'config_error'];

/** Loads a service with its nodes and errors, as far as the user may read it, and keeps it fresh. */
export function useServiceDetail(serviceId: string): UseQueryResult<Loaded<ServiceDetail>> {
  const project = useProject();
  const isWhole = useCan()(routes.service.detail);
  const input = { params: { service_id: serviceId }, query: { project: project.id } };
  const whole = useApi(routes.service.detail, input, { topics: TOPICS, enabled: isWhole });
  const seen = useApi(routes.fleet.service, input, { topics: TOPICS, enabled: !isWhole });
  return isWhole ? whole : seen;
}

/** Loads the documents and policies that a service uses, directly or indirectly. */
export function useDependencies({ name, version }: Pick<Service, 'name' | 'version'>) {
  const project = useProject();
  return useApi(
    routes.document.dependency,
    { params: { name }, query: { project: project.id, collection: 'services', version } },
    { topics: ['document', 'policy', 'service'] },
  );
}

/** Returns `collection/name` of every existing document that the service uses. */
export function useKnownDocuments(service: Pick<Service, 'name' | 'version'>): ReadonlySet<string> {
  const { data } = useDependencies(service);
  return useMemo(
    () => new Set(data?.body.nodes.flatMap((node) => (node.missing || node.type === null ? [] : [node.id])) ?? []),
    [data],
  );
}
