import { fail, type Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { AppError, createId, err, ok, type Result } from '@flotilla/kit';
import type { Authenticator, KnownActor } from '../../http/actor.ts';
import { API_TOKEN_PREFIX, authenticateApiToken } from '../tokens/index.ts';
import { type Attempt, SignInAttempts } from './attempts.ts';
import type { CsrfTokens } from './csrf.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { ACCESS_TOKEN_S, SESSION_S, type TokenSigner, type TokenUse } from './tokens.ts';

export interface SessionUser {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly isOwner: boolean;
}

export interface SignedSession {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: Date;
  readonly refreshExpiresAt: Date;
  readonly user: SessionUser;
}

export interface BrowserSession {
  /** For the cookie. */
  readonly token: string;
  readonly maxAgeS: number;
  readonly csrfToken: string;
}

interface Origin {
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly now: Date;
}

/**
 * Sessions live in the database and every request looks its session up: ending one (logout, password change, a user
 * switched off) is felt by the very next request, whatever tokens are still about.
 */
export class SessionService implements Authenticator {
  readonly #db: Db;
  readonly #signer: TokenSigner;
  readonly #csrf: CsrfTokens;
  readonly #attempts: SignInAttempts;
  /** Verified against when the user name is unknown, so that both cases take the same time. */
  readonly #decoyHash: Promise<string> = hashPassword('not a password of anybody');

  constructor(deps: { db: Db; signer: TokenSigner; csrf: CsrfTokens }) {
    this.#db = deps.db;
    this.#signer = deps.signer;
    this.#csrf = deps.csrf;
    this.#attempts = new SignInAttempts(deps.db);
  }

  /**
   * Checks the password, outside any transaction: it takes about 20 ms. A wrong one is an expected outcome and names the
   * account it was tried on, where there is one. Throws auth.throttled when the account has to wait.
   */
  async checkPassword(
    username: string,
    password: string,
    from: { ip: string; now: Date },
  ): Promise<Result<SessionUser, { account: SessionUser | undefined; throttled?: AppError }>> {
    const row = await this.#db
      .selectFrom('users')
      .select(['id', 'username', 'email', 'is_owner', 'active', 'password_hash'])
      .where((eb) => eb(eb.fn('lower', ['username']), '=', username.toLowerCase()))
      .executeTakeFirst();
    const account = row && { id: row.id, username: row.username, email: row.email, isOwner: row.is_owner };
    let attempt: Attempt;
    try {
      attempt = await this.#attempts.begin(username, from.ip, from.now);
    } catch (error) {
      if (error instanceof AppError) return err({ account, throttled: error });
      throw error;
    }
    const right = await verifyPassword(password, row?.password_hash ?? (await this.#decoyHash));
    if (!account || !right || !row?.active) return err({ account });
    await this.#attempts.succeed(attempt, from.now);
    return ok(account);
  }

  async start(tx: Tx, user: SessionUser, from: Origin): Promise<SignedSession> {
    const { now } = from;
    const { id, expiresAt: refreshExpiresAt } = await openSession(tx, user, from);
    return {
      accessToken: await this.#signer.sign({ userId: user.id, sessionId: id, use: 'access' }, now, ACCESS_TOKEN_S),
      refreshToken: await this.#signer.sign({ userId: user.id, sessionId: id, use: 'refresh' }, now, SESSION_S),
      expiresAt: new Date(now.getTime() + ACCESS_TOKEN_S * 1000),
      refreshExpiresAt,
      user,
    };
  }

  async startBrowser(tx: Tx, user: SessionUser, from: Origin): Promise<BrowserSession> {
    const { id } = await openSession(tx, user, from);
    const token = await this.#signer.sign({ userId: user.id, sessionId: id, use: 'browser' }, from.now, SESSION_S);
    return { token, maxAgeS: SESSION_S, csrfToken: this.csrfTokenOf(id) };
  }

  csrfTokenOf(sessionId: string): string {
    return this.#csrf.tokenOf(sessionId);
  }

  isCsrfTokenOf(sessionId: string, given: unknown): boolean {
    return this.#csrf.isTokenOf(sessionId, given);
  }

  async renewAccess(
    actor: KnownActor & { kind: 'user' },
    now: Date,
  ): Promise<{ accessToken: string; expiresAt: Date }> {
    const accessToken = await this.#signer.sign(
      { userId: actor.id, sessionId: actor.sessionId, use: 'access' },
      now,
      ACCESS_TOKEN_S,
    );
    return { accessToken, expiresAt: new Date(now.getTime() + ACCESS_TOKEN_S * 1000) };
  }

  async authenticate(bearer: string, use: TokenUse, ip: string): Promise<KnownActor> {
    if (bearer.startsWith(API_TOKEN_PREFIX)) {
      if (use !== 'access') throw fail('auth.wrong_kind');
      return authenticateApiToken(this.#db, bearer, ip);
    }
    const claims = await this.#signer.read(bearer, use);
    const row = await this.#db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select([
        'users.id',
        'users.username',
        'users.is_owner',
        'users.active',
        'sessions.ended_at',
        'sessions.expires_at',
      ])
      .where('sessions.id', '=', claims.sessionId)
      .where('users.id', '=', claims.userId)
      .executeTakeFirst();
    if (!row?.active || row.ended_at !== null || row.expires_at.getTime() < Date.now())
      throw fail('auth.session_ended');
    return { kind: 'user', id: row.id, name: row.username, sessionId: claims.sessionId, isOwner: row.is_owner };
  }

  async findRole(actor: KnownActor, projectId: string): Promise<Role | undefined> {
    if (actor.kind === 'token') return actor.projectId === projectId.toLowerCase() ? actor.role : undefined;
    if (actor.isOwner) {
      const project = await this.#db.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst();
      return project && 'owner';
    }
    const row = await this.#db
      .selectFrom('memberships')
      .select('role')
      .where('project_id', '=', projectId)
      .where('user_id', '=', actor.id)
      .executeTakeFirst();
    return row?.role;
  }
}

async function openSession(
  tx: Tx,
  user: SessionUser,
  { ip, userAgent, now }: Origin,
): Promise<{ id: string; expiresAt: Date }> {
  const id = createId(now.getTime());
  const expiresAt = new Date(now.getTime() + SESSION_S * 1000);
  await tx
    .insertInto('sessions')
    .values({ id, user_id: user.id, created_at: now, expires_at: expiresAt, ip, user_agent: userAgent ?? null })
    .execute();
  return { id, expiresAt };
}

/** The live sessions of a user, newest first. */
export async function listSessions(db: Db, userId: string, now: Date) {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'created_at', 'expires_at', 'ip', 'user_agent'])
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(1000)
    .execute();
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }));
}

const FORGET_SESSIONS_BATCH = 5000;

/** Sessions that ended or expired as long ago as a session may last: until then they tell which addresses are known. */
export async function forgetOldSessions(db: Db, now: Date): Promise<void> {
  const old = new Date(now.getTime() - SESSION_S * 1000);
  await db
    .deleteFrom('sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('sessions')
        .select('id')
        .where((or) => or.or([or('expires_at', '<', old), or('ended_at', '<', old)]))
        .limit(FORGET_SESSIONS_BATCH),
    )
    .execute();
}

/** Returns how many ended. Ends sessions of a user, all or all but one. Part of the transaction that changes the password or the account. */
export async function endSessions(
  tx: Tx,
  filter: { userId: string; sessionId?: string; except?: string },
  reason: string,
  now: Date,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set({ ended_at: now, end_reason: reason })
    .where('user_id', '=', filter.userId)
    .where('ended_at', 'is', null)
    .$if(filter.sessionId !== undefined, (query) => query.where('id', '=', filter.sessionId ?? ''))
    .$if(filter.except !== undefined, (query) => query.where('id', '!=', filter.except ?? ''))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
