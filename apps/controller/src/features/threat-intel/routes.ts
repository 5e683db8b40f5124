import { fail, failSetting, type GivenThreatFeed, type ThreatFeed, threatIntelRoutes } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { actorName, type RequestContext } from '../../http/context.ts';
import { requireMatch } from '../../http/etag.ts';
import { requireReadOnly } from '../../http/read-only.ts';
import { implement, type Route } from '../../http/route.ts';
import { tellSetting } from '../settings/index.ts';
import { readFeed } from './feed-file.ts';
import {
  deleteFeeds,
  findFeed,
  findState,
  listEntries,
  listFeeds,
  lockState,
  noteChange,
  replaceFeed,
  switchFeed,
} from './store.ts';

/** Feeds of addresses that attacks come from: of the whole installation, and its owners' to change. */
export function createThreatIntelRoutes(): Route[] {
  return [
    implement(threatIntelRoutes.list, async ({ db }) => {
      const body = await show(db);
      return { body, etag: body.version };
    }),
    implement(threatIntelRoutes.get, async ({ db }, { params, query }) => {
      const feed = await requireFeed(db, params.name);
      const entries = await listEntries(db, feed.name, { after: query.cursor, limit: query.limit });
      const next_cursor = entries.length === query.limit ? (entries.at(-1) ?? null) : null;
      return { body: { ...feed, entries, next_cursor }, etag: (await findState(db)).version };
    }),
    implement(threatIntelRoutes.upload, async (ctx, { query }) => {
      const file = await readFeed(ctx.upload);
      if (file.networks.size === 0) throw failSetting('threat_feed.empty', {});
      return ctx.write(async (tx) => {
        await begin(ctx, tx);
        const before = await findFeed(tx, query.name);
        const [entry_count, by] = [file.networks.size, actorName(ctx)];
        const { name } = query;
        await replaceFeed(
          tx,
          { name, entry_count, sha256: file.sha256, uploaded_at: ctx.now, uploaded_by: by },
          file.networks,
        );
        await end(ctx, tx);
        const feed = await requireFeed(tx, name);
        return {
          reply: { body: { feed, added: entry_count, skipped: file.skipped, skipped_lines: file.skippedLines } },
          audit: {
            type: 'threat_feed',
            name,
            changes: { entry_count: [before?.entry_count ?? 0, entry_count], sha256: file.sha256 },
          },
        };
      });
    }),
    implement(threatIntelRoutes.replace, (ctx, { body }) =>
      ctx.write(async (tx) => {
        await begin(ctx, tx);
        const before = await listFeeds(tx);
        requireAsStored(before, body.feeds);
        const wanted = new Map(body.feeds.map(({ name, enabled }) => [name, enabled]));
        const gone = before.filter(({ name }) => !wanted.has(name)).map(({ name }) => name);
        const switched = before.filter(({ name, enabled }) => (wanted.get(name) ?? enabled) !== enabled);
        await deleteFeeds(tx, gone);
        for (const { name, enabled } of switched) await switchFeed(tx, name, !enabled);
        const isUnchanged = gone.length === 0 && switched.length === 0;
        if (!isUnchanged) await end(ctx, tx);
        const after = await show(tx);
        return {
          reply: { body: after, etag: after.version },
          audit: { type: 'threat_intel', changes: { enabled: Object.fromEntries(wanted), deleted: gone } },
          isUnchanged,
        };
      }),
    ),
    implement(threatIntelRoutes.delete, (ctx, { params }) =>
      ctx.write(async (tx) => {
        await begin(ctx, tx);
        const feed = await requireFeed(tx, params.name);
        await deleteFeeds(tx, [feed.name]);
        await end(ctx, tx);
        return {
          reply: {},
          audit: { type: 'threat_feed', name: feed.name, changes: { entry_count: [feed.entry_count, 0] } },
        };
      }),
    ),
  ];
}

/** Feeds may be sent as they were read: what their files say of them is not written here. */
function requireAsStored(before: readonly ThreatFeed[], given: readonly GivenThreatFeed[]): void {
  given.forEach((feed, i) => {
    const stored = before.find(({ name }) => name === feed.name);
    if (!stored) throw fail('record.not_found', { kind: 'threat feed', name: feed.name });
    requireReadOnly(feed, { ...stored, enabled: feed.enabled }, `feeds[${i}].`);
  });
}

async function show(db: Db) {
  return { ...(await findState(db)), feeds: await listFeeds(db) };
}

async function requireFeed(db: Db, name: string) {
  const feed = await findFeed(db, name);
  if (!feed) throw fail('record.not_found', { kind: 'threat feed', name });
  return feed;
}

async function begin(ctx: RequestContext, tx: Tx): Promise<void> {
  requireMatch(ctx, 'threat intel', await lockState(tx));
}

async function end(ctx: RequestContext, tx: Tx): Promise<void> {
  await noteChange(tx, actorName(ctx), ctx.now);
  await tellSetting(tx, { key: 'threat_intel', name: '', project: null }, ctx.now);
}
