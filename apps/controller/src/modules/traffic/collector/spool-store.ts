import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

export interface SpoolSums {
  readonly batches: number;
  readonly bytes: number;
  readonly dropped: number;
  /** Since the oldest batch was written; 0: none waits. */
  readonly oldestS: number;
}

/** Sums over all hosts, as they reported them last. */
export async function sumSpools(db: Db): Promise<SpoolSums> {
  const { rows } = await sql<SpoolSums>`
    select coalesce(sum(spool.batches), 0)::float8 as batches, coalesce(sum(spool.bytes), 0)::float8 as bytes,
      coalesce(sum(spool.dropped_batches), 0)::float8 as dropped,
      greatest(0, coalesce(extract(epoch from now() - min(spool.oldest_at)), 0))::float8 as "oldestS"
    from client_stats cross join lateral jsonb_to_recordset(client_stats.stats -> 'log_spools')
      as spool(batches bigint, bytes bigint, oldest_at timestamptz, dropped_batches bigint)`.execute(db);
  return rows[0] ?? { batches: 0, bytes: 0, dropped: 0, oldestS: 0 };
}
