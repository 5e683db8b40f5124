import type { Db } from '@flotilla/db';
import type { RequestContext } from '../../http/context.ts';
import { listMemberships } from './account.ts';
import type { SessionService, SessionUser } from './service.ts';
import type { OpenSession } from './sign-in-pipeline.ts';

type Origin = Pick<RequestContext, 'ip' | 'userAgent' | 'now'>;

/** A session of tokens, for the answer of POST /auth/login and whatever else ends in one. */
export function openBearerSession(sessions: SessionService, from: Origin): OpenSession {
  return async (tx, user, { factors }) => {
    const signed = await sessions.start(tx, user, from, factors);
    return {
      body: {
        access_token: signed.accessToken,
        refresh_token: signed.refreshToken,
        expires_at: signed.expiresAt.toISOString(),
        refresh_expires_at: signed.refreshExpiresAt.toISOString(),
        user: await describeUser(tx, user),
      },
    };
  };
}

/** A session of a browser: its tokens go into cookies. */
export function openBrowserSession(sessions: SessionService, from: Origin): OpenSession {
  return async (tx, user, { factors }) => {
    const { cookie, csrfToken, expiresAt } = await sessions.startBrowser(tx, user, from, factors);
    return {
      body: { user: await describeUser(tx, user), csrf_token: csrfToken, expires_at: expiresAt.toISOString() },
      sessionCookie: cookie,
    };
  };
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
