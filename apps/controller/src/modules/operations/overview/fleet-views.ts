import {
  OVERVIEW_CHANGES_MAX,
  OVERVIEW_LISTED_MAX,
  OVERVIEW_NEWEST_ERRORS,
  OVERVIEW_WAITING_MS,
  type Overview,
} from '@flotilla/contract';
import { sql } from 'kysely';
import type { FleetView } from '../../fleet/public.ts';
import { healthState, isConnected, RENEWAL_GRACE_MS, selectTargetHealth, worstReason } from '../../fleet/public.ts';

type Section<K extends keyof Overview> = NonNullable<Overview[K]>;

/** The status as in deriveServiceStatus; a test keeps the two equal. */
export async function readServices({ db, projectId, seenServices }: FleetView): Promise<Section<'services'>> {
  const { rows } = await sql<Section<'services'>>`
    with targets as (
      select service_id, count(*) as deployed, count(*) filter (where connected) as connected,
        ${healthState()} as health
      from (${selectTargetHealth(sql`clients.project_id = ${projectId}`)}) deployed_targets
      group by service_id
    ), errors as (
      select service_id, count(*)::int as active from config_errors
      where project_id = ${projectId} and status = 'active' group by service_id
    ), states as (
      select services.id, services.name, coalesce(errors.active, 0) as active_errors,
        case when targets.deployed is null then 'Not Deployed' when targets.connected = 0 then 'Offline'
          when targets.connected = targets.deployed then 'Live' else 'Partial' end as status,
        coalesce(targets.health, 'not_deployed') as health
      from services
      left join targets on targets.service_id = services.id
      left join errors on errors.service_id = services.id
      where services.project_id = ${projectId} and ${seenServices('services.id')}
    )
    select count(*)::int as total,
      count(*) filter (where status = 'Live')::int as live,
      count(*) filter (where status = 'Partial')::int as partial,
      count(*) filter (where status = 'Offline')::int as offline,
      count(*) filter (where status = 'Not Deployed')::int as not_deployed,
      count(*) filter (where health = 'failed')::int as failed,
      count(*) filter (where health = 'degraded')::int as degraded,
      count(*) filter (where health = 'unreachable')::int as unreachable,
      (select coalesce(json_agg(worst), '[]') from (
        select id, name, status, health, ${worstReason('states.id')} as reason, active_errors from states
        where health in ('failed', 'degraded', 'unreachable') or active_errors > 0
        order by array_position(array['failed', 'degraded', 'unreachable'], health),
          active_errors desc, name
        limit ${OVERVIEW_LISTED_MAX}) worst) as worst
    from states`.execute(db);
  return (
    rows[0] ?? {
      total: 0,
      live: 0,
      partial: 0,
      offline: 0,
      not_deployed: 0,
      failed: 0,
      degraded: 0,
      unreachable: 0,
      worst: [],
    }
  );
}

export async function readClients({ db, projectId, seenClients }: FleetView): Promise<Section<'clients'>> {
  const { rows } = await sql<{
    id: string;
    name: string;
    since: Date | null;
    reason: string | null;
    expires_at: Date | null;
    total: number;
    live: number;
  }>`
    with states as (
      select id, name, connected_to, disconnect_time, disconnect_reason, last_seen, ${isConnected()} as connected
      from clients where clients.project_id = ${projectId} and ${seenClients}
    )
    select counts.total, counts.live, gone.*
    from (select count(*)::int as total, count(*) filter (where connected)::int as live from states) counts
    left join lateral (
      select id, name,
        case when connected_to is null then disconnect_time else last_seen end as since,
        case when connected_to is null then disconnect_reason else 'controller_lost' end as reason,
        (select max(expires_at) from client_certificates
          where client_id = states.id and revoked_at is null) as expires_at
      from states where not connected order by since desc nulls last, name limit ${OVERVIEW_LISTED_MAX}
    ) gone on true`.execute(db);
  const { total, live } = rows[0] ?? { total: 0, live: 0 };
  return {
    total,
    live,
    offline: total - live,
    offline_clients: rows.flatMap(({ id, name, since, reason, expires_at }) => {
      const renewableUntil = expires_at && new Date(expires_at.getTime() + RENEWAL_GRACE_MS);
      const times = {
        since: since?.toISOString() ?? null,
        renewable_until: renewableUntil?.toISOString() ?? null,
      };
      return id === null ? [] : [{ client_id: id, name, reason, ...times }];
    }),
  };
}

export async function readConfigErrors({ db, projectId, seenServices }: FleetView): Promise<Section<'config_errors'>> {
  const active = db
    .selectFrom('config_errors')
    .where('config_errors.project_id', '=', projectId)
    .where(seenServices('config_errors.service_id'));
  const [counts, newest] = await Promise.all([
    active
      .where('config_errors.status', '=', 'active')
      .select(['severity', sql<number>`count(*)::int`.as('count')])
      .groupBy('severity')
      .execute(),
    active
      .where('config_errors.status', '=', 'active')
      .leftJoin('services', 'services.id', 'config_errors.service_id')
      .select(['config_errors.id', 'config_errors.service_id', 'services.name as service_name'])
      .select(['config_errors.client_id', 'config_errors.severity', 'config_errors.message', 'config_errors.last_seen'])
      .select(['config_errors.resource_name', 'config_errors.resource_type'])
      .orderBy('config_errors.last_seen', 'desc')
      .orderBy('config_errors.id', 'desc')
      .limit(OVERVIEW_NEWEST_ERRORS)
      .execute(),
  ]);
  const of = (severity: string) => counts.find((row) => row.severity === severity)?.count ?? 0;
  return {
    active: counts.reduce((sum, { count }) => sum + count, 0),
    critical: of('critical'),
    error: of('error'),
    warning: of('warning'),
    newest: newest.map(({ resource_name: name, resource_type: type, last_seen, ...row }) => ({
      ...row,
      resource: { name, type },
      last_seen: last_seen.toISOString(),
    })),
  };
}

/** When a problem was last resolved, as far as existing rows show. */
export async function readSettledAt(view: FleetView): Promise<string | null> {
  const { db, projectId, seenServices, seenClients } = view;
  const { rows } = await sql<{ at: Date | null }>`select greatest(
    (select max(connect_time) from clients where project_id = ${projectId} and ${seenClients}),
    (select max(node_states.rollout_at) from node_states join services on services.id = node_states.service_id
      where services.project_id = ${projectId} and ${seenServices('services.id')}
        and node_states.rollout_state = 'live')) as at`.execute(db);
  return rows[0]?.at?.toISOString() ?? null;
}

type Pending = Section<'pending_changes'>['items'][number];
type PendingRow = Omit<Pending, 'since' | 'resource'> & {
  readonly type: string | null;
  readonly name: string | null;
  readonly since: Date | null;
};

/** Nodes whose resources are read, the newest reports first: a broken document may affect ten thousand. */
const NODES_MAX = 200;

export async function readPendingChanges(
  { db, projectId, seenServices }: FleetView,
  now: Date,
): Promise<Section<'pending_changes'>> {
  const overdue = new Date(now.getTime() - OVERVIEW_WAITING_MS);
  // The desired and reported state of every deployed node.
  const nodes = sql`
    select services.id as service_id, services.name as service_name, clients.id as client_id,
      clients.name as client_name, ${isConnected()} as connected, node_states.rollout_state, node_states.rollout_at,
      node_states.resources, node_states.reported_at, node_states.report ->> 'error' as error,
      coalesce(node_states.generation, 0) < service_targets.generation as behind
    from services
    join service_targets on service_targets.service_id = services.id and service_targets.deployed
    join clients on clients.id = service_targets.client_id
    left join node_states
      on node_states.service_id = services.id and node_states.client_id = service_targets.client_id
    where services.project_id = ${projectId} and ${seenServices('services.id')}`;
  const isUnsettled = sql`(rollout_state = 'partial' or (rollout_state <> 'live' and rollout_at < ${overdue}))`;
  const [counted, listed] = await Promise.all([
    sql<{ count: number }>`select count(*)::int as count from (${nodes}) nodes
      where behind or ${isUnsettled}`.execute(db),
    sql<PendingRow>`
      with unsettled as (
        select * from (${nodes}) nodes where ${isUnsettled} order by rollout_at desc limit ${NODES_MAX}
      ), late as (
        select * from (${nodes}) nodes where behind order by reported_at desc nulls last limit ${OVERVIEW_CHANGES_MAX}
      )
      select * from (
        select service_id, service_name, client_id, client_name, resource ->> 'type' as type, resource ->> 'name' as name,
          resource ->> 'state' as state, resource ->> 'reason' as reason, rollout_at as since
        from unsettled
        cross join jsonb_array_elements(
          case jsonb_typeof(resources) when 'array' then resources else '[]'::jsonb end) resource
        where resource ->> 'state' in ('refused', 'held', 'waiting')
        union all
        select service_id, service_name, client_id, client_name, null, null, 'behind',
          case when connected then error else 'the connection to its agent was lost' end, reported_at
        from late
      ) changes
      order by array_position(array['refused', 'held', 'waiting', 'behind'], state), since desc nulls last,
        service_name, client_name, type, name
      limit ${OVERVIEW_CHANGES_MAX}`.execute(db),
  ]);
  return {
    nodes: counted.rows[0]?.count ?? 0,
    items: listed.rows.map(({ type, name, since, ...row }) => ({
      ...row,
      resource: type === null || name === null ? null : { type, name },
      since: since?.toISOString() ?? null,
    })),
  };
}
