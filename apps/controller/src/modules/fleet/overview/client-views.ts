import { fail } from '@flotilla/contract';
import { type RawBuilder, sql } from 'kysely';
import { matchesText } from '../../../platform/database/paging.ts';
import { type RowOf, Rows, type SearchQuery } from '../../../platform/database/records.ts';
import { hasClientStatus, isConnected } from '../clients/index.ts';
import { listServicesOfClient } from '../services/index.ts';
import type { FleetView } from './scope-views.ts';

const CLIENTS = new Rows<ListedRow, ReturnType<typeof toListItem>, FleetClientQuery>({
  sortable: { name: 'clients.name', last_seen: sql`coalesce(clients.last_seen, 'epoch')` },
  defaultSort: 'name',
  id: 'clients.id',
  // Host facts are not searched: a hit would reveal them.
  searched: (text) => sql`(${matchesText(['clients.name'], text)} or clients.id::text = ${text.toLowerCase()})`,
  filters: { status: hasClientStatus },
  toView: toListItem,
});

interface FleetClientQuery extends SearchQuery {
  readonly status?: readonly ('Live' | 'Offline')[] | undefined;
}

interface ServiceOfClient {
  readonly id: string;
  readonly name: string;
  readonly deployed: boolean;
}

/** Services that list the client as one JSON value, without a query per row. */
function servicesOf({ seenServices }: FleetView): RawBuilder<ServiceOfClient[]> {
  return sql<ServiceOfClient[]>`(
    select coalesce(jsonb_agg(jsonb_build_object('id', services.id, 'name', services.name,
      'deployed', service_targets.deployed) order by services.name), '[]'::jsonb)
    from service_targets join services on services.id = service_targets.service_id
    where service_targets.client_id = clients.id and ${seenServices('services.id')})`;
}

function selectClients({ db, projectId, seenClients }: FleetView) {
  return db
    .selectFrom('clients')
    .select(['id', 'name', 'project_id', 'last_seen', 'created_at'])
    .select(['connect_time', 'connect_reason', 'disconnect_time', 'disconnect_reason'])
    .select(sql<boolean>`${isConnected()}`.as('connected'))
    .where('clients.project_id', '=', projectId)
    .where(seenClients);
}

type ClientRow = RowOf<typeof selectClients>;

type ListedRow = ClientRow & { readonly services: ServiceOfClient[] };

function toListItem(row: ListedRow) {
  return { ...identify(row), services: row.services };
}

export const listFleetClients = (view: FleetView, query: FleetClientQuery) =>
  CLIENTS.list(selectClients(view).select(servicesOf(view).as('services')), query);

/** Throws record.not_found, also for a client of another project. */
export async function readFleetClient(view: FleetView, clientId: string) {
  const row = await selectClients(view).where('clients.id', '=', clientId).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'client', name: clientId });
  const services = await listServicesOfClient(view.db, clientId, view.seenServices('services.id'));
  return {
    ...identify(row),
    connect_time: row.connect_time?.toISOString() ?? null,
    connect_reason: row.connect_reason,
    disconnect_time: row.disconnect_time?.toISOString() ?? null,
    disconnect_reason: row.disconnect_reason,
    created_at: row.created_at.toISOString(),
    services: services.map(({ admin_port: _p, addresses: _a, ...service }) => service),
  };
}

function identify(row: ClientRow) {
  return {
    client_id: row.id,
    name: row.name,
    project: row.project_id,
    status: row.connected ? 'Live' : 'Offline',
    connected: row.connected,
    last_seen: row.last_seen?.toISOString() ?? null,
  } as const;
}
