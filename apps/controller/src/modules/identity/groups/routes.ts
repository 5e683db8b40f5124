import { isDeepStrictEqual } from 'node:util';
import { fail, groupRoutes, groupSchema } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { diffForAudit } from '../../../platform/http/audit-diff.ts';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import {
  deleteGroup,
  deleteGroupMember,
  findGroup,
  findProjectMember,
  type GroupValues,
  insertGroup,
  insertGroupMember,
  listGroupMembers,
  listGroups,
  lockGroup,
  updateGroup,
} from './store.ts';

export function createGroupRoutes(): Route[] {
  return [
    implement(groupRoutes.list, async (ctx, { query }) => ({ body: await listGroups(ctx.db, ctx.project.id, query) })),
    implement(groupRoutes.create, (ctx, { body }) => {
      const id = createId(ctx.now.getTime());
      const values = { name: body.name, description: body.description ?? null };
      return ctx.write(async (tx) => {
        await insertGroup(tx, { id, projectId: ctx.project.id, now: ctx.now }, values);
        const group = await findGroup(tx, ctx.project.id, id);
        return {
          reply: { body: group, etag: group.revision, location: `${groupRoutes.create.path}/${id}` },
          audit: { type: 'group', id, name: group.name, changes: values },
        };
      });
    }),
    implement(groupRoutes.get, async (ctx, { params }) => {
      const group = await findGroup(ctx.db, ctx.project.id, params.group_id);
      return { body: group, etag: group.revision };
    }),
    implement(groupRoutes.replace, (ctx, { params, body }) => changeGroup(ctx, params.group_id, body)),
    implement(groupRoutes.patch, (ctx, { params, body }) => changeGroup(ctx, params.group_id, body)),
    implement(groupRoutes.delete, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const group = await lockGroup(tx, ctx.project.id, params.group_id);
        requireMatch(ctx, 'group', group.revision);
        await deleteGroup(tx, group.id);
        const changes = { members: group.member_count };
        return { reply: {}, audit: { type: 'group', id: group.id, name: group.name, changes } };
      }),
    ),
    implement(groupRoutes.listMembers, async (ctx, { params, query }) => {
      const group = await findGroup(ctx.db, ctx.project.id, params.group_id);
      return { body: await listGroupMembers(ctx.db, group.id, query) };
    }),
    implement(groupRoutes.putMember, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const group = await lockGroup(tx, ctx.project.id, params.group_id);
        const username = await findProjectMember(tx, ctx.project.id, params.user_id);
        const isUnchanged = !(await insertGroupMember(tx, group, params.user_id, ctx.now));
        const changes = { user_id: params.user_id, username };
        return { reply: {}, audit: { type: 'group', id: group.id, name: group.name, changes }, isUnchanged };
      }),
    ),
    implement(groupRoutes.deleteMember, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const group = await lockGroup(tx, ctx.project.id, params.group_id);
        const wasMember = await deleteGroupMember(tx, group.id, params.user_id);
        if (!wasMember) throw fail('record.not_found', { kind: 'member', name: params.user_id });
        const changes = { user_id: params.user_id };
        return { reply: {}, audit: { type: 'group', id: group.id, name: group.name, changes } };
      }),
    ),
  ];
}

function changeGroup(ctx: RequestContext, id: string, given: Partial<GroupValues>): Promise<Reply> {
  return ctx.write(async (tx) => {
    const before = await lockGroup(tx, ctx.project.id, id);
    requireMatch(ctx, 'group', before.revision);
    const isUnchanged = isDeepStrictEqual({ ...toComparable(before), ...given }, toComparable(before));
    if (!isUnchanged) await updateGroup(tx, before, given, ctx.now);
    const after = await findGroup(tx, ctx.project.id, id);
    const changes = diffForAudit(toComparable(before), toComparable(after), groupSchema);
    const audit = { type: 'group', id, name: after.name, changes };
    return { reply: { body: after, etag: after.revision }, audit, isUnchanged };
  });
}

function toComparable({ name, description }: GroupValues) {
  return { name, description };
}
