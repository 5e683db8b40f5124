import { REPLAY_EVENTS_MAX, type ShieldEventFilter } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { matchesFilter } from './views.ts';

/**
 * Requests with findings as JSON lines, oldest first: the newest `REPLAY_EVENTS_MAX` of the selection. A request with
 * several findings appears once, by its block if it has one. The database builds the text, so that the controller does
 * not spend a second on a replay.
 */
export async function readEventRecords(db: Db, projectId: string, filter: ShieldEventFilter): Promise<string> {
  const { rows } = await sql<{ text: string | null }>`
    select string_agg(line, E'\n' order by time, id) as text from (
      select time, id, json_build_object(
        'time', to_char(time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'request_id', request_id,
        'method', method, 'host', host, 'path', path, 'source_ip', coalesce(host(source_ip), ''),
        'engine', engine, 'reason', reason, 'verdict', verdict, 'status', status)::text as line
      from (
        select distinct on (client_id, service_id, coalesce(nullif(request_id, ''), id::text), method, host, path,
          date_trunc('second', time)) *
        from shield_events where ${matchesFilter(projectId, filter)}
        order by client_id, service_id, coalesce(nullif(request_id, ''), id::text), method, host, path,
          date_trunc('second', time), verdict
      ) requests
      order by time desc, id desc limit ${REPLAY_EVENTS_MAX}
    ) newest`.execute(db);
  return rows[0]?.text ?? '';
}
