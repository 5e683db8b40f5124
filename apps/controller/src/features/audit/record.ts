import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { type Actor, type ClientActor, describeActor } from '../../http/actor.ts';
import type { AuditSubject } from '../../http/context.ts';

/** Who has something done that no request of theirs is about any more; `system`: the program itself, where nobody asked. */
export interface NamedActor {
  readonly kind: 'user' | 'token' | 'system';
  readonly id: string | null;
  readonly name: string;
}

/** One line of the audit log before it has an id. */
export interface AuditEntry {
  readonly at: Date;
  readonly actor: Actor | ClientActor | NamedActor;
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

/** Writes one entry, in the transaction of the write it tells of. */
export async function recordAudit(db: Db | Tx, entry: AuditEntry): Promise<void> {
  await recordAll(db, [entry]);
}

/** At most 1,000 at once: a statement takes 65,535 values. */
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
