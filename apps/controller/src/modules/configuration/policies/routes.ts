import { fail, failDocument, policyRoutes } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { tagOf } from '../../../platform/http/etag.ts';
import { executePage, matchesText, parsePage } from '../../../platform/http/paging.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { toServices } from './policy-views.ts';
import { showFiles } from './secret-files.ts';
import { createPolicy, type PolicyDeps, patchPolicy, removePolicy, replacePolicy, restorePolicy } from './service.ts';
import { findPolicy, findUsersByPolicy } from './store.ts';

export function createPolicyRoutes(deps: PolicyDeps): Route[] {
  const { views } = deps;
  return [
    implement(policyRoutes.list, async (ctx, { query }) => {
      const select = ctx.db
        .selectFrom('policies')
        .selectAll()
        .where('project_id', '=', ctx.project.id)
        .$if(query.name !== undefined, (one) => one.where('name', 'in', query.name ?? []))
        .$if(query.q !== undefined, (one) =>
          one.where(matchesText(['policies.name', 'policies.description', 'policies.text'], query.q ?? '')),
        );
      const { rows, next_cursor } = await executePage(select, parsePage(query, LIST_RULES));
      const names = rows.map(({ name }) => name);
      const users = await findUsersByPolicy(ctx.db, ctx.project.id, names);
      const items = [];
      // One after the other, so that a page of large policies stays within the project's limit.
      for (const row of rows)
        items.push({ ...(await views.summaryOf(row)), services: toServices(users.get(row.name)) });
      return { body: { items, next_cursor } };
    }),
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
      const select = ctx.db
        .selectFrom('policy_revisions')
        .select(['revision', 'created_at', 'created_by', 'digest'])
        .where('policy_id', '=', id);
      const { rows, next_cursor } = await executePage(select, parsePage(query, REVISION_RULES));
      return {
        body: { items: rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })), next_cursor },
      };
    }),
    implement(policyRoutes.getRevision, async (ctx, { params }) => {
      const { id } = await requirePolicy(ctx.db, ctx.project.id, params.name);
      const row = await ctx.db
        .selectFrom('policy_revisions')
        .selectAll()
        .where('policy_id', '=', id)
        .where('revision', '=', params.revision)
        .executeTakeFirst();
      if (!row) throw fail('record.not_found', { kind: 'revision', name: params.revision });
      const { policy_id: _, ...revision } = row;
      return { body: { ...revision, files: showFiles(row.files), created_at: row.created_at.toISOString() } };
    }),
    implement(policyRoutes.restore, async (ctx, { params, body }) =>
      views.addWarnings(await restorePolicy({ ...deps, ctx }, params.name, body.revision)),
    ),
  ];
}

const LIST_RULES = {
  sortable: { name: 'policies.name', created_at: 'policies.created_at', updated_at: 'policies.updated_at' },
  defaultSort: 'name',
  id: 'policies.id',
};
const REVISION_RULES = { sortable: { revision: 'revision' }, defaultSort: '-revision', id: 'revision' };

async function requirePolicy(db: Db, project: string, name: string) {
  const row = await findPolicy(db, project, name);
  if (!row) throw fail('record.not_found', { kind: 'policy', name });
  return row;
}

function requireProject(given: string | undefined, actual: string): void {
  if (given !== undefined && given.toLowerCase() !== actual)
    throw failDocument('document.identity', { field: 'project' });
}
