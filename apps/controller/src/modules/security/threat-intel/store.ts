import type { ThreatFeed } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';

const ROWS_AT_ONCE = 20_000;
const FEED_COLUMNS = ['name', 'enabled', 'entry_count', 'sha256', 'uploaded_at', 'uploaded_by'] as const;

/** The owner of feeds: a project or (null) the installation. The scope of `db` must show them. */
export interface FeedPlace<D extends Db = Db> {
  readonly db: D;
  readonly project: string | null;
}

function toFeed({ uploaded_at, ...row }: Omit<ThreatFeed, 'uploaded_at'> & { uploaded_at: Date }): ThreatFeed {
  return { ...row, uploaded_at: uploaded_at.toISOString() };
}

/** A project that never had a feed has version 0. */
export async function findState({ db, project }: FeedPlace) {
  const state = await db
    .selectFrom('threat_intel')
    .select(['revision', 'updated_at', 'updated_by'])
    .where('project_id', 'is not distinct from', project)
    .executeTakeFirst();
  return {
    version: state?.revision ?? 0,
    updated_at: state?.updated_at?.toISOString() ?? null,
    updated_by: state?.updated_by ?? null,
  };
}

/** Locks against other writers and returns the version. */
export async function lockState({ db, project }: FeedPlace<Tx>): Promise<number> {
  await db
    .insertInto('threat_intel')
    .values({ project_id: project, updated_at: null, updated_by: null })
    .onConflict((conflict) => conflict.column('project_id').doNothing())
    .execute();
  const { revision } = await db
    .selectFrom('threat_intel')
    .select('revision')
    .where('project_id', 'is not distinct from', project)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return revision;
}

export async function noteChange({ db, project }: FeedPlace<Tx>, by: string, at: Date): Promise<void> {
  await db
    .updateTable('threat_intel')
    .set((eb) => ({ revision: eb('revision', '+', 1), updated_at: at, updated_by: by }))
    .where('project_id', 'is not distinct from', project)
    .execute();
}

/** By name. */
export async function listFeeds({ db, project }: FeedPlace): Promise<ThreatFeed[]> {
  const rows = await db
    .selectFrom('threat_feeds')
    .select(FEED_COLUMNS)
    .where('project_id', 'is not distinct from', project)
    .orderBy('name')
    .execute();
  return rows.map(toFeed);
}

export async function findFeed({ db, project }: FeedPlace, name: string): Promise<ThreatFeed | undefined> {
  const row = await db
    .selectFrom('threat_feeds')
    .select(FEED_COLUMNS)
    .where('project_id', 'is not distinct from', project)
    .where('name', '=', name)
    .executeTakeFirst();
  return row && toFeed(row);
}

/** Ordered by address, after the given one. */
export async function listEntries(
  { db, project }: FeedPlace,
  name: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('threat_entries')
    .select('network')
    .where('feed_id', 'in', (eb) =>
      eb
        .selectFrom('threat_feeds')
        .select('id')
        .where('project_id', 'is not distinct from', project)
        .where('name', '=', name),
    )
    .$if(after !== undefined, (query) => query.where('network', '>', after ?? ''))
    .orderBy('network')
    .limit(limit)
    .execute();
  return rows.map(({ network }) => network);
}

/** Replaces the feed with this name and keeps whether it is enabled. */
export async function replaceFeed(
  { db, project }: FeedPlace<Tx>,
  feed: Omit<ThreatFeed, 'enabled' | 'uploaded_at'> & { uploaded_at: Date },
  networks: ReadonlySet<string>,
): Promise<void> {
  const { id } = await db
    .insertInto('threat_feeds')
    .values({ ...feed, id: createId(feed.uploaded_at.getTime()), project_id: project, enabled: true })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(feed))
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.deleteFrom('threat_entries').where('feed_id', '=', id).execute();
  const all = [...networks];
  for (let at = 0; at < all.length; at += ROWS_AT_ONCE) {
    await sql`insert into threat_entries (feed_id, network)
      select ${id}::uuid, unnest(${all.slice(at, at + ROWS_AT_ONCE)}::cidr[])`.execute(db);
  }
}

export async function switchFeed({ db, project }: FeedPlace<Tx>, name: string, enabled: boolean): Promise<void> {
  await db
    .updateTable('threat_feeds')
    .set({ enabled })
    .where('project_id', 'is not distinct from', project)
    .where('name', '=', name)
    .execute();
}

export async function deleteFeeds({ db, project }: FeedPlace<Tx>, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await db
    .deleteFrom('threat_feeds')
    .where('project_id', 'is not distinct from', project)
    .where('name', 'in', names)
    .execute();
}
