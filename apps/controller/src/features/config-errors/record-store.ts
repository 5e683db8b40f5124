import type { ConfigErrorsTable, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';

/** Whose complaints: one source about one node. */
export interface ComplaintScope {
  readonly projectId: string;
  readonly serviceId: string;
  readonly clientId: string;
  readonly nodeId: string;
  readonly source: ConfigErrorsTable['source'];
}

export interface Complaint {
  readonly resourceType: string;
  readonly resourceName: string;
  readonly severity: ConfigErrorsTable['severity'];
  /** For people. */
  readonly message: string;
  readonly rawMessage: string;
  /** True: it has been said before and nothing was tried since, so it does not count as one more occurrence. */
  readonly isRepeated?: boolean;
}

/** What is on record of one source about one node. */
export function listKnown(tx: Tx, scope: ComplaintScope) {
  return tx
    .selectFrom('config_errors')
    .select(['id', 'resource_type', 'resource_name', 'raw_message', 'status'])
    .where('service_id', '=', scope.serviceId)
    .where('node_id', '=', scope.nodeId)
    .where('source', '=', scope.source)
    .execute();
}

/** Resolved by the system: they are not said any more. */
export async function settle(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  await tx
    .updateTable('config_errors')
    .set({ status: 'resolved', resolved_at: now, resolved_by: 'system' })
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute();
}

/** Removes so many of the resolved ones, the oldest first. */
export async function dropOldest(tx: Tx, scope: ComplaintScope, count: number): Promise<void> {
  await sql`
    delete from config_errors where id in (
      select id from config_errors
      where service_id = ${scope.serviceId} and node_id = ${scope.nodeId} and source = ${scope.source}
        and status = 'resolved'
      order by last_seen, id limit ${count})`.execute(tx);
}

/** A new record, or one more occurrence of the one with the same words. */
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
    })
    .onConflict((conflict) =>
      conflict
        .expression(sql`service_id, node_id, source, resource_type, resource_name, md5(raw_message)`)
        .doUpdateSet({
          severity: complaint.severity,
          message: complaint.message,
          last_seen: now,
          occurrences: sql<number>`config_errors.occurrences + 1`,
          status: 'active',
          resolved_at: null,
          resolved_by: null,
        }),
    )
    .execute();
}

/** Everything about a node is over: the service has left the client. */
export async function resolveNode(tx: Tx, key: { serviceId: string; clientId: string }, now: Date): Promise<void> {
  await tx
    .updateTable('config_errors')
    .set({ status: 'resolved', resolved_at: now, resolved_by: 'system' })
    .where('service_id', '=', key.serviceId)
    .where('client_id', '=', key.clientId)
    .where('status', '=', 'active')
    .execute();
}
