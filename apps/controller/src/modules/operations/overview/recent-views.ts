import { OVERVIEW_RECENT_MAX, type Overview } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

type Recent = Overview['recent'];

/** Without questions, which screens ask all the time. */
export async function countRunningCommands(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom('commands')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .where('status', 'in', ['pending', 'sent', 'running'])
    .where('kind', '!=', 'query')
    .executeTakeFirstOrThrow();
  return count;
}

/** Actions that are not changes: renewed certificates, and the progress of work ordered before. */
const NO_CHANGES = ['client.renew', 'command.end', 'job.start', 'job.end', 'audit.gap'];

/** Recent changes of the project by people. */
export async function listAuditedChanges(db: Db, projectId: string): Promise<Recent> {
  const rows = await db
    .selectFrom('audit_log')
    .select(['id', 'at', 'actor_name', 'action', 'resource_type', 'resource_id', 'resource_name', 'outcome'])
    .where('project_id', '=', projectId)
    .where('outcome', '=', 'done')
    .where('action', 'not like', 'session.%')
    .where('action', 'not in', NO_CHANGES)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(OVERVIEW_RECENT_MAX)
    .execute();
  return rows.map((row) => ({
    kind: 'audit',
    id: row.id,
    at: row.at.toISOString(),
    actor: row.actor_name,
    action: row.action,
    resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name },
    outcome: row.outcome,
  }));
}

/** The newest state of documents and policies, which every member may read. Deleted ones are missing. */
export async function listChangedDocuments(db: Db, projectId: string): Promise<Recent> {
  const { rows } = await sql<{
    kind: 'document' | 'policy';
    id: string;
    name: string;
    collection: string | null;
    version: string | null;
    revision: number;
    updated_at: Date;
    updated_by: string;
  }>`
    select * from (
      (select 'document' as kind, id, name, collection, version, revision, updated_at, updated_by
        from documents where project_id = ${projectId} order by updated_at desc, id limit ${OVERVIEW_RECENT_MAX})
      union all
      (select 'policy', id, name, null, null, revision, updated_at, updated_by
        from policies where project_id = ${projectId} order by updated_at desc, id limit ${OVERVIEW_RECENT_MAX})
    ) changed
    order by updated_at desc, id limit ${OVERVIEW_RECENT_MAX}`.execute(db);
  return rows.map(({ collection, version, updated_at, updated_by, ...row }) => ({
    ...row,
    at: updated_at.toISOString(),
    actor: updated_by,
    ...(collection === null ? {} : { collection }),
    ...(version === null ? {} : { version }),
  }));
}
