import type { Db } from '@flotilla/db';

/** The feeds that apply to a project and are switched on: its own, or the installation's if it has none. The scope of `db` must show both. */
export async function listThreatFeeds(db: Db, project: string): Promise<{ id: string; digest: string }[]> {
  const rows = await db
    .selectFrom('threat_feeds')
    .select(['id', 'sha256', 'enabled', 'project_id'])
    .where((eb) => eb.or([eb('project_id', '=', project), eb('project_id', 'is', null)]))
    .orderBy('name')
    .execute();
  const own = rows.filter(({ project_id }) => project_id !== null);
  const applying = own.length > 0 ? own : rows;
  return applying.filter(({ enabled }) => enabled).map(({ id, sha256 }) => ({ id, digest: sha256 }));
}

/** Ordered by address, after the given one. */
export async function listFeedNetworks(
  db: Db,
  feed: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('threat_entries')
    .select('network')
    .where('feed_id', '=', feed)
    .$if(after !== undefined, (query) => query.where('network', '>', after ?? ''))
    .orderBy('network')
    .limit(limit)
    .execute();
  return rows.map(({ network }) => network);
}
