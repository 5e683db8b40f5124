import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import type { Service } from './types.ts';

/** A service with what its nodes run and what went wrong there, kept fresh. */
export function useServiceDetail(serviceId: string) {
  const project = useProject();
  return useApi(
    routes.service.detail,
    { params: { service_id: serviceId }, query: { project: project.id } },
    { topics: ['service', 'node', 'client', 'config_error'] },
  );
}

/** Documents and policies that a service reaches, however many references away. */
export function useDependencies({ name, version }: Pick<Service, 'name' | 'version'>) {
  const project = useProject();
  return useApi(
    routes.document.dependency,
    { params: { name }, query: { project: project.id, collection: 'services', version } },
    { topics: ['document', 'policy', 'service'] },
  );
}

/** `collection/name` of every document that the service reaches and that there is. */
export function useKnownDocuments(service: Pick<Service, 'name' | 'version'>): ReadonlySet<string> {
  const { data } = useDependencies(service);
  return useMemo(
    () => new Set(data?.body.nodes.flatMap((node) => (node.missing || node.type === null ? [] : [node.id])) ?? []),
    [data],
  );
}
