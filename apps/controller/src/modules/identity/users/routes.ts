import { userRoutes } from '@flotilla/contract';
import { implement, type ProjectLocator, type Route } from '../../../platform/http/route.ts';
import type { SignInPolicy } from '../sessions/index.ts';
import { planUserDeletion } from './deletion-store.ts';
import { administeredBy, requireAccountAuthority } from './model.ts';
import {
  addMember,
  administratorOf,
  changeUserAccount,
  createUserAccount,
  deleteUserAccount,
  endMembership,
  findAdministrator,
  findMember,
  setMembership,
} from './service.ts';
import { listUsers } from './store.ts';
import { toUserView } from './views.ts';

const projectOfPath: ProjectLocator = async (_db, { project_id: projectId }) => projectId;

/** The right to change an account depends on its home, which may be another project than the requested one. */
export function createUserRoutes(policy: SignInPolicy): Route[] {
  const routes = [
    implement(userRoutes.list, async (ctx, { query }) => {
      const projectId = ctx.scope?.id;
      const { items: users, next_cursor } = await listUsers(ctx.db, { ...query, isOwner: query.is_owner, projectId });
      const administrator = await findAdministrator(ctx);
      const items = users.map((user) => toUserView(user, projectId, administrator));
      return { body: { items, next_cursor } };
    }),
    implement(userRoutes.create, (ctx, { body }) => createUserAccount(ctx, policy, body)),
    implement(userRoutes.get, async (ctx, { params }) => {
      const user = await findMember(ctx, params.user_id);
      return { body: toUserView(user, ctx.scope?.id, await findAdministrator(ctx)), etag: user.revision };
    }),
    implement(userRoutes.replace, (ctx, { params, body }) =>
      changeUserAccount(ctx, { policy, id: params.user_id }, body),
    ),
    implement(userRoutes.patch, (ctx, { params, body }) =>
      changeUserAccount(ctx, { policy, id: params.user_id }, body),
    ),
    implement(userRoutes.planDeletion, async (ctx, { params }) => {
      const user = await findMember(ctx, params.user_id);
      const administrator = await administratorOf(ctx);
      requireAccountAuthority(administrator, user);
      return {
        body: await planUserDeletion(ctx.db, user.id, { projects: administeredBy(administrator), now: ctx.now }),
      };
    }),
    implement(userRoutes.delete, (ctx, { params, query }) => deleteUserAccount(ctx, params.user_id, query.plan)),
    implement(userRoutes.addMember, (ctx, { body }) => addMember(ctx, body.username, body.role)),
    implement(userRoutes.setMembership, (ctx, { params, body }) => setMembership(ctx, params.user_id, body.role), {
      locateProject: projectOfPath,
    }),
    implement(userRoutes.endMembership, (ctx, { params }) => endMembership(ctx, params.user_id), {
      locateProject: projectOfPath,
    }),
  ];
  return routes.map((route) => ({ ...route, acrossProjects: true }));
}
