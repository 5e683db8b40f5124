import { type ConfigErrorQuery, listActiveErrors, listErrors } from '../config-errors/index.ts';
import { listServices, readService, readServiceNodes, type ServiceListQuery } from '../services/index.ts';
import type { FleetView } from './scope-views.ts';

type FleetServiceQuery = Omit<ServiceListQuery, 'ip_address'>;

export async function listFleetServices({ db, projectId, seenServices }: FleetView, query: FleetServiceQuery) {
  const { items, ...page } = await listServices(db, projectId, query, seenServices('services.id'));
  return {
    ...page,
    items: items.map(({ ip_addresses: _a, admin_port: _p, targets, ...item }) => ({
      ...withoutAddressFacts(item),
      connected: targets.filter(({ deployed, connected }) => deployed && connected).length,
      targets: targets.map(withoutPort),
    })),
  };
}

/**
 * A caller who may see the service sees all of its nodes, even on clients that they may not see. Throws
 * record.not_found.
 */
export async function readFleetService({ db, projectId }: FleetView, serviceId: string) {
  const record = await readService(db, { projectId, serviceId });
  const [nodes, errors] = await Promise.all([readServiceNodes(db, record), listActiveErrors(db, serviceId)]);
  const { clients: _, targets, ...service } = record;
  return {
    service: { ...withoutAddressFacts(service), targets: targets.map(withoutPort) },
    nodes: nodes.map(({ addresses: _a, ...node }) => withoutPort(node)),
    errors,
  };
}

export function listFleetErrors({ db, projectId, seenServices }: FleetView, query: ConfigErrorQuery) {
  return listErrors(db, projectId, query, seenServices('config_errors.service_id'));
}

function withoutPort<T extends { readonly admin_port: unknown }>({ admin_port: _, ...rest }: T): Omit<T, 'admin_port'> {
  return rest;
}

function withoutAddressFacts<T extends { readonly client_listeners: unknown; readonly missing_addresses: unknown }>({
  client_listeners: _l,
  missing_addresses: _m,
  ...rest
}: T): Omit<T, 'client_listeners' | 'missing_addresses'> {
  return rest;
}
