import { fail, failIdentity, type ProfileView, profileRoutes } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { Actor } from '../../../platform/http/actor.ts';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { findRealmOf } from '../directories/index.ts';
import {
  beganWithPasskey,
  endOneSession,
  endSessions,
  failWeakPassword,
  hashPassword,
  listMemberships,
  listSessions,
  type SessionService,
} from '../sessions/index.ts';
import { requireSession, type SessionActor } from '../users/index.ts';
import { findProfile, findProjectName, setEmail, setPassword } from './store.ts';

export function createProfileRoutes(sessions: SessionService): Route[] {
  return [
    implement(profileRoutes.get, async (ctx) => ({ body: await describeCaller(ctx.db, ctx.actor) })),
    serveChangePassword(sessions),
    serveChangeEmail(sessions),
    implement(profileRoutes.listSessions, async (ctx) => {
      const actor = requireSession(ctx.actor);
      const items = await listSessions(ctx.db, actor.id, ctx.now);
      return {
        body: { items: items.map((item) => ({ ...item, current: item.id === actor.sessionId })), next_cursor: null },
      };
    }),
    implement(profileRoutes.endOtherSessions, (ctx) => {
      const actor = requireSession(ctx.actor);
      return ctx.write(async (tx) => {
        await endSessions(tx, { userId: actor.id, except: actor.sessionId }, 'ended_by_user', ctx.now);
        return { reply: {}, audit: { type: 'session', name: actor.name } };
      });
    }),
    implement(profileRoutes.endSession, (ctx, { params }) => {
      const actor = requireSession(ctx.actor);
      const sessionId = params.session_id.toLowerCase();
      return ctx.write(async (tx) => {
        await endOneSession(tx, { userId: actor.id, sessionId }, 'ended_by_user', ctx.now);
        return { reply: {}, audit: { type: 'session', id: sessionId, name: actor.name } };
      });
    }),
  ];
}

function serveChangePassword(sessions: SessionService): Route {
  return implement(profileRoutes.changePassword, async (ctx, { body }) => {
    const actor = await requirePassword(sessions, ctx, body.current_password);
    sessions.policy.requireGoodPassword(body.new_password, actor.name, 'new_password');
    if (body.new_password.normalize('NFC') === body.current_password.normalize('NFC'))
      throw failWeakPassword('it is the current one.', 'new_password');
    const passwordHash = await hashPassword(body.new_password);
    return ctx.write(async (tx) => {
      await setPassword(tx, actor.id, { passwordHash, now: ctx.now });
      await endSessions(tx, { userId: actor.id, except: actor.sessionId }, 'password_changed', ctx.now);
      return { reply: {}, audit: { type: 'user', id: actor.id, name: actor.name } };
    });
  });
}

function serveChangeEmail(sessions: SessionService): Route {
  return implement(profileRoutes.changeEmail, async (ctx, { body }) => {
    const actor = await requirePassword(sessions, ctx, body.current_password);
    return ctx.write(async (tx) => {
      await setEmail(tx, actor.id, { email: body.email, now: ctx.now });
      return {
        reply: {},
        audit: { type: 'user', id: actor.id, name: actor.name, changes: { email: body.email } },
      };
    });
  });
}

/** Throws unless the caller knows its password: a stolen access token alone must not change an account permanently. */
async function requirePassword(sessions: SessionService, ctx: RequestContext, password: string): Promise<SessionActor> {
  const actor = requireSession(ctx.actor);
  ctx.about({ type: 'user', id: actor.id, name: actor.name });
  if (await findRealmOf(ctx.db, actor.id)) throw failIdentity('user.of_directory');
  const checked = await sessions.checkPassword(actor.name, password, ctx);
  if (!checked.ok) throw checked.error.throttled ?? failIdentity('password.wrong');
  return actor;
}

async function describeCaller(db: Db, actor: Actor): Promise<ProfileView> {
  if (actor.kind === 'token') {
    const projectName = await findProjectName(db, actor.projectId);
    const { id, name, projectId, role } = actor;
    return { kind: 'token', id, name, project: projectId, project_name: projectName, role };
  }
  const { id, sessionId } = requireSession(actor);
  const user = await findProfile(db, id);
  // Deleted a moment ago on another controller.
  if (!user) throw fail('auth.session_ended');
  return {
    kind: 'user',
    id,
    username: user.username,
    email: user.email,
    is_owner: user.is_owner,
    must_change_password: user.must_change_password && !(await beganWithPasskey(db, sessionId)),
    memberships: await listMemberships(db, { id, isOwner: user.is_owner }),
    password_changed_at: user.password_changed_at.toISOString(),
    created_at: user.created_at.toISOString(),
    session: sessionId,
  };
}
