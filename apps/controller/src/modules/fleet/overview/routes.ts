import { fleetRoutes, LIST_LIMIT_DEFAULT } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { listFleetClients, readFleetClient } from './client-views.ts';
import { fleetViewOf } from './scope-views.ts';
import { listFleetErrors, listFleetServices, readFleetService } from './service-views.ts';

/**
 * Read models for every role, without what only owners and admins may see. The guard checks the resource in the path.
 */
export function createFleetRoutes(): Route[] {
  const wholeProject = { wholeProject: true } as const;
  return [
    implement(
      fleetRoutes.read,
      async (ctx, { query: { limit = LIST_LIMIT_DEFAULT } }) => {
        const [view, page] = [fleetViewOf(ctx), { limit, with_total: true }];
        const [services, clients, errors] = await Promise.all([
          listFleetServices(view, page),
          listFleetClients(view, page),
          listFleetErrors(view, { ...page, status: ['active'] }),
        ]);
        return {
          body: {
            at: ctx.now.toISOString(),
            services: toFirst(services),
            clients: toFirst(clients),
            errors: toFirst(errors),
          },
        };
      },
      wholeProject,
    ),
    implement(
      fleetRoutes.services,
      async (ctx, { query }) => ({ body: await listFleetServices(fleetViewOf(ctx), query) }),
      wholeProject,
    ),
    implement(
      fleetRoutes.service,
      async (ctx, { params }) => {
        const detail = await readFleetService(fleetViewOf(ctx), params.service_id);
        return { body: detail, etag: detail.service.revision };
      },
      wholeProject,
    ),
    implement(
      fleetRoutes.clients,
      async (ctx, { query }) => ({ body: await listFleetClients(fleetViewOf(ctx), query) }),
      wholeProject,
    ),
    implement(
      fleetRoutes.client,
      async (ctx, { params }) => ({ body: await readFleetClient(fleetViewOf(ctx), params.client_id) }),
      wholeProject,
    ),
    implement(
      fleetRoutes.errors,
      async (ctx, { query }) => ({ body: await listFleetErrors(fleetViewOf(ctx), query) }),
      wholeProject,
    ),
  ];
}

function toFirst<T>({ items, total }: { items: readonly T[]; total?: number }) {
  return { total: total ?? items.length, items };
}
