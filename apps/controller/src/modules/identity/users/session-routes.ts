import { userSessionRoutes } from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { endOneSession, endSessions, listSessions, type SignInAttempts } from '../sessions/index.ts';
import { requireAccountAuthority, requireSession, type User } from './model.ts';
import { administratorOf, findMember } from './service.ts';

/**
 * Sessions and failed sign-ins of other users. The right to end them depends on the account's home, which may be
 * another project.
 */
export function createUserSessionRoutes(attempts: SignInAttempts): Route[] {
  const routes = [
    implement(userSessionRoutes.list, async (ctx, { params }) => {
      const user = await findAccount(ctx, params.user_id);
      const own = requireSession(ctx.actor).sessionId;
      const items = await listSessions(ctx.db, user.id, ctx.now);
      return { body: { items: items.map((item) => ({ ...item, current: item.id === own })), next_cursor: null } };
    }),
    implement(userSessionRoutes.endAll, async (ctx, { params }) => {
      const user = await findAccount(ctx, params.user_id);
      return ctx.write(async (tx) => {
        const ended = await endSessions(tx, { userId: user.id }, 'ended_by_administrator', ctx.now);
        return { reply: {}, audit: { ...subjectOf(user), changes: { ended } } };
      });
    }),
    implement(userSessionRoutes.end, async (ctx, { params }) => {
      const user = await findAccount(ctx, params.user_id);
      const sessionId = params.session_id.toLowerCase();
      return ctx.write(async (tx) => {
        await endOneSession(tx, { userId: user.id, sessionId }, 'ended_by_administrator', ctx.now);
        return { reply: {}, audit: { ...subjectOf(user), changes: { session: sessionId } } };
      });
    }),
    implement(userSessionRoutes.unlock, async (ctx, { params }) => {
      const user = await findAccount(ctx, params.user_id);
      return ctx.write(async (tx) => {
        await attempts.unlock(tx, user);
        return { reply: {}, audit: subjectOf(user) };
      });
    }),
  ];
  return routes.map((route) => ({ ...route, acrossProjects: true }));
}

/** Throws record.not_found for users of other projects, and a refusal without authority over the account. */
async function findAccount(ctx: RequestContext, id: string): Promise<User> {
  const administrator = await administratorOf(ctx);
  const user = await findMember(ctx, id);
  requireAccountAuthority(administrator, user);
  return user;
}

function subjectOf({ id, username }: User) {
  return { type: 'user', id, name: username };
}
