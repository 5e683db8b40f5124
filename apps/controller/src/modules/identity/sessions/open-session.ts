import type { Db } from '@flotilla/db';
import type { RequestContext } from '../../../platform/http/context.ts';
import type { SessionUser } from './account-store.ts';
import { listMemberships } from './account-store.ts';
import type { SessionService } from './service.ts';
import type { OpenSession, SignedInBy } from './sign-in-pipeline.ts';

type Origin = Pick<RequestContext, 'ip' | 'userAgent' | 'now'>;

/** Opens a session with tokens in the answer, such as that of POST /auth/login. */
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

/** Opens a browser session, whose tokens are set as cookies. */
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

/** A sign-in with a passkey used no password, so no change of it is required. */
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
