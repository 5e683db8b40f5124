import { type ServiceRecord, serviceRoutes, serviceWriteSchema } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { formatNodeId } from '@flotilla/proto';
import { diffForAudit } from '../../../platform/http/audit-diff.ts';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { diffJson } from '../../configuration/public.ts';
import { ownDocument } from './document.ts';
import { readServiceNodes } from './node-views.ts';
import type { ServiceRegistry } from './service.ts';
import { listRevisions, listServices, readRevision, readService } from './views.ts';

export interface ServiceRouteDeps {
  readonly services: ServiceRegistry;
  /** Active errors for the details of a service. */
  readonly listActiveErrors: (db: Db, serviceId: string) => Promise<unknown[]>;
}

export function createServiceRoutes({ services, listActiveErrors }: ServiceRouteDeps): Route[] {
  return [
    implement(serviceRoutes.list, async (ctx, { query }) => ({
      body: await listServices(ctx.db, ctx.project.id, query),
    })),
    implement(serviceRoutes.create, async (ctx, { body }) =>
      ctx.write(async (tx) => {
        const record = await services.create(tx, ctx, ownDocument(ctx, body));
        return answer(undefined, record, { location: `/api/op/services/${record.id}` });
      }),
    ),
    implement(serviceRoutes.read, async (ctx, { params }) => {
      const record = await readService(ctx.db, keyOf(ctx, params));
      return { body: record, etag: record.revision };
    }),
    implement(serviceRoutes.detail, async (ctx, { params }) => {
      const service = await readService(ctx.db, keyOf(ctx, params));
      const [nodes, errors] = await Promise.all([
        readServiceNodes(ctx.db, service),
        listActiveErrors(ctx.db, service.id),
      ]);
      return { body: { service, nodes, errors }, etag: service.revision };
    }),
    implement(serviceRoutes.replace, async (ctx, { params, body }) =>
      change({ services, ctx, params }, (tx) => services.replace(tx, ctx, params.service_id, ownDocument(ctx, body))),
    ),
    implement(serviceRoutes.patch, async (ctx, { params, body }) =>
      change({ services, ctx, params }, (tx) => services.patch(tx, ctx, params.service_id, body as JsonObject)),
    ),
    implement(serviceRoutes.remove, async (ctx, { params }) =>
      ctx.write(async (tx) => {
        const { name } = await services.remove(tx, ctx, params.service_id);
        return { reply: {}, audit: { type: 'service', id: params.service_id, name } };
      }),
    ),
    implement(serviceRoutes.revisions, async (ctx, { params, query }) => {
      await readService(ctx.db, keyOf(ctx, params));
      return { body: await listRevisions(ctx.db, params.service_id, query) };
    }),
    implement(serviceRoutes.revision, async (ctx, { params }) => {
      await readService(ctx.db, keyOf(ctx, params));
      return { body: await readRevision(ctx.db, params.service_id, params.revision) };
    }),
    implement(serviceRoutes.restore, async (ctx, { params, body }) =>
      change({ services, ctx, params }, (tx) => services.restore(tx, ctx, params.service_id, body.revision)),
    ),
  ];
}

interface Changing {
  readonly services: ServiceRegistry;
  readonly ctx: RequestContext;
  readonly params: { readonly service_id: string };
}

/** One write; a dry run also returns the differences and the affected proxies. */
function change({ services, ctx, params }: Changing, work: (tx: Tx) => Promise<ServiceRecord>) {
  return ctx.write(async (tx) => {
    const before = await services.readLocked(tx, ctx, params.service_id);
    const outcome = answer(before, await work(tx));
    if (!ctx.dryRun) return outcome;
    const diff = diffJson(toComparable(before), toComparable(outcome.reply.body));
    return { ...outcome, reply: { ...outcome.reply, body: { ...outcome.reply.body, diff, nodes: nodesOf(before) } } };
  });
}

/** The proxies that run the service. A change of the document affects no others, since only DEPLOY adds one. */
function nodesOf({ name, project, targets }: ServiceRecord): string[] {
  return targets
    .filter(({ deployed }) => deployed)
    .map(({ client_id: clientId }) => formatNodeId({ service: name, project, clientId }));
}

/** The document without the fields that users cannot write. */
function toComparable(record: ServiceRecord) {
  const { name, version, bootstrap, listeners, policies, shield, api_discovery, clients } = record;
  return { name, version, bootstrap, listeners, policies, shield, api_discovery, clients };
}

function answer(before: ServiceRecord | undefined, record: ServiceRecord, more: { location?: string } = {}) {
  const diff = diffForAudit(before && toComparable(before), toComparable(record), serviceWriteSchema);
  return {
    reply: { body: record, etag: record.revision, ...more },
    audit: {
      type: 'service',
      id: record.id,
      name: record.name,
      changes: { revision: record.revision, version: record.version, clients: record.clients.length, ...diff },
    },
    isUnchanged: before?.revision === record.revision,
  };
}

function keyOf(ctx: RequestContext, params: { service_id: string }) {
  return { projectId: ctx.project.id, serviceId: params.service_id };
}
