import type { Buffer } from 'node:buffer';
import { fail, type Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { AppError, err, ok, type Result, systemClock } from '@flotilla/kit';
import type { Authenticator, Credential, KnownActor } from '../../../platform/http/actor.ts';
import type { SessionCookie } from '../../../platform/http/session-cookie.ts';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { API_TOKEN_PREFIX, authenticateApiToken } from '../../../platform/tokens/index.ts';
import { ACCESS_TOKEN_S } from './access-token-life.ts';
import { existsProject, findAccountByName, type SessionUser, toSessionUser } from './account-store.ts';
import type { Attempt, SignInAttempts } from './attempt-store.ts';
import type { CsrfTokens } from './csrf.ts';
import { IdentityCache } from './identity-cache.ts';
import { createDecoyHash, verifyPassword } from './passwords.ts';
import {
  createRefreshToken,
  digestOf,
  findRefreshed,
  REFRESH_TOKEN_PREFIX,
  type Redeemed,
  redeemRefreshToken,
} from './refresh-tokens.ts';
import { loadIdentity, type Origin, openSession, type ShownFor } from './session-store.ts';
import { SessionUses } from './session-uses.ts';
import type { SignInPolicy } from './sign-in-policy.ts';
import type { AccessTokens, Audience } from './tokens.ts';

export interface SignedSession {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: Date;
  readonly refreshExpiresAt: Date;
}

export interface BrowserSession {
  readonly cookie: SessionCookie;
  readonly csrfToken: string;
  /** Expiry of the access token in the cookie, which must be refreshed before. */
  readonly expiresAt: Date;
}

interface SessionDeps {
  readonly db: Db;
  readonly tokens: AccessTokens;
  readonly csrf: CsrfTokens;
  readonly cipher: Cipher;
  readonly policy: SignInPolicy;
  readonly attempts: SignInAttempts;
}

/**
 * Sessions are stored in the database and cached for at most half a second (IdentityCache): ending one (logout,
 * password change, disabled user) takes effect on the next request here, and within that time on other controllers.
 */
export class SessionService implements Authenticator {
  readonly #db: Db;
  readonly #tokens: AccessTokens;
  readonly #csrf: CsrfTokens;
  readonly #cipher: SessionDeps['cipher'];
  readonly #attempts: SignInAttempts;
  readonly #identities: IdentityCache;
  readonly uses: SessionUses;
  readonly policy: SignInPolicy;
  /** Verified against when the user name is unknown, so that both cases take the same time. */
  readonly #decoyHash = createDecoyHash();

  constructor(deps: SessionDeps) {
    this.#db = deps.db;
    this.#tokens = deps.tokens;
    this.#csrf = deps.csrf;
    this.#cipher = deps.cipher;
    this.#attempts = deps.attempts;
    this.policy = deps.policy;
    this.#identities = new IdentityCache((sessionId) => loadIdentity(deps.db, sessionId), systemClock);
    this.uses = new SessionUses(deps.db);
  }

  /**
   * Checks the password, outside any transaction because it takes about 20 ms. A wrong one is an expected result, with
   * the account if it exists. Throws auth.throttled while the account must wait.
   */
  async checkPassword(
    username: string,
    password: string,
    from: { ip: string; now: Date },
  ): Promise<Result<SessionUser, { account: SessionUser | undefined; throttled?: AppError }>> {
    const row = await findAccountByName(this.#db, username);
    const account = row && toSessionUser(row);
    let attempt: Attempt;
    try {
      attempt = await this.#attempts.begin(username, from.ip, from.now);
    } catch (error) {
      if (error instanceof AppError) return err({ account, throttled: error });
      throw error;
    }
    const right = await verifyPassword(password, row?.password_hash ?? this.#decoyHash);
    // An account without a password belongs to a directory; its attempt was verified against the decoy.
    if (!account || !right || !row?.active || row.password_hash === null) return err({ account });
    await this.#attempts.succeed(attempt);
    return ok(account);
  }

  async start(tx: Tx, user: SessionUser, from: Origin, by: ShownFor): Promise<SignedSession> {
    const refresh = createRefreshToken();
    const { id, expiresAt: refreshExpiresAt } = await openSession(tx, {
      userId: user.id,
      kind: 'bearer',
      refreshDigest: refresh.digest,
      by,
      from,
      days: this.policy.rules.session_days,
    });
    const signed = await this.signAccess({ userId: user.id, sessionId: id }, 'flotilla:api', from.now);
    return { ...signed, refreshToken: refresh.token, refreshExpiresAt };
  }

  async startBrowser(tx: Tx, user: SessionUser, from: Origin, by: ShownFor): Promise<BrowserSession> {
    const refresh = createRefreshToken();
    const { id } = await openSession(tx, {
      userId: user.id,
      kind: 'browser',
      refreshDigest: refresh.digest,
      by,
      from,
      days: this.policy.rules.session_days,
    });
    const signed = await this.signAccess({ userId: user.id, sessionId: id }, 'flotilla:browser', from.now);
    return {
      cookie: {
        token: signed.accessToken,
        refreshToken: refresh.token,
        maxAgeS: this.policy.rules.session_days * DAY_S,
      },
      csrfToken: this.csrfTokenOf(id),
      expiresAt: signed.expiresAt,
    };
  }

  async signAccess(
    of: { userId: string; sessionId: string },
    audience: Audience,
    now: Date,
  ): Promise<{ accessToken: string; expiresAt: Date }> {
    const accessToken = await this.#tokens.sign({ ...of, audience }, now);
    return { accessToken, expiresAt: new Date(now.getTime() + ACCESS_TOKEN_S * 1000) };
  }

  csrfTokenOf(sessionId: string): string {
    return this.#csrf.tokenOf(sessionId);
  }

  isCsrfTokenOf(sessionId: string, given: unknown): boolean {
    return this.#csrf.isTokenOf(sessionId, given);
  }

  redeem(of: { sessionId: string; digest: Buffer; rotate: boolean; now: Date }): Promise<Redeemed> {
    return this.#db.transaction().execute((tx) => redeemRefreshToken(tx, of, this.#cipher));
  }

  async authenticate(bearer: string, use: Credential, ip: string): Promise<KnownActor> {
    if (bearer.startsWith(API_TOKEN_PREFIX)) {
      if (use !== 'access') throw fail('auth.wrong_kind');
      return authenticateApiToken(this.#db, bearer, ip);
    }
    const wantsRefresh = use === 'refresh' || use === 'browser_refresh';
    if (bearer.startsWith(REFRESH_TOKEN_PREFIX)) {
      if (!wantsRefresh) throw fail('auth.wrong_kind');
      return this.#authenticateRefresh(bearer, use);
    }
    const claims = await this.#tokens.read(bearer);
    if (wantsRefresh || claims.audience !== AUDIENCE_OF[use]) throw fail('auth.wrong_kind');
    const identity = await this.#identities.find(claims.sessionId);
    if (identity?.userId !== claims.userId || identity.expiresAt.getTime() <= Date.now())
      throw fail('auth.session_ended');
    const { userId: id, username: name, sessionId, isOwner, mustChangePassword } = identity;
    this.uses.note(sessionId, ip, Date.now());
    return { kind: 'user', id, name, sessionId, isOwner, mustChangePassword, expiresAt: claims.expiresAt };
  }

  async findRole(actor: KnownActor, projectId: string): Promise<Role | undefined> {
    if (actor.kind === 'token') return actor.projectId === projectId.toLowerCase() ? actor.role : undefined;
    const identity = await this.#identities.find(actor.sessionId);
    if (!identity?.isOwner) return identity?.roles.get(projectId.toLowerCase());
    if (identity.closed.has(projectId.toLowerCase())) return undefined;
    return (await existsProject(this.#db, projectId)) ? 'owner' : undefined;
  }

  async findClosedRole(actor: KnownActor, projectId: string): Promise<Role | undefined> {
    if (actor.kind === 'token') return undefined;
    return (await this.#identities.find(actor.sessionId))?.closed.get(projectId.toLowerCase());
  }

  async findReader(actor: KnownActor, projectId: string): Promise<string | undefined> {
    if (actor.kind === 'token') return actor.reader;
    const identity = await this.#identities.find(actor.sessionId);
    return identity?.isOwner === false && identity.listed.has(projectId.toLowerCase()) ? identity.userId : undefined;
  }

  forget(): void {
    this.#identities.forget();
  }

  /** Also accepts a replaced token: `redeem` decides under the session's lock what that means. */
  async #authenticateRefresh(token: string, use: 'refresh' | 'browser_refresh'): Promise<KnownActor> {
    const refresh = digestOf(token);
    const session = await findRefreshed(this.#db, refresh, {
      now: new Date(),
      browserIdleDays: this.policy.rules.browser_idle_days,
    });
    if (!session) throw fail('auth.invalid');
    if (session.kind !== KIND_OF[use]) throw fail('auth.wrong_kind');
    if (!session.isLive) throw fail('auth.session_ended');
    const { user_id: id, username: name, id: sessionId, is_owner: isOwner } = session;
    return { kind: 'user', id, name, sessionId, isOwner, refresh };
  }
}

const DAY_S = 24 * 3600;
const AUDIENCE_OF = { access: 'flotilla:api', browser: 'flotilla:browser' } as const satisfies Record<string, Audience>;
const KIND_OF = { refresh: 'bearer', browser_refresh: 'browser' } as const;
