import type { Buffer } from 'node:buffer';
import {
  fail,
  GEOIP_FILE_BYTES,
  GEOIP_KINDS,
  type GeoipKind,
  geoipRoutes,
  PROJECT_GEOIP_FILE_BYTES,
} from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { actorName, type Reply, type RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { REQUEST_MAX_MS } from '../../../platform/http/slow-requests.ts';
import { UploadSlots } from '../../../platform/http/upload-slots.ts';
import { tellSetting } from '../../../platform/settings/index.ts';
import { download } from './download.ts';
import { dropAbandoned, dropFile, dropParts, findFile, type GeoipPlace, listFiles, placeFile } from './store.ts';
import { takeFile } from './upload.ts';

/** An upload that has not ended by then was interrupted with its controller. */
const ABANDONED_AFTER_MS = 2 * REQUEST_MAX_MS;

/**
 * GeoIP databases of the installation, and of projects with their own. `db` has the scope of everything and runs
 * outside requests.
 */
export function createGeoipRoutes({ db }: { db: Db }): Route[] {
  const slots = new UploadSlots();
  const replace = (ctx: RequestContext, coming: Coming) =>
    slots.hold(ctx.scope?.id ?? null, () => replaceFile(db, ctx, coming));
  return [
    implement(geoipRoutes.list, async (ctx) => {
      const own = await listFiles(ownPlace(ctx, ctx.db));
      const files = [...own, ...(ctx.scope ? await listFiles({ db, project: null }) : [])];
      const databases = GEOIP_KINDS.map((kind) => files.find((file) => file.kind === kind) ?? { kind, present: false });
      return { body: { databases } };
    }),
    implement(geoipRoutes.upload, (ctx, { query: { kind } }) =>
      replace(ctx, { kind, source: 'upload', chunks: ctx.upload }),
    ),
    implement(geoipRoutes.download, (ctx, { body: { kind, url, sha256 } }) => {
      const { origin, pathname } = new URL(url);
      return replace(ctx, {
        kind,
        source: 'download',
        from: `${origin}${pathname}`,
        chunks: download({ url, sha256 }),
      });
    }),
    implement(geoipRoutes.delete, (ctx, { params: { kind } }) =>
      ctx.write(async (tx) => {
        const place = ownPlace(ctx, tx);
        const before = await findFile(place, kind);
        if (!before) throw fail('record.not_found', { kind: 'geoip', name: kind });
        await dropFile(place, kind);
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
  /** The source address without a possible key. */
  readonly from?: string;
  readonly chunks: AsyncIterable<Buffer>;
}

async function replaceFile(db: Db, ctx: RequestContext, { kind, source, from, chunks }: Coming): Promise<Reply> {
  await dropAbandoned(db, new Date(ctx.now.getTime() - ABANDONED_AFTER_MS));
  const uploadId = createId(ctx.now.getTime());
  const maxBytes = ctx.scope ? PROJECT_GEOIP_FILE_BYTES : GEOIP_FILE_BYTES;
  let isPlaced = false;
  try {
    // Runs before the transaction, which must not take as long as a slow upload.
    const expected = { uploadId, kind, begunAt: ctx.now, maxBytes };
    const { size, sha256, metadata } = await takeFile(ownPlace(ctx, db), expected, chunks);
    return await ctx.write(async (tx) => {
      const place = ownPlace(ctx, tx);
      const before = await findFile(place, kind);
      await placeFile(place, {
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
      return { reply: { body: await findFile(place, kind) }, audit: { type: 'geoip', name: kind, changes } };
    });
  } finally {
    if (!isPlaced) await dropParts(db, uploadId);
  }
}

function ownPlace<D extends Db>(ctx: RequestContext, db: D): GeoipPlace<D> {
  return { db, project: ctx.scope?.id ?? null };
}

async function tell(ctx: RequestContext, tx: Tx): Promise<void> {
  await tellSetting(tx, { key: 'geoip', name: '', project: ctx.scope?.id ?? null }, ctx.now);
}
