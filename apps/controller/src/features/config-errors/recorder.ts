import type { ConfigErrorsTable, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { suggestFix } from './explain.ts';

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

const RAW_MAX = 8192;
/** More complaints of one node are not told one by one. */
const COMPLAINTS_MAX = 200;
/** So many records of one source about one node are kept; beyond, resolved ones go, the oldest first. */
const KEPT_MAX = 500;

/**
 * Replaces what a source says of a node. Complaints that are new or occur again are active; those that are no longer made
 * are resolved, unless `isOpen` says that nothing has been decided on the resource yet.
 */
export async function recordComplaints(
  tx: Tx,
  scope: ComplaintScope,
  report: {
    readonly complaints: readonly Complaint[];
    readonly isOpen?: (resource: { type: string; name: string }) => boolean;
    readonly now: Date;
  },
): Promise<void> {
  const { now, isOpen } = report;
  const complaints = report.complaints.slice(0, COMPLAINTS_MAX).map(clean);
  const known = await tx
    .selectFrom('config_errors')
    .select(['id', 'resource_type', 'resource_name', 'raw_message', 'status'])
    .where('service_id', '=', scope.serviceId)
    .where('node_id', '=', scope.nodeId)
    .where('source', '=', scope.source)
    .execute();
  const keyOf = (type: string, name: string, raw: string) => JSON.stringify([type, name, raw]);
  const made = new Set(complaints.map((one) => keyOf(one.resourceType, one.resourceName, one.rawMessage)));
  const settled = known.filter(
    (row) =>
      row.status === 'active' &&
      !made.has(keyOf(row.resource_type, row.resource_name, row.raw_message)) &&
      !isOpen?.({ type: row.resource_type, name: row.resource_name }),
  );
  if (settled.length > 0) {
    await tx
      .updateTable('config_errors')
      .set({ status: 'resolved', resolved_at: now, resolved_by: 'system' })
      .where(sql<boolean>`id = any(${settled.map(({ id }) => id)}::uuid[])`)
      .execute();
  }
  const knownKeys = new Set(known.map((row) => keyOf(row.resource_type, row.resource_name, row.raw_message)));
  for (const complaint of complaints) {
    const isKnown = knownKeys.has(keyOf(complaint.resourceType, complaint.resourceName, complaint.rawMessage));
    // What a person has marked as handled stays so until it is tried and refused again.
    if (isKnown && complaint.isRepeated) continue;
    await raise(tx, scope, complaint, now);
  }
  if (known.length > KEPT_MAX) await dropOldest(tx, scope, known.length - KEPT_MAX);
}

async function dropOldest(tx: Tx, scope: ComplaintScope, count: number): Promise<void> {
  await sql`
    delete from config_errors where id in (
      select id from config_errors
      where service_id = ${scope.serviceId} and node_id = ${scope.nodeId} and source = ${scope.source}
        and status = 'resolved'
      order by last_seen, id limit ${count})`.execute(tx);
}

async function raise(tx: Tx, scope: ComplaintScope, complaint: Complaint, now: Date): Promise<void> {
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
      suggested_fix: suggestFix(complaint.rawMessage),
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

function clean(complaint: Complaint): Complaint {
  const text = (value: string) => value.replaceAll('\u0000', '').slice(0, RAW_MAX).toWellFormed();
  return {
    ...complaint,
    resourceType: text(complaint.resourceType),
    resourceName: text(complaint.resourceName),
    message: text(complaint.message),
    rawMessage: text(complaint.rawMessage),
  };
}
