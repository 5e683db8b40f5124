import { isDeepStrictEqual } from 'node:util';
import { failMaintenanceWindow, maintenanceWindowRoutes, maintenanceWindowSchema } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { diffForAudit } from '../../../platform/http/audit-diff.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import {
  deleteWindow,
  findWindow,
  insertWindow,
  listWindows,
  lockWindow,
  updateWindow,
  type WindowValues,
} from './store.ts';

const type = 'maintenance_window';

export function createMaintenanceWindowRoutes(): Route[] {
  return [
    implement(maintenanceWindowRoutes.list, async (ctx, { query }) => ({
      body: await listWindows(ctx.db, ctx.project.id, query),
    })),
    implement(maintenanceWindowRoutes.create, (ctx, { body }) => {
      requireOrder(body);
      const id = createId(ctx.now.getTime());
      return ctx.write(async (tx) => {
        await insertWindow(tx, { id, projectId: ctx.project.id, now: ctx.now }, body);
        const made = await findWindow(tx, ctx.project.id, id);
        return {
          reply: { body: made, etag: made.revision, location: `${maintenanceWindowRoutes.create.path}/${id}` },
          audit: { type, id, name: made.name, changes: body },
        };
      });
    }),
    implement(maintenanceWindowRoutes.get, async (ctx, { params }) => {
      const found = await findWindow(ctx.db, ctx.project.id, params.window_id);
      return { body: found, etag: found.revision };
    }),
    implement(maintenanceWindowRoutes.patch, (ctx, { params: { window_id: id }, body }) =>
      ctx.write(async (tx) => {
        const before = await lockWindow(tx, ctx.project.id, id);
        requireMatch(ctx, type, before.revision);
        const values = { ...toValues(before), ...body };
        requireOrder(values);
        const isUnchanged = isDeepStrictEqual(values, toValues(before));
        if (!isUnchanged) await updateWindow(tx, id, values, ctx.now);
        const after = await findWindow(tx, ctx.project.id, id);
        const changes = diffForAudit(toValues(before), toValues(after), maintenanceWindowSchema);
        return {
          reply: { body: after, etag: after.revision },
          audit: { type, id, name: after.name, changes },
          isUnchanged,
        };
      }),
    ),
    implement(maintenanceWindowRoutes.delete, (ctx, { params: { window_id: id } }) =>
      ctx.write(async (tx) => {
        const before = await lockWindow(tx, ctx.project.id, id);
        requireMatch(ctx, type, before.revision);
        await deleteWindow(tx, id);
        return { reply: {}, audit: { type, id, name: before.name } };
      }),
    ),
  ];
}

function toValues({ name, starts_at, ends_at }: WindowValues) {
  return { name, starts_at, ends_at };
}

function requireOrder({ name, starts_at, ends_at }: WindowValues): void {
  if (Date.parse(ends_at) <= Date.parse(starts_at)) throw failMaintenanceWindow('maintenance_window.empty', { name });
}
