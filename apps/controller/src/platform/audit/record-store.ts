import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { describeActor } from '../http/actor.ts';
import type { AuditEntry } from './entry.ts';

/** Writes one entry in the transaction of the write that it describes. */
export async function recordAudit(db: Db | Tx, entry: AuditEntry): Promise<void> {
  await recordAll(db, [entry]);
}

/** Writes at most 1,000 entries: one statement takes 65,535 parameters. */
export async function recordAll(db: Db | Tx, entries: readonly AuditEntry[]): Promise<void> {
  await db.insertInto('audit_log').values(entries.map(toRow)).execute();
}

function toRow(entry: AuditEntry) {
  const actor = describeActor(entry.actor);
  return {
    id: createId(entry.at.getTime()),
    at: entry.at,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    actor_role: entry.actorRole ?? null,
    project_id: entry.subject?.projectId ?? entry.projectId ?? null,
    action: entry.action,
    resource_type: entry.subject?.type ?? null,
    resource_id: entry.subject?.id ?? null,
    resource_name: entry.subject?.name ?? null,
    outcome: entry.outcome,
    status: entry.status,
    error_code: entry.errorCode ?? null,
    method: entry.request?.method ?? null,
    path: entry.request?.path ?? null,
    client_ip: entry.request?.ip ?? null,
    user_agent: entry.request?.userAgent ?? null,
    request_id: entry.request?.requestId ?? null,
    changes: entry.subject?.changes === undefined ? null : JSON.stringify(entry.subject.changes),
  };
}
