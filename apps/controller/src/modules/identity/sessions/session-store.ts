import type { Buffer } from 'node:buffer';
import { fail, LISTED_ROLES, type Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { CLOSED_PROJECTS } from '../../../platform/auth/factor-demand-store.ts';
import { describeDevice } from './device.ts';
import type { Identity } from './identity-cache.ts';

/** The origin of the request that opens a session. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly now: Date;
}

/** The factors used to open a session. */
export interface ShownFor {
  readonly primary: 'password' | 'passkey' | 'ldap' | 'oidc';
  /** Names of the additional factors. */
  readonly factors: readonly string[];
}

interface NewSession {
  readonly userId: string;
  readonly kind: 'bearer' | 'browser';
  readonly refreshDigest: Buffer;
  readonly by: ShownFor;
  readonly from: Origin;
  /** Maximum lifetime. */
  readonly days: number;
}

export async function openSession(tx: Tx, session: NewSession): Promise<{ id: string; expiresAt: Date }> {
  const { userAgent, now, ip } = session.from;
  const id = createId(now.getTime());
  const expiresAt = new Date(now.getTime() + session.days * DAY_MS);
  await tx
    .insertInto('sessions')
    .values({
      id,
      user_id: session.userId,
      kind: session.kind,
      created_at: now,
      expires_at: expiresAt,
      ip,
      user_agent: userAgent?.slice(0, 512) ?? null,
      device: describeDevice(userAgent),
      primary_kind: session.by.primary,
      factors: [...session.by.factors],
      last_used_at: now,
      last_ip: ip,
      refresh_hash: session.refreshDigest,
      refresh_sealed: null,
    })
    .execute();
  return { id, expiresAt };
}

/** Loads the session with its user and their roles in one query. undefined if it has ended or the user is disabled. */
export async function loadIdentity(db: Db, sessionId: string): Promise<Identity | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select((eb) => [
      'users.id',
      'users.username',
      'users.is_owner',
      sql<boolean>`users.must_change_password and sessions.primary_kind is distinct from ${PASSKEY}`.as('must_change'),
      'sessions.expires_at',
      CLOSED_PROJECTS.as('closed'),
      eb
        .selectFrom('memberships')
        .select((of) => of.fn.jsonAgg(of.fn.toJson('memberships')).as('list'))
        .whereRef('memberships.user_id', '=', 'users.id')
        .as('memberships'),
      eb
        .selectFrom('memberships')
        .innerJoin('projects', 'projects.id', 'memberships.project_id')
        .select((of) => of.fn.agg<string[]>('array_agg', ['projects.id']).as('ids'))
        .whereRef('memberships.user_id', '=', 'users.id')
        .where('memberships.role', 'in', LISTED_ROLES)
        .where('projects.resource_access', '=', 'listed')
        .as('listed'),
    ])
    .where('sessions.id', '=', sessionId)
    .where('sessions.ended_at', 'is', null)
    .where('users.active', '=', true)
    .executeTakeFirst();
  if (!row) return undefined;
  const held = new Map((row.memberships ?? []).map(({ project_id, role }) => [project_id, role]));
  const closed = new Map(
    (row.closed ?? []).map((id): [string, Role] => [id, row.is_owner ? 'owner' : (held.get(id) ?? 'viewer')]),
  );
  const roles = new Map([...held].filter(([id]) => !closed.has(id)));
  const { id: userId, username, is_owner: isOwner, must_change: mustChangePassword } = row;
  return {
    sessionId,
    userId,
    username,
    isOwner,
    mustChangePassword,
    expiresAt: row.expires_at,
    roles,
    closed,
    listed: new Set(row.listed),
  };
}

/** The roles that a session may use, by project. An owner of the installation has more. */
export async function findUsableRoles(db: Db, sessionId: string): Promise<ReadonlyMap<string, Role>> {
  return (await loadIdentity(db, sessionId))?.roles ?? new Map();
}

/** Records that the session has passed a second factor. */
export async function noteFactor(tx: Tx, sessionId: string, factor: 'otp' | 'passkey'): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ factors: sql<string[]>`array_append(array_remove(factors, ${factor}), ${factor})` })
    .where('id', '=', sessionId)
    .execute();
}

const PASSKEY = 'passkey' satisfies ShownFor['primary'];

/** A person who signed in with a passkey may never have known the password that an administrator chose. */
export async function beganWithPasskey(db: Db, sessionId: string): Promise<boolean> {
  const row = await db.selectFrom('sessions').select('primary_kind').where('id', '=', sessionId).executeTakeFirst();
  return row?.primary_kind === PASSKEY;
}

/** The live sessions of a user, newest first. */
export async function listSessions(db: Db, userId: string, now: Date) {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'kind', 'device', 'factors', 'created_at', 'last_used_at', 'expires_at'])
    .select(['ip', 'last_ip', 'user_agent'])
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(1000)
    .execute();
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    last_used_at: (row.last_used_at ?? row.created_at).toISOString(),
    expires_at: row.expires_at.toISOString(),
  }));
}

const KEEP_DAYS = 30;
const DAY_MS = 24 * 3600_000;
const FORGET_SESSIONS_BATCH = 5000;

/** Deletes sessions that ended or expired this long ago. Until then they define the known addresses. */
export async function forgetOldSessions(db: Db, now: Date): Promise<void> {
  const old = new Date(now.getTime() - KEEP_DAYS * DAY_MS);
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

/**
 * Ends all sessions of a user, one, or all but one, in the transaction that changes the password or the account.
 * Returns the number.
 */
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

/** Ends the live sessions of many users. Returns the numbers by user. */
export async function endAllSessions(
  tx: Tx,
  userIds: readonly string[],
  reason: string,
  now: Date,
): Promise<Map<string, number>> {
  const rows = await tx
    .updateTable('sessions')
    .set({ ended_at: now, end_reason: reason })
    .where('user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
    .where('ended_at', 'is', null)
    .returning('user_id')
    .execute();
  const ended = new Map<string, number>();
  for (const { user_id: id } of rows) ended.set(id, (ended.get(id) ?? 0) + 1);
  return ended;
}

/** Ends one live session of a user. Throws record.not_found. */
export async function endOneSession(
  tx: Tx,
  of: { userId: string; sessionId: string },
  reason: string,
  now: Date,
): Promise<void> {
  if ((await endSessions(tx, of, reason, now)) === 0)
    throw fail('record.not_found', { kind: 'session', name: of.sessionId });
}

/** Stores when and from where sessions were last used. An older use never replaces a newer one. */
export async function storeUses(
  db: Db,
  uses: readonly { readonly sessionId: string; readonly ip: string; readonly at: Date }[],
): Promise<void> {
  const ids = uses.map(({ sessionId }) => sessionId);
  const ips = uses.map(({ ip }) => ip);
  const times = uses.map(({ at }) => at.toISOString());
  await sql`update sessions set last_used_at = used.at, last_ip = used.ip
    from unnest(${ids}::uuid[], ${ips}::text[], ${times}::timestamptz[]) as used (id, ip, at)
    where sessions.id = used.id and (sessions.last_used_at is null or sessions.last_used_at < used.at)`.execute(db);
}
