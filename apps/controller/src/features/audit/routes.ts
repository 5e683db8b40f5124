import { auditRoutes, failAudit } from '@flotilla/contract';
import { implement, type Route } from '../../http/route.ts';
import type { HeadsFile } from './chain/heads-file.ts';
import { verifyChains } from './chain/verify.ts';
import type { DenialRecorder } from './denial-buffer.ts';
import { countEntries, findEntry, listEntries } from './store.ts';

export interface AuditRouteDeps {
  readonly heads: HeadsFile;
  /** Flushed before the record is read: whoever was refused a moment ago finds it here. */
  readonly denials: Pick<DenialRecorder, 'flush'>;
}

export function createAuditRoutes({ heads, denials }: AuditRouteDeps): Route[] {
  let isVerifying = false;
  return [
    implement(auditRoutes.list, async (ctx, { query }) => {
      await denials.flush();
      return { body: await listEntries(ctx.db, { ...query, projectId: ctx.scope?.id }) };
    }),
    implement(auditRoutes.get, async (ctx, { params }) => ({
      body: await findEntry(ctx.db, params.entry_id, ctx.scope?.id),
    })),
    implement(auditRoutes.stats, async (ctx, { query }) => {
      await denials.flush();
      return { body: await countEntries(ctx.db, { ...query, projectId: ctx.scope?.id }) };
    }),
    implement(auditRoutes.verify, async (ctx) => {
      // Reads the whole record: two at once would only be slower, and a hundred would be an attack.
      if (isVerifying) throw failAudit('audit.busy');
      isVerifying = true;
      try {
        const keptHeads = await heads.readLast();
        const items = await verifyChains(ctx.db, { projectId: ctx.scope?.id, keptHeads, now: ctx.now });
        return { body: { ok: items.every(({ ok }) => ok), items } };
      } finally {
        isVerifying = false;
      }
    }),
  ];
}
