import type { Tx } from '@flotilla/db';
import { suggestFix } from './explain.ts';
import { type Complaint, type ComplaintScope, dropOldest, listKnown, raise, settle } from './record-store.ts';

const RAW_MAX = 8192;
/** Maximum number of complaints per report of one node. */
const COMPLAINTS_MAX = 200;
/** Maximum number of stored errors per source and node; the oldest resolved ones are deleted first. */
const KEPT_MAX = 500;

/**
 * Replaces the complaints of a source about a node. New and repeated complaints become active; those not reported any
 * more are resolved, unless `isOpen` says that the result for the resource is not known yet.
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
  const known = await listKnown(tx, scope);
  const keyOf = (type: string, name: string, raw: string) => JSON.stringify([type, name, raw]);
  const made = new Set(complaints.map((one) => keyOf(one.resourceType, one.resourceName, one.rawMessage)));
  const settled = known.filter(
    (row) =>
      row.status === 'active' &&
      !made.has(keyOf(row.resource_type, row.resource_name, row.raw_message)) &&
      !isOpen?.({ type: row.resource_type, name: row.resource_name }),
  );
  if (settled.length > 0) {
    await settle(
      tx,
      settled.map(({ id }) => id),
      now,
    );
  }
  const knownKeys = new Set(known.map((row) => keyOf(row.resource_type, row.resource_name, row.raw_message)));
  for (const complaint of complaints) {
    const isKnown = knownKeys.has(keyOf(complaint.resourceType, complaint.resourceName, complaint.rawMessage));
    // An error that a person has resolved stays resolved until the resource is tried and refused again.
    if (isKnown && complaint.isRepeated) continue;
    await raise(tx, scope, { ...complaint, suggestedFix: suggestFix(complaint.rawMessage) }, now);
  }
  if (known.length > KEPT_MAX) await dropOldest(tx, scope, known.length - KEPT_MAX);
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
