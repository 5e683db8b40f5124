import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { type Actor, type ClientActor, describeActor } from '../../http/actor.ts';
import type { AuditSubject } from '../../http/context.ts';

/** One line of the audit log before it has an id. */
export interface AuditEntry {
  readonly at: Date;
  readonly actor: Actor | ClientActor;
  readonly actorRole: string | undefined;
  readonly projectId: string | undefined;
  readonly action: string;
  readonly outcome: 'done' | 'denied' | 'failed';
  readonly status: number;
  readonly errorCode?: string;
  readonly subject?: AuditSubject;
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly ip: string;
    readonly userAgent: string | undefined;
    readonly requestId: string;
  };
}

/** Writes one entry: in the transaction of the write it tells of, or on its own for a denial. */
export async function recordAudit(db: Db | Tx, entry: AuditEntry): Promise<void> {
  const actor = describeActor(entry.actor);
  await db
    .insertInto('audit_log')
    .values({
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
    })
    .execute();
}
