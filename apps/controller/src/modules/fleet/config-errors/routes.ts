import { configErrorRoutes, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { actorName } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { deleteErrors, findServiceName, resolveErrors } from './store.ts';
import { listErrors, summarizeErrors } from './views.ts';

export function createConfigErrorRoutes(): Route[] {
  return [
    implement(configErrorRoutes.summary, async (ctx) => ({ body: await summarizeErrors(ctx.db, ctx.project.id) })),
    implement(configErrorRoutes.list, async (ctx, { params, query }) => {
      const key = { projectId: ctx.project.id, serviceId: params.service_id };
      await requireService(ctx.db, key);
      return { body: await listErrors(ctx.db, key.projectId, { ...query, service_id: [key.serviceId] }) };
    }),
    implement(configErrorRoutes.resolve, async (ctx, { params, body }) => {
      const key = { projectId: ctx.project.id, serviceId: params.service_id };
      return ctx.write(async (tx) => {
        const name = await requireService(tx, key);
        const count = await resolveErrors(tx, key.serviceId, { ids: body.ids, by: actorName(ctx), now: ctx.now });
        return answer(key.serviceId, name, count);
      });
    }),
    implement(configErrorRoutes.clear, async (ctx, { params, query }) => {
      const key = { projectId: ctx.project.id, serviceId: params.service_id };
      return ctx.write(async (tx) => {
        const name = await requireService(tx, key);
        const count = await deleteErrors(tx, key.serviceId, query.ids);
        return answer(key.serviceId, name, count);
      });
    }),
  ];
}

function answer(serviceId: string, name: string, changed: number) {
  return {
    reply: { body: { changed } },
    audit: { type: 'service', id: serviceId, name, changes: { errors: changed } },
    isUnchanged: changed === 0,
  };
}

async function requireService(db: Db, key: { projectId: string; serviceId: string }): Promise<string> {
  const name = await findServiceName(db, key);
  if (name === undefined) throw fail('record.not_found', { kind: 'service', name: key.serviceId });
  return name;
}
