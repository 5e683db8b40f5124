import { createHash } from 'node:crypto';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

export interface FilledAudit {
  readonly project: string;
  readonly entries: number;
  /** Time of the first entry, and the interval. */
  readonly from: Date;
  readonly everyS: number;
}

const INDEXES = sql<{ name: string; text: string }>`
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text from pg_index
  where indrelid = 'audit_log'::regclass and not indisprimary`;

/**
 * Inserts entries as if they were written long ago, unsealed: 200 people, 100 actions, 100 kinds of 5,000 resources; 1
 * % denied, 0.1 % failed. `leaver` has the first 2 % of each project and nothing later, on resources called `gone_...`.
 * Recreates the indexes afterwards, which is much faster for a million entries.
 */
export async function fillAudit(owner: Db, projects: readonly FilledAudit[]): Promise<void> {
  const { rows: indexes } = await INDEXES.execute(owner);
  await owner.connection().execute(async (db) => {
    await sql`set maintenance_work_mem = '512MB'`.execute(db);
    // Only reading is tested, so sealing and notifications are disabled.
    await sql`alter table audit_log disable trigger user`.execute(db);
    for (const { name } of indexes) await sql`drop index ${sql.id(name)}`.execute(db);
    for (const { project, entries, from, everyS } of projects) {
      await sql`
        insert into audit_log (id, at, actor_kind, actor_id, actor_name, actor_role, project_id, action, resource_type,
          resource_id, resource_name, outcome, status, method, path, client_ip, request_id, changes)
        select gen_random_uuid(), ${from}::timestamptz + n * ${everyS}::float8 * interval '1 s', 'user',
          md5(who)::uuid::text, who, 'editor', ${project}::uuid,
          'act.n' || n % 100, 'kind' || n / 7 % 100, 'id-' || n / 3 % 5000,
          case when n <= ${entries} / 50 then 'gone_' else 'name_' end || n / 3 % 5000,
          case when n % 100 = 0 then 'denied' when n % 1000 = 1 then 'failed' else 'done' end,
          case when n % 100 = 0 then 403 else 200 end, 'PUT', case when n % 3 = 0 then '/api/v3/op/services/' || md5((n / 3 % 5000)::text)::uuid
            else '/api/v3/things/name_' || n / 3 % 5000 end,
          '192.0.2.' || n % 250, gen_random_uuid()::text, jsonb_build_object('revision', n)
        from generate_series(1, ${entries}::int) n,
          lateral (select case when n <= ${entries} / 50 then 'leaver' else 'person' || n % 200 end as who) w`.execute(
        db,
      );
    }
    for (const { text } of indexes) await sql.raw(text).execute(db);
    await sql`alter table audit_log enable trigger user`.execute(db);
    await sql`vacuum analyze audit_log`.execute(db);
    await sql`reset maintenance_work_mem`.execute(db);
  });
}

/** The actor id in the inserted entries. */
export function actorIdOf(name: string): string {
  return createHash('md5')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
