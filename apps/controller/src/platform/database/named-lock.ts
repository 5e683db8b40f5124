import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';

/** Waits for the lock of this name, and holds it until the transaction ends. */
export async function takeLock(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}
