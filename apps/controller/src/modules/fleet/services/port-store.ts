import { createHash } from 'node:crypto';
import { ADMIN_PORT_MAX, ADMIN_PORT_MIN, failFleet } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { findListenersAmongAdminPorts, lockClients } from './port-use-store.ts';

/**
 * Reserves this service's admin port on each client, in the transaction that adds the clients. A service keeps a port
 * that it still has there, and otherwise gets the same port on all clients where it is free. The clients' row locks
 * serialise transactions on one client; the primary key would refuse a duplicate anyway.
 */
export async function reserveAdminPorts(tx: Tx, serviceId: string, clientIds: readonly string[]): Promise<void> {
  if (clientIds.length === 0) return;
  await lockClients(tx, clientIds);
  const held = await tx
    .selectFrom('admin_ports')
    .select(['client_id', 'port'])
    .where('service_id', '=', serviceId)
    .orderBy('port')
    .execute();
  const holders = new Set(held.map((row) => row.client_id));
  const wanting = clientIds.filter((clientId) => !holders.has(clientId));
  const [first, ...others] = wanting;
  if (first === undefined) return;
  const listening = Map.groupBy(await findListenersAmongAdminPorts(tx, wanting), (row) => row.client_id);
  const busyOn = (clientId: string) => (listening.get(clientId) ?? []).map(({ port }) => port);
  const reserveOwn = (clientId: string) => reserveFirstFree(tx, { serviceId, clientId, busy: busyOn(clientId) });
  const common = held[0]?.port ?? (await reserveOwn(first));
  const rest = held.length > 0 ? wanting : others;
  const free = rest.filter((clientId) => !busyOn(clientId).includes(common));
  const served = await reserveCommon(tx, { serviceId, clientIds: free, port: common });
  for (const clientId of rest) if (!served.has(clientId)) await reserveOwn(clientId);
}

/** One statement for all clients on which the port is free. */
async function reserveCommon(
  tx: Tx,
  { serviceId, clientIds, port }: { serviceId: string; clientIds: readonly string[]; port: number },
): Promise<ReadonlySet<string>> {
  if (clientIds.length === 0) return new Set();
  const rows = await tx
    .insertInto('admin_ports')
    .columns(['client_id', 'port', 'service_id'])
    .expression(
      sql`select client_id, ${port}::integer, ${serviceId}::uuid from unnest(${[...clientIds]}::uuid[]) client_id`,
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('client_id')
    .execute();
  return new Set(rows.map((row) => row.client_id));
}

/**
 * The first port to try for this client. Agents of several installations on one host do not know each other: if all
 * searches started at the same port, every second agent would find its ports taken.
 */
function firstCandidate(clientId: string): number {
  const hash = createHash('sha256').update(clientId).digest().readUInt32BE();
  return ADMIN_PORT_MIN + (hash % (ADMIN_PORT_MAX - ADMIN_PORT_MIN + 1));
}

/** The first free port from the client's candidate on, wrapping around at the end of the range. */
async function reserveFirstFree(
  tx: Tx,
  { serviceId, clientId, busy }: { serviceId: string; clientId: string; busy: readonly number[] },
): Promise<number> {
  const { rows } = await sql<{ port: number }>`
    insert into admin_ports (client_id, port, service_id)
    select ${clientId}, port, ${serviceId}
    from generate_series(${ADMIN_PORT_MIN}::integer, ${ADMIN_PORT_MAX}::integer) port
    where not exists (select from admin_ports taken where taken.client_id = ${clientId} and taken.port = port.port)
      and port.port <> all(${[...busy]}::integer[])
    order by port.port < ${firstCandidate(clientId)}::integer, port.port limit 1
    returning port`.execute(tx);
  const port = rows[0]?.port;
  if (port !== undefined) return port;
  const client = await tx.selectFrom('clients').select('name').where('id', '=', clientId).executeTakeFirst();
  throw failFleet('service.ports_exhausted', { name: client?.name ?? clientId });
}

/** Frees the port of a service that has left this client for good. */
export async function releaseAdminPort(tx: Tx, serviceId: string, clientId: string): Promise<void> {
  await tx.deleteFrom('admin_ports').where('service_id', '=', serviceId).where('client_id', '=', clientId).execute();
}
