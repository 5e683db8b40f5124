import type { PolicyDetections } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

export interface FollowedPolicy {
  readonly name: string;
  readonly revision: number;
  readonly updated_at: Date;
  readonly text: string;
  readonly services: readonly { readonly id: string; readonly name: string }[];
}

export interface FollowSpan {
  readonly from: Date;
  readonly to: Date;
}

export async function findFollowed(db: Db, projectId: string, name: string): Promise<FollowedPolicy | undefined> {
  const policy = await db
    .selectFrom('policies')
    .select(['name', 'revision', 'updated_at', 'text'])
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (policy === undefined) return undefined;
  const services = await db
    .selectFrom('services')
    .select(['id', 'name'])
    .where('project_id', '=', projectId)
    .where(sql<boolean>`${name} = any(policies)`)
    .orderBy('name')
    .execute();
  return { ...policy, services };
}

type Group = PolicyDetections['by_route'][number];
export interface Findings {
  readonly detected: number;
  readonly blocked: number;
  readonly errors: number;
  readonly by_route: readonly Group[];
  readonly by_engine: readonly Group[];
  readonly by_reason: readonly Group[];
}

const GROUPS_MAX = 50;

/** The findings of a policy: totals, and the largest groups. */
export async function countFindings(db: Db, projectId: string, policy: string, span: FollowSpan): Promise<Findings> {
  const { rows } = await sql<{
    kind: number;
    name: string;
    events: number;
    detected: number;
    blocked: number;
    errors: number;
    last_at: Date;
  }>`
    select grouping(route, engine, reason) as kind, coalesce(route, engine, reason, '') as name, count(*) as events,
      count(*) filter (where verdict = 'detected') as detected, count(*) filter (where verdict = 'blocked') as blocked,
      count(*) filter (where verdict = 'error') as errors, max(time) as last_at
    from shield_events
    where project_id = ${projectId} and policy = ${policy} and time >= ${span.from} and time < ${span.to}
    group by grouping sets ((route), (engine), (reason), ())
    order by events desc, name`.execute(db);
  const total = rows.find(({ kind }) => kind === 7);
  const groupsOf = (mask: number) =>
    rows
      .filter(({ kind }) => kind === mask)
      .slice(0, GROUPS_MAX)
      .map(({ name, events, last_at }): Group => ({ name, events, last_at: last_at.toISOString() }));
  return {
    detected: total?.detected ?? 0,
    blocked: total?.blocked ?? 0,
    errors: total?.errors ?? 0,
    by_route: groupsOf(3),
    by_engine: groupsOf(5),
    by_reason: groupsOf(6),
  };
}

/** Findings by hour. Hours without one are left out. */
export async function readTrend(
  db: Db,
  projectId: string,
  policy: string,
  span: FollowSpan,
): Promise<PolicyDetections['trend']> {
  const { rows } = await sql<{ at: Date; detected: number; blocked: number }>`
    select date_trunc('hour', time, 'UTC') as at, count(*) filter (where verdict = 'detected') as detected,
      count(*) filter (where verdict = 'blocked') as blocked
    from shield_events
    where project_id = ${projectId} and policy = ${policy} and time >= ${span.from} and time < ${span.to}
    group by 1 order by 1`.execute(db);
  return rows.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts }));
}

/** Findings of these services that filters did not report one by one, because there were too many. */
export async function countDropped(
  db: Db,
  projectId: string,
  services: readonly string[],
  span: FollowSpan,
): Promise<number> {
  if (services.length === 0) return 0;
  const row = await db
    .selectFrom('shield_event_drops')
    .select(sql<number>`coalesce(sum(count), 0)::bigint`.as('dropped'))
    .where('project_id', '=', projectId)
    .where('service_id', 'in', [...services])
    .where('time', '>=', span.from)
    .where('time', '<', span.to)
    .executeTakeFirstOrThrow();
  return row.dropped;
}

/** The newest findings of mode `detect` with the ids of their requests. */
export async function listDetectedRequests(
  db: Db,
  projectId: string,
  policy: string,
  { from, to, limit }: FollowSpan & { readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('shield_events')
    .select('request_id')
    .where('project_id', '=', projectId)
    .where('policy', '=', policy)
    .where('verdict', '=', 'detected')
    .where('time', '>=', from)
    .where('time', '<', to)
    .orderBy('time', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => row.request_id);
}
