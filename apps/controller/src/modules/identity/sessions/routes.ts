import { fail, LOCAL_REALM, sessionRoutes } from '@flotilla/contract';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { findSessionUser } from './account-store.ts';
import { describeUser, openBearerSession, openBrowserSession } from './open-session.ts';
import type { Renewed } from './refresh-tokens.ts';
import type { SessionService } from './service.ts';
import { endSessions } from './session-store.ts';
import type { GivenCode, OpenSession, PasswordRealms, SignInPipeline } from './sign-in-pipeline.ts';

/** Reads across projects: nobody is identified yet, and the required factor depends on every project of the account. */
const acrossProjects = { acrossProjects: true } as const;

export function createSessionRoutes(
  sessions: SessionService,
  pipeline: SignInPipeline,
  realms: PasswordRealms,
): Route[] {
  /** Checks the password and leaves further factors and the session to the pipeline. */
  const signIn = async (
    ctx: RequestContext,
    given: { username: string; password: string; realm?: string | undefined } & GivenCode,
    open: OpenSession,
  ): Promise<Reply> => {
    const { realm = LOCAL_REALM } = given;
    if (realm !== LOCAL_REALM) {
      const by = await realms.signIn(ctx, { ...given, realm });
      return pipeline.finish(ctx, by, given, open);
    }
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
    implement(
      sessionRoutes.login,
      (ctx, { body }) => signIn(ctx, body, openBearerSession(sessions, ctx)),
      acrossProjects,
    ),
    serveRefresh(sessions),
    implement(sessionRoutes.logout, (ctx) => endOwnSession(ctx, {})),
    implement(
      sessionRoutes.browserLogin,
      (ctx, { body }) => signIn(ctx, body, openBrowserSession(sessions, ctx)),
      acrossProjects,
    ),
    implement(sessionRoutes.browserSession, async (ctx) => {
      const { id, sessionId, expiresAt } = requireUser(ctx);
      const user = await findSessionUser(ctx.db, id, sessionId);
      return {
        body: {
          user: await describeUser(ctx.db, user),
          csrf_token: sessions.csrfTokenOf(sessionId),
          expires_at: (expiresAt ?? ctx.now).toISOString(),
        },
      };
    }),
    serveBrowserRefresh(sessions),
    implement(sessionRoutes.browserLogout, (ctx) => endOwnSession(ctx, { sessionCookie: null })),
  ];
}

function serveRefresh(sessions: SessionService): Route {
  return implement(sessionRoutes.refresh, async (ctx, { body }) => {
    const { id, sessionId } = requireUser(ctx);
    const redeemed = await redeem(ctx, sessions, body?.rotate === true);
    const signed = await sessions.signAccess({ userId: id, sessionId }, 'flotilla:api', ctx.now);
    return {
      body: {
        access_token: signed.accessToken,
        expires_at: signed.expiresAt.toISOString(),
        ...(redeemed.token !== undefined && { refresh_token: redeemed.token }),
        refresh_expires_at: redeemed.expiresAt.toISOString(),
      },
    };
  });
}

function serveBrowserRefresh(sessions: SessionService): Route {
  return implement(sessionRoutes.browserRefresh, async (ctx) => {
    const { id, sessionId } = requireUser(ctx);
    const redeemed = await redeem(ctx, sessions, true);
    const user = await findSessionUser(ctx.db, id, sessionId);
    const signed = await sessions.signAccess({ userId: id, sessionId }, 'flotilla:browser', ctx.now);
    const maxAgeS = Math.floor((redeemed.expiresAt.getTime() - ctx.now.getTime()) / 1000);
    return {
      body: {
        user: await describeUser(ctx.db, user),
        csrf_token: sessions.csrfTokenOf(sessionId),
        expires_at: signed.expiresAt.toISOString(),
      },
      sessionCookie: { token: signed.accessToken, refreshToken: redeemed.token ?? '', maxAgeS },
    };
  });
}

/** Throws if the token was replaced too long ago; its session is then ended and the reason recorded. */
async function redeem(ctx: RequestContext, sessions: SessionService, rotate: boolean): Promise<Renewed> {
  const { id, name, sessionId, refresh } = requireUser(ctx);
  if (!refresh) throw fail('auth.wrong_kind');
  ctx.about({ type: 'session', id: sessionId, name });
  const redeemed = await sessions.redeem({ sessionId, digest: refresh, rotate, now: ctx.now });
  if (redeemed.kind === 'ended') throw fail('auth.session_ended');
  if (redeemed.kind === 'kept' || redeemed.kind === 'rotated') return redeemed;
  await ctx.write(async (tx) => {
    await endSessions(tx, { userId: id, sessionId }, 'refresh_replayed', ctx.now);
    const changes = { ended: 'refresh_replayed' };
    return { reply: {}, audit: { type: 'session', id: sessionId, name, changes } };
  });
  throw fail('auth.refresh_replayed');
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
