import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

export interface LeaseClaim {
  readonly name: string;
  readonly holder: string;
  readonly lifeMs: number;
}

/**
 * Acquires a free or expired lease and returns its fence; undefined if somebody holds it or the holder is not a
 * controller any more.
 */
export async function takeLease(db: Db, { name, holder, lifeMs }: LeaseClaim): Promise<number | undefined> {
  const until = sql<Date>`clock_timestamp() + ${lifeMs}::int * interval '1 ms'`;
  const { rows } = await sql<{ fence: number }>`
    insert into leases (name, holder, acquired_at, until)
    select ${name}, id, clock_timestamp(), ${until} from controllers where id = ${holder}
    on conflict (name) do update set holder = excluded.holder, fence = nextval('lease_fences'),
      acquired_at = clock_timestamp(), until = ${until}
    where leases.until < clock_timestamp()
    returning fence`.execute(db);
  return rows[0]?.fence;
}

/** False: the lease has expired and may belong to somebody else. An expired lease is not revived. */
export async function renewLease(db: Db, { name, fence, lifeMs }: Omit<LeaseClaim, 'holder'> & { fence: number }) {
  const { rows } = await sql`
    update leases set until = clock_timestamp() + ${lifeMs}::int * interval '1 ms'
    where name = ${name} and fence = ${fence} and until > clock_timestamp() returning fence`.execute(db);
  return rows.length > 0;
}

export async function dropLease(db: Db, name: string, fence: number): Promise<void> {
  await db.deleteFrom('leases').where('name', '=', name).where('fence', '=', fence).execute();
}

/**
 * Runs `work` in a transaction that commits only while the lease is held: until it ends nobody else can acquire the
 * lease. The database terminates a transaction of a stalled process before the lease would end. undefined: the lease is
 * not held.
 */
export function whileLeased<T>(
  db: Db,
  { name, fence, lifeMs }: Omit<LeaseClaim, 'holder'> & { readonly fence: number },
  work: (tx: Tx) => Promise<T>,
): Promise<T | undefined> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      with held as (
        update leases set until = clock_timestamp() + ${lifeMs}::int * interval '1 ms'
        where name = ${name} and fence = ${fence} and until > clock_timestamp() returning fence
      )
      select set_config('idle_in_transaction_session_timeout', ${String(Math.ceil(lifeMs * 0.6))}, true) from held`.execute(
      tx,
    );
    return rows.length === 0 ? undefined : work(tx);
  });
}
