import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

export interface LeaseClaim {
  readonly name: string;
  readonly holder: string;
  readonly lifeMs: number;
}

/** Takes a lease that is free or over. Returns its fence; undefined where somebody holds it, or the holder is no controller any more. */
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

/** False: it is over, and may be somebody else's. One that is over is not brought back. */
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
 * Runs `work` in a transaction that commits only while the lease is held: until it ends nobody else can take it. A process
 * that stops in the middle is thrown out by the database before the lease would be over. Undefined: it is not held.
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
