import { fail, type PermissionView, permissionRoutes, type ResourceAccessMode } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { actorName, type RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { changeSelection } from './selection.ts';
import {
  deletePermission,
  findPermission,
  findSubject,
  listPermissions,
  lockResources,
  type ResourceType,
  type Subject,
  setResourceAccess,
  storePermission,
  toResourceType,
} from './store.ts';
import { listSubjects } from './subjects-view.ts';
import { listReach, listResources, readAccess, readSelection } from './views.ts';

export function createPermissionRoutes(): Route[] {
  return [
    implement(permissionRoutes.list, async (ctx, { query }) => ({
      body: await listPermissions(ctx.db, ctx.project.id, query),
    })),
    serveGrant(),
    implement(permissionRoutes.get, async (ctx, { params }) => ({
      body: await findPermission(ctx.db, ctx.project.id, params.permission_id),
    })),
    implement(permissionRoutes.revoke, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const permission = await findPermission(tx, ctx.project.id, params.permission_id);
        await deletePermission(tx, permission.id);
        return { reply: {}, audit: auditOf(permission, { before: permission.level, after: null }) };
      }),
    ),
    implement(permissionRoutes.select, async (ctx, { params, query }) => {
      const of = toSelection(params);
      await findSubject(ctx.db, ctx.project.id, of.subject);
      return { body: await readSelection(ctx.db, ctx.project.id, { ...of, q: query.q }) };
    }),
    implement(permissionRoutes.change, (ctx, { params, body }) => changeSelection(ctx, toSelection(params), body)),
    implement(permissionRoutes.resources, async (ctx, { query }) => ({
      body: await listResources(ctx.db, ctx.project.id, query),
    })),
    implement(permissionRoutes.subjects, async (ctx, { query }) => ({
      body: await listSubjects(ctx.db, ctx.project.id, query),
    })),
    implement(permissionRoutes.reach, async (ctx, { params, query }) => ({
      body: await listReach(ctx.db, ctx.project.id, { ...query, resourceId: params.resource_id }),
    })),
    implement(permissionRoutes.access, async (ctx) => ({
      body: { resource_access: (await readAccess(ctx.db, ctx.project.id)).resource_access },
    })),
    implement(permissionRoutes.setAccess, (ctx, { body }) => changeAccess(ctx, body.resource_access)),
  ];
}

function serveGrant(): Route {
  return implement(permissionRoutes.grant, (ctx, { body }) =>
    ctx.write(async (tx) => {
      const { subject, resource, level } = body;
      const projectId = ctx.project.id;
      await findSubject(tx, projectId, subject);
      await requireResource(tx, projectId, resource);
      const stored = await storePermission(tx, {
        id: createId(ctx.now.getTime()),
        projectId,
        subject,
        resource,
        level,
        by: actorName(ctx),
        at: ctx.now,
      });
      const permission = await findPermission(tx, projectId, stored.id);
      return {
        reply: {
          status: stored.before === null ? 201 : 200,
          body: permission,
          location: `${permissionRoutes.list.path}/${permission.id}`,
        },
        audit: auditOf(permission, { before: stored.before, after: level }),
        isUnchanged: stored.before === level,
      };
    }),
  );
}

function changeAccess(ctx: RequestContext, wanted: ResourceAccessMode) {
  return ctx.write(async (tx) => {
    const { name, resource_access: before } = await readAccess(tx, ctx.project.id);
    if (before !== wanted) await setResourceAccess(tx, ctx.project.id, wanted, ctx.now);
    const changes = { resource_access: { before, after: wanted } };
    return {
      reply: { body: { resource_access: wanted } },
      audit: { type: 'project', id: ctx.project.id, name, changes },
      isUnchanged: before === wanted,
    };
  });
}

async function requireResource(
  tx: Tx,
  projectId: string,
  { kind, id }: { kind: ResourceType['kind']; id: string | null },
): Promise<void> {
  if (id === null) return;
  const found = await lockResources(tx, projectId, { type: { kind }, ids: [id] });
  if (found.size === 0) throw fail('record.not_found', { kind, name: id });
}

function toSelection({ kind, type: name, id }: { kind: 'users' | 'groups'; type: string; id: string }): {
  subject: Subject;
  type: ResourceType;
} {
  const type = toResourceType(name);
  if (!type) throw fail('record.not_found', { kind: 'type', name });
  return { subject: { kind: kind === 'users' ? 'user' : 'group', id }, type };
}

function auditOf({ id, subject, resource }: PermissionView, level: { before: string | null; after: string | null }) {
  return { type: 'permission', id, name: resource.name ?? resource.kind, changes: { subject, resource, level } };
}
