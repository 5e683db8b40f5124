import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

export async function pingDatabase(db: Db): Promise<void> {
  await sql`select 1`.execute(db);
}
