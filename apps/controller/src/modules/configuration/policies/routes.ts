import { fail, failDocument, policyRoutes } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { tagOf } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { toServices } from './policy-views.ts';
import { showFiles } from './secret-files.ts';
import { createPolicy, type PolicyDeps, patchPolicy, removePolicy, replacePolicy, restorePolicy } from './service.ts';
import { findPolicy, findRevision, findUsersByPolicy, listPolicies, listRevisions } from './store.ts';

export function createPolicyRoutes(deps: PolicyDeps): Route[] {
  const { views } = deps;
  return [
    serveList(deps),
    implement(policyRoutes.create, async (ctx, { body }) => {
      requireProject(body.project, ctx.project.id);
      return views.addWarnings(await createPolicy({ ...deps, ctx }, body.name, body));
    }),
    implement(policyRoutes.get, async (ctx, { params }) => {
      const row = await requirePolicy(ctx.db, ctx.project.id, params.name);
      const users = await findUsersByPolicy(ctx.db, ctx.project.id, [row.name]);
      const body = await views.policyOf(row, users.get(row.name) ?? []);
      return views.addWarnings({ body, etag: tagOf(row) });
    }),
    implement(policyRoutes.replace, async (ctx, { params, body }) => {
      requireProject(body.project, ctx.project.id);
      if (body.name !== undefined && body.name !== params.name)
        throw failDocument('document.identity', { field: 'name' });
      return views.addWarnings(await replacePolicy({ ...deps, ctx }, params.name, body));
    }),
    implement(policyRoutes.patch, async (ctx, { params, body }) =>
      views.addWarnings(await patchPolicy({ ...deps, ctx }, params.name, body)),
    ),
    implement(policyRoutes.remove, async (ctx, { params }) => removePolicy(ctx, params.name)),
    implement(policyRoutes.listRevisions, async (ctx, { params, query }) => {
      const { id } = await requirePolicy(ctx.db, ctx.project.id, params.name);
      return { body: await listRevisions(ctx.db, id, query) };
    }),
    implement(policyRoutes.getRevision, async (ctx, { params }) => {
      const { id } = await requirePolicy(ctx.db, ctx.project.id, params.name);
      const row = await findRevision(ctx.db, id, params.revision);
      if (!row) throw fail('record.not_found', { kind: 'revision', name: params.revision });
      const { policy_id: _, ...revision } = row;
      return { body: { ...revision, files: showFiles(row.files), created_at: row.created_at.toISOString() } };
    }),
    implement(policyRoutes.restore, async (ctx, { params, body }) =>
      views.addWarnings(await restorePolicy({ ...deps, ctx }, params.name, body.revision)),
    ),
  ];
}

function serveList({ views }: PolicyDeps): Route {
  return implement(policyRoutes.list, async (ctx, { query }) => {
    const { items: rows, ...page } = await listPolicies(ctx.db, ctx.project.id, query);
    const names = rows.map(({ name }) => name);
    const users = await findUsersByPolicy(ctx.db, ctx.project.id, names);
    const items = [];
    // One after the other, so that a page of large policies stays within the project's limit.
    for (const row of rows) items.push({ ...(await views.summaryOf(row)), services: toServices(users.get(row.name)) });
    return { body: { ...page, items } };
  });
}

async function requirePolicy(db: Db, project: string, name: string) {
  const row = await findPolicy(db, project, name);
  if (!row) throw fail('record.not_found', { kind: 'policy', name });
  return row;
}

function requireProject(given: string | undefined, actual: string): void {
  if (given !== undefined && given.toLowerCase() !== actual)
    throw failDocument('document.identity', { field: 'project' });
}
