import {
  FEEDS_MAX,
  fail,
  failSetting,
  type GivenThreatFeed,
  PROJECT_ENTRIES_MAX,
  PROJECT_FEEDS_MAX,
  type ThreatFeed,
  threatIntelRoutes,
} from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { actorName, type RequestContext } from '../../../platform/http/context.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { requireReadOnly } from '../../../platform/http/read-only.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { UploadSlots } from '../../../platform/http/upload-slots.ts';
import { tellSetting } from '../../../platform/settings/index.ts';
import { readFeed } from './feed-file.ts';
import {
  deleteFeeds,
  type FeedPlace,
  findFeed,
  findState,
  listEntries,
  listFeeds,
  lockState,
  noteChange,
  replaceFeed,
  switchFeed,
} from './store.ts';

/**
 * Threat feeds of the installation, and of projects with their own. `db` has the scope of everything: it reads the
 * installation's feeds for projects without their own.
 */
export function createThreatIntelRoutes({ db }: { readonly db: Db }): Route[] {
  const slots = new UploadSlots();
  return [
    implement(threatIntelRoutes.list, async (ctx) => {
      const own = ownPlace(ctx, ctx.db);
      const shown = await findShown(ctx, db);
      const state = await findState(own);
      const body = { ...state, project: shown.project, feeds: await listFeeds(shown) };
      // Inherited feeds change without a write to the project, so they have no ETag.
      return { body, ...(shown.project === own.project && { etag: state.version }) };
    }),
    implement(threatIntelRoutes.get, async (ctx, { params, query }) => {
      const own = ownPlace(ctx, ctx.db);
      const shown = await findShown(ctx, db);
      const feed = await requireFeed(shown, params.name);
      const entries = await listEntries(shown, feed.name, { after: query.cursor, limit: query.limit });
      const next_cursor = entries.length === query.limit ? (entries.at(-1) ?? null) : null;
      const body = { ...feed, project: shown.project, entries, next_cursor };
      return { body, ...(shown.project === own.project && { etag: (await findState(own)).version }) };
    }),
    serveUpload(slots),
    serveReplace(),
    implement(threatIntelRoutes.delete, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const place = await begin(ctx, tx);
        const feed = await requireFeed(place, params.name);
        await deleteFeeds(place, [feed.name]);
        await end(ctx, place);
        return {
          reply: {},
          audit: { type: 'threat_feed', name: feed.name, changes: { entry_count: [feed.entry_count, 0] } },
        };
      }),
    ),
  ];
}

function serveUpload(slots: UploadSlots): Route {
  return implement(threatIntelRoutes.upload, (ctx, { query: { name } }) =>
    slots.hold(ctx.scope?.id ?? null, async () => {
      const file = await readFeed(ctx.upload);
      if (file.networks.size === 0) throw failSetting('threat_feed.empty', {});
      return ctx.write(async (tx) => {
        const place = await begin(ctx, tx);
        const feeds = await listFeeds(place);
        const before = feeds.find((feed) => feed.name === name);
        const [entry_count, by] = [file.networks.size, actorName(ctx)];
        requireSpace(
          place,
          feeds.filter((feed) => feed !== before),
          entry_count,
        );
        await replaceFeed(
          place,
          { name, entry_count, sha256: file.sha256, uploaded_at: ctx.now, uploaded_by: by },
          file.networks,
        );
        await end(ctx, place);
        const feed = await requireFeed(place, name);
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
  );
}

function serveReplace(): Route {
  return implement(threatIntelRoutes.replace, (ctx, { body }) =>
    ctx.write(async (tx) => {
      const place = await begin(ctx, tx);
      const before = await listFeeds(place);
      requireAsStored(before, body.feeds);
      const wanted = new Map(body.feeds.map(({ name, enabled }) => [name, enabled]));
      const gone = before.filter(({ name }) => !wanted.has(name)).map(({ name }) => name);
      const switched = before.filter(({ name, enabled }) => (wanted.get(name) ?? enabled) !== enabled);
      await deleteFeeds(place, gone);
      for (const { name, enabled } of switched) await switchFeed(place, name, !enabled);
      const isUnchanged = gone.length === 0 && switched.length === 0;
      if (!isUnchanged) await end(ctx, place);
      const state = await findState(place);
      const after = { ...state, project: place.project, feeds: await listFeeds(place) };
      return {
        reply: { body: after, etag: after.version },
        audit: { type: 'threat_intel', changes: { enabled: Object.fromEntries(wanted), deleted: gone } },
        isUnchanged,
      };
    }),
  );
}

function ownPlace<D extends Db>(ctx: RequestContext, db: D): FeedPlace<D> {
  return { db, project: ctx.scope?.id ?? null };
}

/** The feeds that apply: the project's, or the installation's if the project has none. */
async function findShown(ctx: RequestContext, db: Db): Promise<FeedPlace> {
  const own = ownPlace(ctx, ctx.db);
  const isOwn = own.project === null || (await listFeeds(own)).length > 0;
  return isOwn ? own : { db, project: null };
}

/** `others`: the feeds besides the uploaded one. */
function requireSpace({ project }: FeedPlace, others: readonly ThreatFeed[], entries: number): void {
  const max = project === null ? FEEDS_MAX : PROJECT_FEEDS_MAX;
  if (others.length >= max) throw failSetting('threat_feed.too_many_feeds', { max });
  const all = others.reduce((sum, { entry_count }) => sum + entry_count, entries);
  if (project !== null && all > PROJECT_ENTRIES_MAX)
    throw failSetting('threat_feed.too_many_entries', { max: PROJECT_ENTRIES_MAX });
}

/** Feeds may be sent back as they were read; the properties of their files must be unchanged. */
function requireAsStored(before: readonly ThreatFeed[], given: readonly GivenThreatFeed[]): void {
  given.forEach((feed, i) => {
    const stored = before.find(({ name }) => name === feed.name);
    if (!stored) throw fail('record.not_found', { kind: 'threat feed', name: feed.name });
    requireReadOnly(feed, { ...stored, enabled: feed.enabled }, `feeds[${i}].`);
  });
}

async function requireFeed(place: FeedPlace, name: string) {
  const feed = await findFeed(place, name);
  if (!feed) throw fail('record.not_found', { kind: 'threat feed', name });
  return feed;
}

async function begin(ctx: RequestContext, tx: Tx): Promise<FeedPlace<Tx>> {
  const place = ownPlace(ctx, tx);
  requireMatch(ctx, 'threat intel', await lockState(place));
  return place;
}

async function end(ctx: RequestContext, place: FeedPlace<Tx>): Promise<void> {
  await noteChange(place, actorName(ctx), ctx.now);
  await tellSetting(place.db, { key: 'threat_intel', name: '', project: place.project }, ctx.now);
}
