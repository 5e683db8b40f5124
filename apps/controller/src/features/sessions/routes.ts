import { fail, sessionRoutes } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { implement, type Route } from '../../http/route.ts';
import { endSessions, type SessionService } from './service.ts';

export function createSessionRoutes(sessions: SessionService): Route[] {
  return [
    implement(sessionRoutes.login, async (ctx, { body }) => {
      const checked = await sessions.checkPassword(body.username, body.password, ctx);
      if (!checked.ok) {
        const { account, throttled } = checked.error;
        ctx.about({ type: 'user', ...(account && { id: account.id, name: account.username }) });
        throw throttled ?? fail('auth.wrong_credentials');
      }
      const user = checked.value;
      return ctx.write(async (tx) => {
        const signed = await sessions.start(tx, user, ctx);
        return {
          reply: {
            body: {
              access_token: signed.accessToken,
              refresh_token: signed.refreshToken,
              expires_at: signed.expiresAt.toISOString(),
              refresh_expires_at: signed.refreshExpiresAt.toISOString(),
              user: {
                id: user.id,
                username: user.username,
                email: user.email,
                is_owner: user.isOwner,
                memberships: await listMemberships(tx, user.id),
              },
            },
          },
          audit: { type: 'user', id: user.id, name: user.username },
        };
      });
    }),
    implement(sessionRoutes.refresh, async (ctx) => {
      if (ctx.actor.kind !== 'user') throw fail('auth.wrong_kind');
      const { accessToken, expiresAt } = await sessions.renewAccess(ctx.actor, ctx.now);
      return { body: { access_token: accessToken, expires_at: expiresAt.toISOString() } };
    }),
    implement(sessionRoutes.logout, async (ctx) => {
      const { actor } = ctx;
      if (actor.kind !== 'user') throw fail('auth.wrong_kind');
      return ctx.write(async (tx) => {
        await endSessions(tx, { userId: actor.id, sessionId: actor.sessionId }, 'logout', ctx.now);
        return { reply: {}, audit: { type: 'user', id: actor.id, name: actor.name } };
      });
    }),
  ];
}

/** A user's projects with names and roles, for the profile and for the answer of a login. */
export async function listMemberships(db: Db, userId: string) {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('projects', 'projects.id', 'memberships.project_id')
    .select(['projects.id', 'projects.name', 'memberships.role'])
    .where('memberships.user_id', '=', userId)
    .orderBy('projects.name')
    .execute();
  return rows.map(({ id, name, role }) => ({ project: id, project_name: name, role }));
}
