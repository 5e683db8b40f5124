import { type ControllerView, REGISTRY_CLIENTS_MAX } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { LEADER_LEASE } from '../../../platform/presence/leadership.ts';
import { type ControllerLoad, isControllerLive, silentSeconds } from '../../../platform/presence/presence-store.ts';

/** Oldest first. */
export function listControllerRows(db: Db) {
  return db
    .selectFrom('controllers')
    .selectAll()
    .select([
      isControllerLive.$castTo<boolean>().as('live'),
      silentSeconds.as('silent_sec'),
      sql<number>`extract(epoch from statement_timestamp() - started_at)::float8`.as('up_sec'),
    ])
    .orderBy('epoch')
    .execute();
}

export type ControllerRow = Awaited<ReturnType<typeof listControllerRows>>[number];

/** The leader's lease, even if it has expired; undefined if nobody holds one. Ages by the database's clock. */
export function findLeader(db: Db) {
  return db
    .selectFrom('leases')
    .innerJoin('controllers', 'controllers.id', 'leases.holder')
    .select(['holder', 'hostname', 'fence', 'acquired_at', 'until'])
    .select(sql<number>`extract(epoch from until - clock_timestamp())::float8`.as('remaining_sec'))
    .where('name', '=', LEADER_LEASE)
    .executeTakeFirst();
}

/** Clients whose streams are on live controllers, as far as the scope of `db` shows them. */
export async function listConnections(db: Db, projectId: string | undefined) {
  let connected = db
    .selectFrom('clients')
    .innerJoin('controllers', 'controllers.id', 'clients.connected_to')
    .where(isControllerLive);
  if (projectId !== undefined) connected = connected.where('clients.project_id', '=', projectId);
  const [rows, { total }] = await Promise.all([
    connected
      .select(['clients.id', 'clients.name', 'clients.project_id', 'controllers.id as controller', 'connect_time'])
      .orderBy('clients.name')
      .orderBy('clients.id')
      .limit(REGISTRY_CLIENTS_MAX)
      .execute(),
    connected.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { rows, total: Number(total) };
}

export function toControllerView(
  row: ControllerRow,
  { leader, withLoad }: { readonly leader: string | undefined; readonly withLoad: boolean },
): ControllerView {
  const toTenths = (seconds: number) => Math.max(0, Math.round(seconds * 10) / 10);
  return {
    id: row.id,
    hostname: row.hostname,
    version: row.version,
    rest_addr: row.rest_address,
    grpc_addr: row.grpc_address,
    roles: row.roles,
    epoch: row.epoch,
    is_leader: row.id === leader,
    load: withLoad ? (row.load as ControllerLoad | null) : null,
    started_at: row.started_at.toISOString(),
    last_seen: row.seen_at.toISOString(),
    uptime_sec: toTenths(row.up_sec),
    last_seen_age_sec: toTenths(row.silent_sec),
    live: row.live,
  };
}
