import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';

/** The place of a batch in the stream of its sender. */
export interface BatchPlace {
  readonly projectId: string;
  readonly clientId: string;
  readonly serviceId: string;
  readonly epoch: string;
  readonly sequence: number;
}

interface Gap {
  readonly project_id: string;
  readonly service_id: string;
  readonly client_id: string;
  readonly batches: number;
}

const senderOf = ({ clientId, serviceId, epoch }: BatchPlace) => JSON.stringify([clientId, serviceId, epoch]);

/**
 * Marks batches as stored, in their order. Returns those that are new. Numbers that a sender skipped are counted as gaps: those batches were dropped
 * and never arrive. The caller holds the locks of the projects.
 */
export async function markBatches<Batch extends BatchPlace>(
  tx: Tx,
  batches: readonly Batch[],
  now: Date,
): Promise<ReadonlySet<Batch>> {
  const marks = await readMarks(tx, batches);
  const fresh = new Set<Batch>();
  const gaps = new Map<string, Gap>();
  const changed = new Map<string, BatchPlace>();
  for (const batch of batches) {
    const sender = senderOf(batch);
    // An epoch begins with 0 or 1.
    const mark = marks.get(sender) ?? 0;
    if (marks.has(sender) && batch.sequence <= mark) continue;
    const skipped = batch.sequence - mark - 1;
    if (skipped > 0) {
      const place = JSON.stringify([batch.projectId, batch.serviceId, batch.clientId]);
      const gap = { project_id: batch.projectId, service_id: batch.serviceId, client_id: batch.clientId };
      gaps.set(place, { ...gap, batches: (gaps.get(place)?.batches ?? 0) + skipped });
    }
    marks.set(sender, batch.sequence);
    changed.set(sender, batch);
    fresh.add(batch);
  }
  await storeMarks(tx, [...changed.values()], now);
  await storeGaps(tx, [...gaps.values()], now);
  return fresh;
}

async function readMarks(tx: Tx, batches: readonly BatchPlace[]): Promise<Map<string, number>> {
  const asked = new Map(
    batches.map((batch) => [
      senderOf(batch),
      { client_id: batch.clientId, service_id: batch.serviceId, epoch: batch.epoch },
    ]),
  );
  const { rows } = await sql<{ client_id: string; service_id: string; epoch: string; sequence: number }>`
    select m.client_id, m.service_id, m.epoch, m.sequence
    from jsonb_to_recordset(${JSON.stringify([...asked.values()])}::jsonb) as a(client_id uuid, service_id uuid, epoch text)
    join inventory_marks m using (client_id, service_id, epoch)`.execute(tx);
  return new Map(rows.map((row) => [JSON.stringify([row.client_id, row.service_id, row.epoch]), row.sequence]));
}

async function storeMarks(tx: Tx, places: readonly BatchPlace[], now: Date): Promise<void> {
  if (places.length === 0) return;
  const rows = places.map((place) => ({
    project_id: place.projectId,
    client_id: place.clientId,
    service_id: place.serviceId,
    epoch: place.epoch,
    sequence: place.sequence,
  }));
  await sql`
    insert into inventory_marks (project_id, client_id, service_id, epoch, sequence, seen_at)
    select project_id, client_id, service_id, epoch, sequence, ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r(project_id uuid, client_id uuid, service_id uuid, epoch text, sequence bigint)
    on conflict (client_id, service_id, epoch) do update set sequence = excluded.sequence, seen_at = excluded.seen_at`.execute(
    tx,
  );
}

async function storeGaps(tx: Tx, gaps: readonly Gap[], now: Date): Promise<void> {
  if (gaps.length === 0) return;
  await sql`
    insert into inventory_gaps (project_id, minute, service_id, client_id, batches)
    select project_id, date_trunc('minute', ${now}::timestamptz), service_id, client_id, batches
    from jsonb_to_recordset(${JSON.stringify(gaps)}::jsonb)
      as r(project_id uuid, service_id uuid, client_id uuid, batches bigint)
    on conflict (project_id, minute, service_id, client_id)
      do update set batches = inventory_gaps.batches + excluded.batches`.execute(tx);
}
