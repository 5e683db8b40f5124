import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

const DAY_MS = 86_400_000;
const ALERTS_KEPT_DAYS = 90;
const ALERTS_KEPT_MAX = 20_000;
const DELIVERIES_KEPT_DAYS = 30;
const DELIVERIES_KEPT_MAX = 2000;

/** Keeps 90 days of resolved alerts, at most the newest 20,000 of a project. */
export async function forgetOldAlerts(db: Db, now: Date): Promise<void> {
  await sql`delete from alerts where id in (
    select id from (
      select id, resolved_at, row_number() over (partition by project_id order by resolved_at desc, id desc) as place
      from alerts where state = 'resolved'
    ) ended where resolved_at < ${daysBefore(now, ALERTS_KEPT_DAYS)} or place > ${ALERTS_KEPT_MAX})`.execute(db);
}

/** Keeps 30 days of ended deliveries, at most the newest 2,000 of a project. */
export async function forgetOldDeliveries(db: Db, now: Date): Promise<void> {
  await sql`delete from alert_deliveries where id in (
    select id from (
      select id, created_at, row_number() over (partition by project_id order by created_at desc, id desc) as place
      from alert_deliveries where status in ('delivered', 'failed')
    ) ended where created_at < ${daysBefore(now, DELIVERIES_KEPT_DAYS)} or place > ${DELIVERIES_KEPT_MAX})`.execute(db);
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
