import type { ShownAlertTarget } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import type { DueChannel } from '../../../../platform/outbound/index.ts';
import type { MessagePayload } from '../notify/message.ts';

/** A delivery whose holder was killed is free again when its lease ends. */
const IS_FREE = sql`(alert_deliveries.status = 'waiting'
  or (alert_deliveries.status = 'sending' and alert_deliveries.leased_until < clock_timestamp()))`;
const IS_HELD = sql`(alert_deliveries.status = 'sending' and alert_deliveries.leased_until >= clock_timestamp())`;
const DUE_MAX = 500;

/** Switched-on channels with a message, none of which is being sent, in random order. */
export async function listDueChannels(db: Db, now: Date): Promise<DueChannel[]> {
  const { rows } = await sql<{ id: string; project_id: string; is_failing: boolean }>`
    select id, project_id, failing_since is not null as is_failing from alert_channels
    where enabled and (retry_at is null or retry_at <= ${now})
      and exists (select from alert_deliveries where channel_id = alert_channels.id and ${IS_FREE})
      and not exists (select from alert_deliveries where channel_id = alert_channels.id and ${IS_HELD})
    order by random() limit ${DUE_MAX}`.execute(db);
  return rows.map((row) => ({ id: row.id, projectId: row.project_id, isFailing: row.is_failing }));
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly channelId: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly payload: MessagePayload;
  readonly createdAt: Date;
  readonly target: ShownAlertTarget;
  readonly sealed: Buffer | null;
  /** Failed attempts of the channel in a row. */
  readonly failures: number;
}

/** Claims the oldest message of each channel. One of two controllers that claim at the same time gets it. */
export async function claimDeliveries(
  db: Db,
  channelIds: readonly string[],
  { holder, leaseMs }: { readonly holder: string; readonly leaseMs: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<Omit<ClaimedDelivery, 'holder'>>`
    with claimed as (
      update alert_deliveries set status = 'sending', holder = ${holder}, attempts = attempts + 1,
        leased_until = clock_timestamp() + ${leaseMs}::int * interval '1 ms'
      where ${IS_FREE} and id in (
        select (select id from alert_deliveries where channel_id = channels.id and status in ('waiting', 'sending')
          order by created_at, id limit 1)
        from unnest(${[...channelIds]}::uuid[]) as channels(id))
      returning id, channel_id, project_id, payload, created_at
    )
    select claimed.id, claimed.channel_id as "channelId", claimed.project_id as "projectId",
      projects.name as "projectName", payload, claimed.created_at as "createdAt", target, sealed, failures
    from claimed
    join alert_channels on alert_channels.id = claimed.channel_id
    join projects on projects.id = claimed.project_id`.execute(db);
  return rows;
}

interface Held {
  readonly id: string;
  readonly channelId: string;
  readonly holder: string;
}

/** Only the holder may record an outcome. */
export async function recordDelivered(db: Db, { id, channelId, holder }: Held, now: Date): Promise<void> {
  await sql`
    with ended as (
      update alert_deliveries set status = 'delivered', delivered_at = ${now}, error = null, holder = null,
        leased_until = null
      where id = ${id} and holder = ${holder} and status = 'sending' returning channel_id
    )
    update alert_channels set delivered_at = ${now}, failing_since = null, failures = 0, retry_at = null,
      last_error = null
    where id = ${channelId} and id in (select channel_id from ended)`.execute(db);
}

export interface Failure {
  readonly error: string;
  readonly now: Date;
  readonly retryAt: Date;
  /** No further attempt. */
  readonly isFinal: boolean;
}

export async function recordFailure(db: Db, { id, channelId, holder }: Held, failure: Failure): Promise<void> {
  const { error, now, retryAt, isFinal } = failure;
  await sql`
    with ended as (
      update alert_deliveries set status = ${isFinal ? 'failed' : 'waiting'}, error = ${error}, holder = null,
        leased_until = null
      where id = ${id} and holder = ${holder} and status = 'sending' returning channel_id
    )
    update alert_channels set failing_since = coalesce(failing_since, ${now}), failures = failures + 1,
      retry_at = ${retryAt}, last_error = ${error}
    where id = ${channelId} and id in (select channel_id from ended)`.execute(db);
}

/** Gives a message back whose attempt was interrupted by the end of the program. */
export async function releaseDelivery(db: Db, { id, holder }: Held): Promise<void> {
  await sql`update alert_deliveries set status = 'waiting', holder = null, leased_until = null
    where id = ${id} and holder = ${holder} and status = 'sending'`.execute(db);
}

/** Gives up messages that are too old to be of use, and returns their number. */
export async function expireDeliveries(db: Db, before: Date): Promise<void> {
  await sql`update alert_deliveries set status = 'failed', holder = null, leased_until = null,
      error = coalesce(error, 'it could not be sent in time')
    where created_at < ${before} and ${IS_FREE}`.execute(db);
}

export interface TestOutcome {
  readonly id: string;
  readonly payload: MessagePayload;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** undefined: it was accepted. */
  readonly error: string | undefined;
}

/** Records a test message, which is sent at once and only once. */
export async function recordTest(
  db: Db,
  { id: channelId, project_id }: { readonly id: string; readonly project_id: string },
  { id, payload, startedAt, endedAt, error }: TestOutcome,
): Promise<void> {
  const isDone = error === undefined;
  await sql`
    with tested as (
      insert into alert_deliveries (id, project_id, channel_id, kind, payload, firing, resolved, status, attempts, error,
        created_at, delivered_at)
      select ${id}, project_id, id, 'test', ${JSON.stringify(payload)}::jsonb, 0, 0,
        ${isDone ? 'delivered' : 'failed'}, 1, ${error ?? null}, ${startedAt}, ${isDone ? endedAt : null}
      from alert_channels where id = ${channelId} and project_id = ${project_id} returning channel_id
    )
    update alert_channels set
      delivered_at = case when ${isDone} then ${endedAt} else delivered_at end,
      failing_since = case when ${isDone} then null else coalesce(failing_since, ${endedAt}) end,
      failures = case when ${isDone} then 0 else failures end,
      retry_at = case when ${isDone} then null else retry_at end,
      last_error = ${error ?? null}
    where id in (select channel_id from tested)`.execute(db);
}

export function createDeliveryId(at: Date): string {
  return createId(at.getTime());
}

export async function findProjectName(db: Db, projectId: string): Promise<string> {
  const row = await db.selectFrom('projects').select('name').where('id', '=', projectId).executeTakeFirst();
  return row?.name ?? projectId;
}

/** Messages that wait or are being sent. */
export async function countOpenDeliveries(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from alert_deliveries
    where status in ('waiting', 'sending')`.execute(db);
  return rows[0]?.count ?? 0;
}
