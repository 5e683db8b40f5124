import type { Buffer } from 'node:buffer';
import { fail, GEOIP_KINDS, type GeoipKind, geoipRoutes } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { actorName, type Reply, type RequestContext } from '../../http/context.ts';
import { implement, type Route } from '../../http/route.ts';
import { REQUEST_MAX_MS } from '../../http/slow-requests.ts';
import { tellSetting } from '../settings/index.ts';
import { download } from './download.ts';
import { dropAbandoned, dropFile, dropParts, findFile, listFiles, placeFile } from './store.ts';
import { takeFile } from './upload.ts';

/** An upload that has not come to its end by then has ended with its controller. */
const ABANDONED_AFTER_MS = 2 * REQUEST_MAX_MS;

/** Databases that say where an address is: of the whole installation, and its owners' to change. `db` outside of requests. */
export function createGeoipRoutes({ db }: { db: Db }): Route[] {
  return [
    implement(geoipRoutes.list, async (ctx) => {
      const files = await listFiles(ctx.db);
      const databases = GEOIP_KINDS.map((kind) => files.find((file) => file.kind === kind) ?? { kind, present: false });
      return { body: { databases } };
    }),
    implement(geoipRoutes.upload, (ctx, { query: { kind } }) =>
      replace(db, ctx, { kind, source: 'upload', chunks: ctx.upload }),
    ),
    implement(geoipRoutes.download, (ctx, { body: { kind, url, sha256 } }) => {
      const { origin, pathname } = new URL(url);
      return replace(db, ctx, {
        kind,
        source: 'download',
        from: `${origin}${pathname}`,
        chunks: download({ url, sha256 }),
      });
    }),
    implement(geoipRoutes.delete, (ctx, { params: { kind } }) =>
      ctx.write(async (tx) => {
        const before = await findFile(tx, kind);
        if (!before) throw fail('record.not_found', { kind: 'geoip', name: kind });
        await dropFile(tx, kind);
        await tell(ctx, tx);
        return {
          reply: {},
          audit: { type: 'geoip', name: kind, changes: { sha256: [before.sha256, null] } },
        };
      }),
    ),
  ];
}

interface Coming {
  readonly kind: GeoipKind;
  readonly source: 'upload' | 'download';
  /** Where it was fetched, without what may be a key. */
  readonly from?: string;
  readonly chunks: AsyncIterable<Buffer>;
}

async function replace(db: Db, ctx: RequestContext, { kind, source, from, chunks }: Coming): Promise<Reply> {
  await dropAbandoned(db, new Date(ctx.now.getTime() - ABANDONED_AFTER_MS));
  const uploadId = createId(ctx.now.getTime());
  let isPlaced = false;
  try {
    // Before the transaction: it does not last as long as somebody's slow line.
    const { size, sha256, metadata } = await takeFile(db, { uploadId, kind, begunAt: ctx.now }, chunks);
    return await ctx.write(async (tx) => {
      const before = await findFile(tx, kind);
      await placeFile(tx, {
        kind,
        uploadId,
        size,
        sha256,
        databaseType: metadata.databaseType,
        builtAt: metadata.builtAt,
        source,
        by: actorName(ctx),
        at: ctx.now,
      });
      await tell(ctx, tx);
      ctx.afterCommit(() => {
        isPlaced = true;
      });
      const changes = { sha256: [before?.sha256 ?? null, sha256], ...(from !== undefined && { from }) };
      return { reply: { body: await findFile(tx, kind) }, audit: { type: 'geoip', name: kind, changes } };
    });
  } finally {
    if (!isPlaced) await dropParts(db, uploadId);
  }
}

async function tell(ctx: RequestContext, tx: Tx): Promise<void> {
  await tellSetting(tx, { key: 'geoip', name: '', project: null }, ctx.now);
}
