import { configErrorRoutes, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { actorName } from '../../http/context.ts';
import { implement, type Route } from '../../http/route.ts';
import { listErrors, summarizeErrors } from './views.ts';

export function createConfigErrorRoutes(): Route[] {
  return [
    implement(configErrorRoutes.summary, async (ctx) => ({ body: await summarizeErrors(ctx.db, ctx.project.id) })),
    implement(configErrorRoutes.list, async (ctx, { params, query }) => {
      const key = { projectId: ctx.project.id, serviceId: params.service_id };
      await requireService(ctx.db, key);
      return { body: await listErrors(ctx.db, key, query) };
    }),
    implement(configErrorRoutes.resolve, async (ctx, { params, body }) => {
      const key = { projectId: ctx.project.id, serviceId: params.service_id };
      return ctx.write(async (tx) => {
        const name = await requireService(tx, key);
        const rows = await tx
          .updateTable('config_errors')
          .set({ status: 'resolved', resolved_at: ctx.now, resolved_by: actorName(ctx) })
          .where('service_id', '=', key.serviceId)
          .where('status', '=', 'active')
          .where(sql<boolean>`id = any(${body.ids}::uuid[])`)
          .returning('id')
          .execute();
        return answer(key.serviceId, name, rows.length);
      });
    }),
    implement(configErrorRoutes.clear, async (ctx, { params, query }) => {
      const key = { projectId: ctx.project.id, serviceId: params.service_id };
      return ctx.write(async (tx) => {
        const name = await requireService(tx, key);
        const rows = await tx
          .deleteFrom('config_errors')
          .where('service_id', '=', key.serviceId)
          .where(sql<boolean>`id = any(${query.ids}::uuid[])`)
          .returning('id')
          .execute();
        return answer(key.serviceId, name, rows.length);
      });
    }),
  ];
}

function answer(serviceId: string, name: string, changed: number) {
  return {
    reply: { body: { changed } },
    audit: { type: 'service', id: serviceId, name, changes: { errors: changed } },
  };
}

async function requireService(db: Db, key: { projectId: string; serviceId: string }): Promise<string> {
  const row = await db
    .selectFrom('services')
    .select('name')
    .where('id', '=', key.serviceId)
    .where('project_id', '=', key.projectId)
    .executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'service', name: key.serviceId });
  return row.name;
}
