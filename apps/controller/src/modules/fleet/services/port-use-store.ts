import { ADMIN_PORT_MAX, ADMIN_PORT_MIN } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import type { Binding, ListenerUse } from './port-use.ts';

const ADMIN_ADDRESS = '127.0.0.1';

/** Locks the clients until the end of the transaction, so that no other transaction changes what runs on them. */
export async function lockClients(tx: Tx, clientIds: readonly string[]): Promise<void> {
  await tx
    .selectFrom('clients')
    .select('id')
    .where(sql<boolean>`id = any(${[...clientIds]}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** Services of the scope that have one of the listeners, with each of their clients. */
export function findListenerUsers(
  tx: Tx,
  scope: { readonly project: string; readonly version: string },
  listeners: readonly string[],
): Promise<Array<{ service_id: string; client_id: string }>> {
  return tx
    .selectFrom('services')
    .innerJoin('service_targets', 'service_targets.service_id', 'services.id')
    .select(['services.id as service_id', 'service_targets.client_id'])
    .where('services.project_id', '=', scope.project)
    .where('services.version', '=', scope.version)
    .where(sql<boolean>`services.listeners && ${[...listeners]}::text[]`)
    .execute();
}

/** Ports of the row of `documents` as texts, with those of additional addresses. */
const PORTS: RawBuilder<unknown> = sql`
  select documents.resource #>> '{address,socket_address,port_value}' as port
  union all select one #>> '{address,socket_address,port_value}'
    from json_array_elements(case when json_typeof(documents.resource -> 'additional_addresses') = 'array'
      then documents.resource -> 'additional_addresses' else '[]'::json end) one`;

/** The stored listeners of the services on these clients. */
function listenersOn(clientIds: readonly string[]): RawBuilder<unknown> {
  return sql`services join documents on documents.project_id = services.project_id
      and documents.version = services.version and documents.collection = 'listeners'
      and documents.name = any(services.listeners)
    where services.id in (select service_id from service_targets where client_id = any(${[...clientIds]}::uuid[]))`;
}

interface UseFilter {
  readonly clientIds: readonly string[];
  /** undefined: all services on these clients. */
  readonly serviceIds?: readonly string[];
  /** undefined: all ports. */
  readonly ports?: readonly number[];
}

/** Listeners of the services on these clients, once for each client. Documents are read once, not for each client. */
export async function findListenerUses(db: Db, { clientIds, serviceIds, ports }: UseFilter): Promise<ListenerUse[]> {
  const ofServices = serviceIds && sql`and services.id = any(${[...serviceIds]}::uuid[])`;
  const withPorts =
    ports && sql`and exists (select from (${PORTS}) own where port = any(${ports.map(String)}::text[]))`;
  const { rows } = await sql<ListenerUse>`
    with held as materialized (
      select services.id, services.name, documents.name as listener, documents.resource -> 'address' as address,
        documents.resource -> 'additional_addresses' as additional,
        coalesce(documents.resource ->> 'bind_to_port', 'true') <> 'false' as binds
      from ${listenersOn(clientIds)} ${ofServices ?? sql``} ${withPorts ?? sql``})
    select service_targets.client_id as "clientId", held.id as "serviceId", held.name as service, held.listener,
      service_targets.addresses, held.address, held.additional, held.binds
    from held join service_targets on service_targets.service_id = held.id
    where service_targets.client_id = any(${[...clientIds]}::uuid[])
    order by held.name, held.listener`.execute(db);
  return rows;
}

/** Ports in the range of admin ports at which services on these clients listen. */
export async function findListenersAmongAdminPorts(tx: Tx, clientIds: readonly string[]) {
  const { rows } = await sql<{ client_id: string; port: number }>`
    with held as materialized (
      select services.id, own.port from services cross join lateral (
        select ports.port from documents cross join lateral (${PORTS}) ports
        where documents.project_id = services.project_id and documents.version = services.version
          and documents.collection = 'listeners' and documents.name = any(services.listeners)
          and ports.port ~ '^3[0-9]{4}$') own
      where services.id in (select service_id from service_targets where client_id = any(${[...clientIds]}::uuid[])))
    select distinct service_targets.client_id, held.port::integer as port
    from held join service_targets on service_targets.service_id = held.id
    where service_targets.client_id = any(${[...clientIds]}::uuid[])
      and held.port::integer between ${ADMIN_PORT_MIN} and ${ADMIN_PORT_MAX}`.execute(tx);
  return rows;
}

/** Admin ports on these clients that are among `ports`. */
export async function findAdminPorts(
  db: Db,
  { clientIds, ports }: { readonly clientIds: readonly string[]; readonly ports: readonly number[] },
): Promise<Binding[]> {
  const rows = await db
    .selectFrom('admin_ports')
    .leftJoin('services', 'services.id', 'admin_ports.service_id')
    .select(['admin_ports.client_id', 'admin_ports.service_id', 'admin_ports.port', 'services.name'])
    .where(sql<boolean>`admin_ports.client_id = any(${[...clientIds]}::uuid[])`)
    .where(sql<boolean>`admin_ports.port = any(${[...ports]}::integer[])`)
    .execute();
  return rows.map(({ client_id, service_id, port, name }) => ({
    clientId: client_id,
    serviceId: service_id,
    service: name ?? 'that was deleted',
    listener: undefined,
    protocol: 'TCP',
    address: ADMIN_ADDRESS,
    port,
    takesIpv4: false,
  }));
}

export async function findClientNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('clients')
    .select(['id', 'name'])
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
