import type { ConfigErrorCode } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import type { ConfigErrorsTable } from './tables.ts';

/** The scope of complaints: one source about one node. */
export interface ComplaintScope {
  readonly projectId: string;
  readonly serviceId: string;
  readonly clientId: string;
  readonly nodeId: string;
  readonly source: ConfigErrorsTable['source'];
}

export interface Complaint {
  readonly code: ConfigErrorCode;
  readonly resourceType: string;
  readonly resourceName: string;
  readonly severity: ConfigErrorsTable['severity'];
  /** Readable for people. */
  readonly message: string;
  readonly rawMessage: string;
  /** True if it was already reported and nothing was tried since, so it is not a new occurrence. */
  readonly isRepeated?: boolean;
}

/** The stored errors of one source about one node. */
export function listKnown(tx: Tx, scope: ComplaintScope) {
  return tx
    .selectFrom('config_errors')
    .select(['id', 'resource_type', 'resource_name', 'raw_message', 'status'])
    .where('service_id', '=', scope.serviceId)
    .where('node_id', '=', scope.nodeId)
    .where('source', '=', scope.source)
    .execute();
}

/** Marks errors as resolved by the system, because they are not reported any more. */
export async function settle(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  await tx
    .updateTable('config_errors')
    .set({ status: 'resolved', resolved_at: now, resolved_by: 'system' })
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
}

/** Deletes the oldest resolved errors. */
export async function dropOldest(tx: Tx, scope: ComplaintScope, count: number): Promise<void> {
  await sql`
    delete from config_errors where id in (
      select id from config_errors
      where service_id = ${scope.serviceId} and node_id = ${scope.nodeId} and source = ${scope.source}
        and status = 'resolved'
      order by last_seen, id limit ${count})`.execute(tx);
}

/** Inserts an error, or adds an occurrence to the one with the same message. */
export async function raise(
  tx: Tx,
  scope: ComplaintScope,
  complaint: Complaint & { readonly suggestedFix: string | null },
  now: Date,
): Promise<void> {
  await tx
    .insertInto('config_errors')
    .values({
      id: createId(now.getTime()),
      project_id: scope.projectId,
      service_id: scope.serviceId,
      client_id: scope.clientId,
      node_id: scope.nodeId,
      source: scope.source,
      code: complaint.code,
      severity: complaint.severity,
      resource_type: complaint.resourceType,
      resource_name: complaint.resourceName,
      message: complaint.message,
      raw_message: complaint.rawMessage,
      suggested_fix: complaint.suggestedFix,
      status: 'active',
      first_seen: now,
      last_seen: now,
      occurrences: 1,
      resolved_by: null,
      active_since: now,
    })
    .onConflict((conflict) =>
      conflict
        .expression(sql`service_id, node_id, source, resource_type, resource_name, md5(raw_message)`)
        .doUpdateSet({
          code: complaint.code,
          severity: complaint.severity,
          message: complaint.message,
          last_seen: now,
          occurrences: sql<number>`config_errors.occurrences + 1`,
          active_since: sql<Date>`case when config_errors.status = 'active'
            then coalesce(config_errors.active_since, config_errors.first_seen) else excluded.active_since end`,
          status: 'active',
          resolved_at: null,
          resolved_by: null,
        }),
    )
    .execute();
}

/** Resolves all errors of a node, because the service has left the client. */
export async function resolveNode(tx: Tx, key: { serviceId: string; clientId: string }, now: Date): Promise<void> {
  await tx
    .updateTable('config_errors')
    .set({ status: 'resolved', resolved_at: now, resolved_by: 'system' })
    .where('service_id', '=', key.serviceId)
    .where('client_id', '=', key.clientId)
    .where('status', '=', 'active')
    .execute();
}
