import { auditKeepingRoutes, fail, failAudit } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { actorName } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { findHold, insertHold, listHolds, lockHold, releaseHold } from './hold-store.ts';
import type { Forwarding } from './sinks/forwarding.ts';

export function createKeepingRoutes(forwarding: Pick<Forwarding, 'list'>): Route[] {
  return [
    implement(auditKeepingRoutes.listHolds, async (ctx) => ({
      body: { items: await listHolds(ctx.db), next_cursor: null },
    })),
    implement(auditKeepingRoutes.getHold, async (ctx, { params }) => {
      const hold = await findHold(ctx.db, params.hold_id);
      if (!hold) throw fail('record.not_found', { kind: 'audit hold', name: params.hold_id });
      return { body: hold };
    }),
    implement(auditKeepingRoutes.createHold, (ctx, { body }) =>
      ctx.write(async (tx) => {
        const hold = await insertHold(tx, {
          id: createId(ctx.now.getTime()),
          project: body.project ?? null,
          from: body.from ?? null,
          to: body.to ?? null,
          reason: body.reason,
          created_by: actorName(ctx),
          created_at: ctx.now.toISOString(),
        });
        const { project, from, to, reason } = hold;
        return {
          reply: { body: hold, location: `${auditKeepingRoutes.listHolds.path}/${hold.id}` },
          audit: { type: 'audit_hold', id: hold.id, name: reason, changes: { project, from, to, reason } },
        };
      }),
    ),
    implement(auditKeepingRoutes.releaseHold, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const hold = await lockHold(tx, params.hold_id);
        if (!hold) throw fail('record.not_found', { kind: 'audit hold', name: params.hold_id });
        if (hold.released_at !== null) throw failAudit('audit.hold_released');
        const released = await releaseHold(tx, hold.id, actorName(ctx), ctx.now);
        return {
          reply: { body: released },
          audit: { type: 'audit_hold', id: hold.id, name: hold.reason, changes: { reason: hold.reason } },
        };
      }),
    ),
    implement(auditKeepingRoutes.listSinks, async () => ({
      body: { items: await forwarding.list(), next_cursor: null },
    })),
  ];
}
