import { type Collection, documentRoutes, eoRoutes, eoTypedRoutes, fail, xdsRoutes } from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { tagOf } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { applyDocuments } from './apply.ts';
import { readDependencies } from './dependency-view.ts';
import { type DocumentStates, listDocuments, listLabels } from './list-view.ts';
import { describeDocument } from './model.ts';
import { DocumentService, type DocumentServiceDeps, requireSame } from './service.ts';
import { type DocumentKey, findDocument, type Scope } from './store.ts';
import { countDocuments, listRevisions, readDocument, readRevision } from './views.ts';

export function createDocumentRoutes(deps: DocumentServiceDeps, states: DocumentStates): Route[] {
  const service = new DocumentService(deps);
  return [
    implement(documentRoutes.apply, async (ctx, { body }) => applyDocuments(deps, ctx, body)),
    ...familyRoutes(service, states),
    implement(eoRoutes.list, async (ctx, { params, query }) => ({
      body: await listDocuments({ db: ctx.db, now: ctx.now, states }, params.collection, {
        ...query,
        project: ctx.project.id,
      }),
    })),
    implement(eoRoutes.create, async (ctx, { params, body }) => create(service, ctx, params.collection, body)),
    implement(documentRoutes.dependency, async (ctx, { params, query }) => ({
      body: await readDependencies(
        ctx.db,
        { project: ctx.project.id, version: query.version },
        { collection: query.collection, name: params.name },
      ),
    })),
    implement(documentRoutes.labels, async (ctx, { query }) => ({
      body: await listLabels(ctx.db, ctx.project.id, query.collection),
    })),
    implement(documentRoutes.countAll, async (ctx, { query }) => ({
      body: await countDocuments(ctx.db, ctx.project.id, query.version),
    })),
  ];
}

type Params = { readonly collection: Collection; readonly type?: string };
type ItemParams = Params & { readonly name: string };
type Family = typeof xdsRoutes;

/** Handlers for both groups of addresses; the typed one also names the message type. */
function familyRoutes(service: DocumentService, states: DocumentStates): Route[] {
  return [xdsRoutes, eoTypedRoutes as unknown as Family].flatMap((family) => [
    implement(family.list, async (ctx, { params, query }) => {
      const { collection, type } = params as Params;
      const types = type === undefined ? query.type : [type];
      const asked = { ...query, project: ctx.project.id, type: types };
      return { body: await listDocuments({ db: ctx.db, now: ctx.now, states }, collection, asked) };
    }),
    implement(family.create, async (ctx, { params, body }) => {
      const { collection, type } = params as Params;
      if (type !== undefined) requireSame('type', body.type, type);
      return create(service, ctx, collection, { ...body, type: body.type ?? type });
    }),
    implement(family.get, async (ctx, { params, query }) => {
      const [scope, key] = await locate(ctx, params, query.version);
      const document = await readDocument(ctx.db, scope, key);
      return { body: document, etag: tagOf(document) };
    }),
    implement(family.replace, async (ctx, { params, query, body }) => {
      const [scope, key] = await locate(ctx, params, query.version);
      requireSame('name', body.name, key.name);
      requireSame('version', body.version, scope.version);
      requireSame('project', body.project?.toLowerCase(), ctx.project.id);
      return service.replace(ctx, scope, key, body);
    }),
    implement(family.patch, async (ctx, { params, query, body }) => {
      const [scope, key] = await locate(ctx, params, query.version);
      return service.patch(ctx, scope, key, body);
    }),
    implement(family.remove, async (ctx, { params, query }) => {
      const [scope, key] = await locate(ctx, params, query.version);
      return service.remove(ctx, scope, key);
    }),
    implement(family.listRevisions, async (ctx, { params, query }) => {
      const [scope, key] = await locate(ctx, params, query.version);
      return { body: await listRevisions(ctx.db, scope, key, query) };
    }),
    implement(family.getRevision, async (ctx, { params, query }) => {
      const [scope, key] = await locate(ctx, params, query.version);
      return { body: await readRevision(ctx.db, scope, key, params.revision) };
    }),
    implement(family.restore, async (ctx, { params, query, body }) => {
      const [scope, key] = await locate(ctx, params, query.version);
      return service.restore(ctx, scope, key, body.revision);
    }),
  ]);
}

type CreateBody = Parameters<DocumentService['create']>[3] & {
  name: string;
  version: string;
  project?: string | undefined;
};

function create(service: DocumentService, ctx: RequestContext, collection: Collection, body: CreateBody) {
  requireSame('project', body.project?.toLowerCase(), ctx.project.id);
  const scope = { project: ctx.project.id, version: body.version };
  return service.create(ctx, scope, { collection, name: body.name }, body);
}

/** An address with a type only finds documents of that type. */
async function locate(ctx: RequestContext, params: ItemParams, version: string): Promise<[Scope, DocumentKey]> {
  const scope = { project: ctx.project.id, version };
  const key = { collection: params.collection, name: params.name };
  if (params.type !== undefined) {
    const row = await findDocument(ctx.db, scope, key);
    if (row?.type !== params.type) {
      throw fail('record.not_found', describeDocument(key, scope.version));
    }
  }
  return [scope, key];
}
