import { type ServiceRecord, serviceRoutes } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { RequestContext } from '../../http/context.ts';
import { implement, type Route } from '../../http/route.ts';
import { ownDocument } from './document.ts';
import { readServiceNodes } from './node-views.ts';
import type { ServiceRegistry } from './service.ts';
import { listRevisions, listServices, readRevision, readService } from './views.ts';

export interface ServiceRouteDeps {
  readonly services: ServiceRegistry;
  /** Active errors of a service, for its detail. */
  readonly listActiveErrors: (db: Db, serviceId: string) => Promise<unknown[]>;
}

export function createServiceRoutes({ services, listActiveErrors }: ServiceRouteDeps): Route[] {
  return [
    implement(serviceRoutes.list, async (ctx, { query }) => ({
      body: await listServices(ctx.db, ctx.project.id, query, ctx.now),
    })),
    implement(serviceRoutes.create, async (ctx, { body }) =>
      ctx.write(async (tx) => {
        const record = await services.create(tx, ctx, ownDocument(ctx, body));
        return answer(record, { location: `/api/op/services/${record.id}` });
      }),
    ),
    implement(serviceRoutes.read, async (ctx, { params }) => {
      const record = await readService(ctx.db, keyOf(ctx, params), ctx.now);
      return { body: record, etag: record.revision };
    }),
    implement(serviceRoutes.detail, async (ctx, { params }) => {
      const service = await readService(ctx.db, keyOf(ctx, params), ctx.now);
      const [nodes, errors] = await Promise.all([
        readServiceNodes(ctx.db, service),
        listActiveErrors(ctx.db, service.id),
      ]);
      return { body: { service, nodes, errors }, etag: service.revision };
    }),
    implement(serviceRoutes.replace, async (ctx, { params, body }) =>
      ctx.write(async (tx) => answer(await services.replace(tx, ctx, params.service_id, ownDocument(ctx, body)))),
    ),
    implement(serviceRoutes.patch, async (ctx, { params, body }) =>
      ctx.write(async (tx) => answer(await services.patch(tx, ctx, params.service_id, body))),
    ),
    implement(serviceRoutes.remove, async (ctx, { params }) =>
      ctx.write(async (tx) => {
        const { name } = await services.remove(tx, ctx, params.service_id);
        return { reply: {}, audit: { type: 'service', id: params.service_id, name } };
      }),
    ),
    implement(serviceRoutes.revisions, async (ctx, { params, query }) => {
      await readService(ctx.db, keyOf(ctx, params), ctx.now);
      return { body: await listRevisions(ctx.db, params.service_id, query) };
    }),
    implement(serviceRoutes.revision, async (ctx, { params }) => {
      await readService(ctx.db, keyOf(ctx, params), ctx.now);
      return { body: await readRevision(ctx.db, params.service_id, params.revision) };
    }),
    implement(serviceRoutes.restore, async (ctx, { params, body }) =>
      ctx.write(async (tx) => answer(await services.restore(tx, ctx, params.service_id, body.revision))),
    ),
  ];
}

function answer(record: ServiceRecord, more: { location?: string } = {}) {
  return {
    reply: { body: record, etag: record.revision, ...more },
    audit: {
      type: 'service',
      id: record.id,
      name: record.name,
      changes: { revision: record.revision, version: record.version, clients: record.clients.length },
    },
  };
}

function keyOf(ctx: RequestContext, params: { service_id: string }) {
  return { projectId: ctx.project.id, serviceId: params.service_id };
}
