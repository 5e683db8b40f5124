import { fail, sessionRoutes } from '@flotilla/contract';
import type { Reply, RequestContext } from '../../http/context.ts';
import { implement, type Route } from '../../http/route.ts';
import { findSessionUser } from './account.ts';
import { describeUser, openBearerSession, openBrowserSession } from './open-session.ts';
import { endSessions, type SessionService } from './service.ts';
import type { GivenCode, OpenSession, SignInPipeline } from './sign-in-pipeline.ts';

export function createSessionRoutes(sessions: SessionService, pipeline: SignInPipeline): Route[] {
  /** Checks the password; what else is wanted, and the session, are the pipeline's. */
  const signIn = async (
    ctx: RequestContext,
    given: { username: string; password: string } & GivenCode,
    open: OpenSession,
  ): Promise<Reply> => {
    const checked = await sessions.checkPassword(given.username, given.password, ctx);
    if (!checked.ok) {
      const { account, throttled } = checked.error;
      ctx.about({ type: 'user', ...(account && { id: account.id, name: account.username }) });
      throw throttled ?? fail('auth.wrong_credentials');
    }
    const { id, username } = checked.value;
    ctx.about({ type: 'user', id, name: username });
    return pipeline.finish(ctx, { userId: id, primary: 'password', factors: [] }, given, open);
  };

  return [
    implement(sessionRoutes.login, (ctx, { body }) => signIn(ctx, body, openBearerSession(sessions, ctx))),
    implement(sessionRoutes.refresh, async (ctx) => {
      const { accessToken, expiresAt } = await sessions.renewAccess(requireUser(ctx), ctx.now);
      return { body: { access_token: accessToken, expires_at: expiresAt.toISOString() } };
    }),
    implement(sessionRoutes.logout, (ctx) => endOwnSession(ctx, {})),
    implement(sessionRoutes.browserLogin, (ctx, { body }) => signIn(ctx, body, openBrowserSession(sessions, ctx))),
    implement(sessionRoutes.browserSession, async (ctx) => {
      const { id, sessionId } = requireUser(ctx);
      const user = await findSessionUser(ctx.db, id);
      return { body: { user: await describeUser(ctx.db, user), csrf_token: sessions.csrfTokenOf(sessionId) } };
    }),
    implement(sessionRoutes.browserLogout, (ctx) => endOwnSession(ctx, { sessionCookie: null })),
  ];
}

function requireUser({ actor }: RequestContext) {
  if (actor.kind !== 'user') throw fail('auth.wrong_kind');
  return actor;
}

async function endOwnSession(ctx: RequestContext, reply: Reply): Promise<Reply> {
  const { id, name, sessionId } = requireUser(ctx);
  return ctx.write(async (tx) => {
    await endSessions(tx, { userId: id, sessionId }, 'logout', ctx.now);
    return { reply, audit: { type: 'user', id, name } };
  });
}
