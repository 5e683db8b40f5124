import { sql } from 'kysely';
import type { Tx } from './database.ts';

/** NOTIFY channel of the outbox; the payload is the topic. */
export const OUTBOX_CHANNEL = 'outbox';
/** Topic of the events that the triggers write: `{ topic, project, ...ids }`, as people receive them. */
export const LIVE_TOPIC = 'live.changed';

/**
 * Publishes a change to every controller, as part of its transaction: it is delivered if and only if the transaction
 * commits.
 */
export async function publish(tx: Tx, topic: string, payload: Record<string, unknown>, at: Date): Promise<void> {
  // The transaction must have its id before it takes a number of the outbox: readers use it to decide whether a skipped
  // number may still appear.
  await sql`select pg_current_xact_id(), pg_notify(${OUTBOX_CHANNEL}, ${topic})`.execute(tx);
  await tx
    .insertInto('outbox')
    .values({ topic, payload: JSON.stringify(payload), at })
    .execute();
}
