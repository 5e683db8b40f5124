import { isDeepStrictEqual } from 'node:util';
import { clientRoutes, fail, failFleet, LABELS_MAX } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { actorName, type Reply, type RequestContext } from '../../../platform/http/context.ts';
import { implement, type ProjectLocator, type Route } from '../../../platform/http/route.ts';
import { changeLabels, toLabelViews } from './labels.ts';
import type { ClientRegistry, ClientRemoval } from './registry.ts';
import { lockLabels, updateLabels } from './store.ts';
import { findProjectOfClient, listClientLabels, listClients, readClient } from './views.ts';

export interface ClientRouteDeps {
  readonly clients: ClientRegistry;
  /** Created per request, because the history of the changed services names the caller. */
  readonly removalFor: (ctx: RequestContext) => ClientRemoval;
  readonly listServicesOfClient: (db: Db, clientId: string) => Promise<unknown[]>;
}

const UUID = /^[0-9a-f-]{36}$/i;

const locateClient: ProjectLocator = async (db, { client_id: clientId }) => {
  if (!clientId || !UUID.test(clientId)) return undefined;
  return findProjectOfClient(db, clientId);
};

export function createClientRoutes({ clients, removalFor, listServicesOfClient }: ClientRouteDeps): Route[] {
  return [
    implement(clientRoutes.list, async (ctx, { query }) => ({
      body: await listClients(ctx.db, ctx.project.id, query),
    })),
    implement(clientRoutes.read, async (ctx, { params }) => {
      const client = await readClient(ctx.db, { projectId: ctx.project.id, clientId: params.client_id });
      return { body: { ...client, services: await listServicesOfClient(ctx.db, client.client_id) } };
    }),
    implement(clientRoutes.listLabels, async (ctx) => ({ body: await listClientLabels(ctx.db, ctx.project.id) })),
    implement(clientRoutes.setLabels, (ctx, { params, body }) => setLabels(ctx, params.client_id, body.labels)),
    implement(
      clientRoutes.remove,
      async (ctx, { params, query }) => {
        if (query.project !== undefined && query.project.toLowerCase() !== ctx.project.id) {
          throw fail('record.not_found', { kind: 'client', name: params.client_id });
        }
        return ctx.write(async (tx) => {
          const { name, services } = await clients.remove(tx, removalFor(ctx), {
            clientId: params.client_id,
            projectId: ctx.project.id,
            force: query.force ?? false,
            now: ctx.now,
          });
          const changes = { services: services.map((service) => service.name) };
          return { reply: {}, audit: { type: 'client', id: params.client_id, name, changes } };
        });
      },
      { locateProject: locateClient },
    ),
  ];
}

function setLabels(
  ctx: RequestContext,
  clientId: string,
  changes: Readonly<Record<string, string | null>>,
): Promise<Reply> {
  return ctx.write(async (tx) => {
    const before = await lockLabels(tx, ctx.project.id, clientId);
    if (!before) throw fail('record.not_found', { kind: 'client', name: clientId });
    const after = changeLabels(before, changes, { by: actorName(ctx), now: ctx.now });
    const count = Object.keys(after.labels).length;
    if (count > LABELS_MAX) throw failFleet('client.labels_full', { name: before.name, count, max: LABELS_MAX });
    const isUnchanged = isDeepStrictEqual(before.labels, after.labels);
    if (!isUnchanged) await updateLabels(tx, clientId, after, ctx.now);
    return {
      reply: { body: { labels: toLabelViews(after) } },
      audit: {
        type: 'client',
        id: clientId,
        name: before.name,
        changes: { labels: { from: before.labels, to: after.labels } },
      },
      isUnchanged,
    };
  });
}
