import { ADMIN_PORT_MAX, ADMIN_PORT_MIN, failFleet } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';

/**
 * Reserves this service's admin port on each client, in the transaction that adds the clients. A service keeps a port
 * that it still has there, and takes the same one on all its clients where that one is free. The client's row lock makes
 * two transactions on one client wait for each other; the primary key would refuse a double anyway.
 */
export async function reserveAdminPorts(tx: Tx, serviceId: string, clientIds: readonly string[]): Promise<void> {
  if (clientIds.length === 0) return;
  const clients = await tx
    .selectFrom('clients')
    .select(['id', 'name'])
    .where('id', 'in', [...clientIds])
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  for (const client of clients) {
    const { rows } = await sql<{ port: number }>`
      insert into admin_ports (client_id, port, service_id)
      select ${client.id}, candidate.port, ${serviceId}
      from (
        (select port, 0 as rank from admin_ports where service_id = ${serviceId} order by port limit 1)
        union all
        (select port, 1 from generate_series(${ADMIN_PORT_MIN}::integer, ${ADMIN_PORT_MAX}::integer) port)
      ) candidate
      where not exists (select from admin_ports taken where taken.client_id = ${client.id} and taken.port = candidate.port)
      order by candidate.rank, candidate.port
      limit 1
      on conflict (client_id, service_id) do nothing
      returning port`.execute(tx);
    if (rows.length === 0 && !(await hasPort(tx, serviceId, client.id))) {
      throw failFleet('service.ports_exhausted', { name: client.name });
    }
  }
}

/** Frees the port of a service that has left this client for good. */
export async function releaseAdminPort(tx: Tx, serviceId: string, clientId: string): Promise<void> {
  await tx.deleteFrom('admin_ports').where('service_id', '=', serviceId).where('client_id', '=', clientId).execute();
}

async function hasPort(tx: Tx, serviceId: string, clientId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('admin_ports')
    .select('port')
    .where('service_id', '=', serviceId)
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row !== undefined;
}
