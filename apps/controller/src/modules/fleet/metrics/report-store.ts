import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import type { Range } from '../../../platform/http/time-range.ts';
import type { ReportRow } from './reading.ts';

/**
 * Marks minutes as reported, for many clients in one statement. Ignores services that are not assigned to the client.
 */
export async function addReports(db: Db, rows: readonly ReportRow[]): Promise<void> {
  await sql`
    insert into shield_reports as kept (project_id, hour, service_id, client_id, minutes)
    select s.project_id, date_trunc('hour', r.minute, 'UTC'), r.service_id, r.client_id,
      bit_or(1::bigint << extract(minute from r.minute at time zone 'UTC')::integer)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(client_id uuid, service_id uuid, minute timestamptz)
    join service_targets t on t.client_id = r.client_id and t.service_id = r.service_id
    join services s on s.id = r.service_id
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (project_id, hour, service_id, client_id) do update set minutes = kept.minutes | excluded.minutes
      where kept.minutes | excluded.minutes <> kept.minutes`.execute(db);
}

/** Selects counts; `policy` and the ids narrow them. */
export interface CountFilter {
  readonly projectId: string;
  readonly policy?: string | undefined;
  readonly serviceId?: string | undefined;
  readonly clientId?: string | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;

export interface Reported {
  /** The first reported minute within the retention. */
  readonly first: Date | undefined;
  /** Reported minutes of the range, in milliseconds. */
  readonly minutes: ReadonlySet<number>;
}

/** For a policy, the filters of the services that use it now. */
export async function readReported(db: Db, filter: CountFilter, { from, to }: Range): Promise<Reported> {
  const { projectId, policy, serviceId, clientId } = filter;
  const { rows } = await sql<{ hour: Date; minutes: string }>`
    with matching as (
      select hour, minutes from shield_reports where project_id = ${projectId}
        ${policy === undefined ? sql`` : sql`and service_id in (select id from services where ${policy} = any(policies))`}
        ${serviceId === undefined ? sql`` : sql`and service_id = ${serviceId}`}
        ${clientId === undefined ? sql`` : sql`and client_id = ${clientId}`}
    )
    select hour, bit_or(minutes)::bit(60)::text as minutes from matching
    where hour = (select min(hour) from matching)
      or (hour >= date_trunc('hour', ${from}::timestamptz, 'UTC') and hour < ${to})
    group by hour order by hour`.execute(db);
  const minutes = rows.flatMap(({ hour, minutes: bits }) =>
    // The last bit is minute 0.
    [...bits].flatMap((bit, n) => (bit === '1' ? [hour.getTime() + (HOUR_MINUTES - 1 - n) * MINUTE_MS] : [])),
  );
  const first = minutes.length === 0 ? undefined : new Date(Math.min(...minutes));
  return { first, minutes: new Set(minutes) };
}
