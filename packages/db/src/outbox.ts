import { sql } from 'kysely';
import type { Tx } from './database.ts';

/** NOTIFY channel of the outbox; the payload is the topic. */
export const OUTBOX_CHANNEL = 'outbox';
/** Topic of what the triggers write: `{ topic, project, ...ids }`, the event as people hear it. */
export const LIVE_TOPIC = 'live.changed';

/**
 * Tells every controller of a change, as part of the transaction that makes it: it is heard if and only if the
 * transaction commits.
 */
export async function publish(tx: Tx, topic: string, payload: Record<string, unknown>, at: Date): Promise<void> {
  // The transaction has its own number before it takes one of the outbox: readers tell by it whether a skipped one may still come.
  await sql`select pg_current_xact_id(), pg_notify(${OUTBOX_CHANNEL}, ${topic})`.execute(tx);
  await tx
    .insertInto('outbox')
    .values({ topic, payload: JSON.stringify(payload), at })
    .execute();
}
