import { auditRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../http/route.ts';
import { countEntries, findEntry, listEntries } from './store.ts';

export function createAuditRoutes(): Route[] {
  return [
    implement(auditRoutes.list, async (ctx, { query }) => ({
      body: await listEntries(ctx.db, { ...query, projectId: ctx.scope?.id }),
    })),
    implement(auditRoutes.get, async (ctx, { params }) => ({
      body: await findEntry(ctx.db, params.entry_id, ctx.scope?.id),
    })),
    implement(auditRoutes.stats, async (ctx, { query }) => ({
      body: await countEntries(ctx.db, { ...query, projectId: ctx.scope?.id }),
    })),
  ];
}
