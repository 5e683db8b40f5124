import { auditRoutes, failAudit } from '@flotilla/contract';
import type { DenialRecorder } from '../../../platform/audit/entry.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { HeadsFile } from './chain/heads-file.ts';
import { verifyChains } from './chain/verify.ts';
import { EXPORT_MEDIA, openExport } from './export.ts';
import { toFilter } from './filters.ts';
import { listEntries } from './list-store.ts';
import { countEntries } from './stats-store.ts';
import { findEntry } from './store.ts';

/** Each holds a page in memory and queries the database while it is read. */
const EXPORTS_MAX = 4;

export interface AuditRouteDeps {
  readonly heads: HeadsFile;
  /** The trusted keys of checkpoints: see readTrustedKeys. */
  readonly readKeys: () => Promise<ReadonlyMap<string, string>>;
  /** Flushed before the log is read, so that a caller finds the denial of a moment ago. */
  readonly denials: Pick<DenialRecorder, 'flush'>;
}

export function createAuditRoutes({ heads, readKeys, denials }: AuditRouteDeps): Route[] {
  let isVerifying = false;
  let exports = 0;
  return [
    implement(auditRoutes.list, async (ctx, { query }) => {
      await denials.flush();
      return { body: await listEntries(ctx.db, { ...query, ...toFilter(query, ctx.scope?.id) }) };
    }),
    implement(auditRoutes.get, async (ctx, { params }) => ({
      body: await findEntry(ctx.db, params.entry_id, ctx.scope?.id),
    })),
    implement(auditRoutes.stats, async (ctx, { query }) => {
      await denials.flush();
      return { body: await countEntries(ctx.db, toFilter(query, ctx.scope?.id)) };
    }),
    implement(auditRoutes.export, async (ctx, { query: { format = 'ndjson', ...asked } }) => {
      const filter = toFilter(asked, ctx.scope?.id);
      if (exports >= EXPORTS_MAX) throw failAudit('audit.exports_busy');
      await denials.flush();
      exports += 1;
      try {
        await ctx.write(async () => ({
          reply: {},
          audit: { type: 'audit', changes: { format, filter: asked } },
        }));
        const body = openExport(ctx.db, filter, format);
        // Also if the reader disconnects before the first line.
        body.once('close', () => {
          exports -= 1;
        });
        const name = `audit-${ctx.now.toISOString().slice(0, 10)}.${format}`;
        const headers = { 'content-disposition': `attachment; filename="${name}"`, 'cache-control': 'no-store' };
        return { body, contentType: EXPORT_MEDIA[format], headers };
      } catch (error) {
        exports -= 1;
        throw error;
      }
    }),
    implement(auditRoutes.verify, async (ctx) => {
      // Reads the whole log: two at once would only be slower, and many would be an attack.
      if (isVerifying) throw failAudit('audit.busy');
      isVerifying = true;
      try {
        const [keptHeads, trustedKeys] = await Promise.all([heads.readLast(), readKeys()]);
        const items = await verifyChains(ctx.db, { projectId: ctx.scope?.id, keptHeads, trustedKeys, now: ctx.now });
        return { body: { ok: items.every(({ ok }) => ok), items } };
      } finally {
        isVerifying = false;
      }
    }),
  ];
}
