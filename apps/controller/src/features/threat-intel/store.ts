import type { ThreatFeed } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

const ROWS_AT_ONCE = 20_000;

function toFeed({ uploaded_at, ...row }: Omit<ThreatFeed, 'uploaded_at'> & { uploaded_at: Date }): ThreatFeed {
  return { ...row, uploaded_at: uploaded_at.toISOString() };
}

export async function findState(db: Db) {
  const { revision, updated_at, updated_by } = await db
    .selectFrom('threat_intel')
    .select(['revision', 'updated_at', 'updated_by'])
    .executeTakeFirstOrThrow();
  return { version: revision, updated_at: updated_at?.toISOString() ?? null, updated_by };
}

/** One writer at a time. */
export async function lockState(tx: Tx): Promise<number> {
  const { revision } = await tx.selectFrom('threat_intel').select('revision').forUpdate().executeTakeFirstOrThrow();
  return revision;
}

export async function noteChange(tx: Tx, by: string, at: Date): Promise<void> {
  await tx
    .updateTable('threat_intel')
    .set((eb) => ({ revision: eb('revision', '+', 1), updated_at: at, updated_by: by }))
    .execute();
}

export async function listFeeds(db: Db): Promise<ThreatFeed[]> {
  const rows = await db.selectFrom('threat_feeds').selectAll().orderBy('name').execute();
  return rows.map(toFeed);
}

export async function findFeed(db: Db, name: string): Promise<ThreatFeed | undefined> {
  const row = await db.selectFrom('threat_feeds').selectAll().where('name', '=', name).executeTakeFirst();
  return row && toFeed(row);
}

/** In the order of addresses, after the one that is named. */
export async function listEntries(
  db: Db,
  name: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('threat_entries')
    .select('network')
    .where('feed', '=', name)
    .$if(after !== undefined, (query) => query.where('network', '>', after ?? ''))
    .orderBy('network')
    .limit(limit)
    .execute();
  return rows.map(({ network }) => network);
}

/** Puts the feed in the place of the one of its name; whether that is switched on stays. */
export async function replaceFeed(
  tx: Tx,
  feed: Omit<ThreatFeed, 'enabled' | 'uploaded_at'> & { uploaded_at: Date },
  networks: ReadonlySet<string>,
): Promise<void> {
  await tx
    .insertInto('threat_feeds')
    .values({ ...feed, enabled: true })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(feed))
    .execute();
  await tx.deleteFrom('threat_entries').where('feed', '=', feed.name).execute();
  const all = [...networks];
  for (let at = 0; at < all.length; at += ROWS_AT_ONCE) {
    await sql`insert into threat_entries (feed, network)
      select ${feed.name}, unnest(${all.slice(at, at + ROWS_AT_ONCE)}::cidr[])`.execute(tx);
  }
}

export async function switchFeed(tx: Tx, name: string, enabled: boolean): Promise<void> {
  await tx.updateTable('threat_feeds').set({ enabled }).where('name', '=', name).execute();
}

export async function deleteFeeds(tx: Tx, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await tx.deleteFrom('threat_feeds').where('name', 'in', names).execute();
}
