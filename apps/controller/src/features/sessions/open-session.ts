import type { Db } from '@flotilla/db';
import type { RequestContext } from '../../http/context.ts';
import { listMemberships } from './account.ts';
import type { SessionService, SessionUser } from './service.ts';
import type { OpenSession, SignedInBy } from './sign-in-pipeline.ts';

type Origin = Pick<RequestContext, 'ip' | 'userAgent' | 'now'>;

/** A session of tokens, for the answer of POST /auth/login and whatever else ends in one. */
export function openBearerSession(sessions: SessionService, from: Origin): OpenSession {
  return async (tx, user, by) => {
    const signed = await sessions.start(tx, user, from, by);
    return {
      body: {
        access_token: signed.accessToken,
        refresh_token: signed.refreshToken,
        expires_at: signed.expiresAt.toISOString(),
        refresh_expires_at: signed.refreshExpiresAt.toISOString(),
        user: await describeUser(tx, forSession(user, by)),
      },
    };
  };
}

/** A session of a browser: its tokens go into cookies. */
export function openBrowserSession(sessions: SessionService, from: Origin): OpenSession {
  return async (tx, user, by) => {
    const { cookie, csrfToken, expiresAt } = await sessions.startBrowser(tx, user, from, by);
    return {
      body: {
        user: await describeUser(tx, forSession(user, by)),
        csrf_token: csrfToken,
        expires_at: expiresAt.toISOString(),
      },
      sessionCookie: cookie,
    };
  };
}

/** No password was shown with a passkey: none is asked for. */
function forSession(user: SessionUser, { primary }: SignedInBy): SessionUser {
  return { ...user, mustChangePassword: user.mustChangePassword && primary !== 'passkey' };
}

export async function describeUser(db: Db, user: SessionUser) {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    is_owner: user.isOwner,
    must_change_password: user.mustChangePassword,
    memberships: await listMemberships(db, user),
  };
}
