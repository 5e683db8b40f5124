import { fail, sessionRoutes } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { Reply, RequestContext } from '../../http/context.ts';
import { implement, type Route } from '../../http/route.ts';
import { findSessionUser, listMemberships } from './account.ts';
import { endSessions, type SessionService, type SessionUser } from './service.ts';

export function createSessionRoutes(sessions: SessionService): Route[] {
  /** Checks the password and opens the session that the caller asked for; both ways of signing in are this. */
  const signIn = async (
    ctx: RequestContext,
    given: { username: string; password: string },
    open: (tx: Tx, user: SessionUser) => Promise<Reply>,
  ): Promise<Reply> => {
    const checked = await sessions.checkPassword(given.username, given.password, ctx);
    if (!checked.ok) {
      const { account, throttled } = checked.error;
      ctx.about({ type: 'user', ...(account && { id: account.id, name: account.username }) });
      throw throttled ?? fail('auth.wrong_credentials');
    }
    const user = checked.value;
    return ctx.write(async (tx) => ({
      reply: await open(tx, user),
      audit: { type: 'user', id: user.id, name: user.username },
    }));
  };

  return [
    implement(sessionRoutes.login, (ctx, { body }) =>
      signIn(ctx, body, async (tx, user) => {
        const signed = await sessions.start(tx, user, ctx);
        return {
          body: {
            access_token: signed.accessToken,
            refresh_token: signed.refreshToken,
            expires_at: signed.expiresAt.toISOString(),
            refresh_expires_at: signed.refreshExpiresAt.toISOString(),
            user: await describeUser(tx, user),
          },
        };
      }),
    ),
    implement(sessionRoutes.refresh, async (ctx) => {
      const { accessToken, expiresAt } = await sessions.renewAccess(requireUser(ctx), ctx.now);
      return { body: { access_token: accessToken, expires_at: expiresAt.toISOString() } };
    }),
    implement(sessionRoutes.logout, (ctx) => endOwnSession(ctx, {})),
    implement(sessionRoutes.browserLogin, (ctx, { body }) =>
      signIn(ctx, body, async (tx, user) => {
        const { token, maxAgeS, csrfToken } = await sessions.startBrowser(tx, user, ctx);
        return {
          body: { user: await describeUser(tx, user), csrf_token: csrfToken },
          sessionCookie: { token, maxAgeS },
        };
      }),
    ),
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

async function describeUser(db: RequestContext['db'], user: SessionUser) {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    is_owner: user.isOwner,
    memberships: await listMemberships(db, user),
  };
}
