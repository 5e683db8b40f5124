import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Db, Tx } from '@flotilla/db';
import { createSecret, isSameSecret } from '@flotilla/kit';
import { type Keyring, sealContexts } from '../keyring/index.ts';

/** Refresh tokens start with it: a leaked one is found by scanners and told from others at a glance. */
export const REFRESH_TOKEN_PREFIX = 'flr_';
/** So long a token that was replaced still gets its successor: two tabs, or an answer that was lost. */
const GRACE_MS = 30_000;
const DAY_MS = 24 * 3600_000;

type Sealer = Pick<Keyring, 'seal' | 'unseal'>;

/** The token is shown once; what is kept is its digest. */
export function createRefreshToken(): { token: string; digest: Buffer } {
  const token = `${REFRESH_TOKEN_PREFIX}${createSecret(32)}`;
  return { token, digest: digestOf(token) };
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The session that a refresh token is or once was of. Undefined for what never was a token: it ends nothing. */
export async function findRefreshed(
  db: Db,
  digest: Buffer,
  { now, browserIdleDays }: { now: Date; browserIdleDays: number },
) {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'sessions.kind', 'sessions.ended_at', 'sessions.expires_at', 'sessions.last_used_at'])
    .select(['sessions.created_at', 'users.id as user_id', 'users.username', 'users.is_owner', 'users.active'])
    .where((eb) =>
      eb.or([
        eb('sessions.refresh_hash', '=', digest),
        eb('sessions.id', '=', eb.selectFrom('spent_refresh_tokens').select('session_id').where('hash', '=', digest)),
      ]),
    )
    .executeTakeFirst();
  if (!row) return undefined;
  const idleMs = now.getTime() - (row.last_used_at ?? row.created_at).getTime();
  const isIdle = row.kind === 'browser' && idleMs > browserIdleDays * DAY_MS;
  const isLive = row.active && row.ended_at === null && row.expires_at > now && !isIdle;
  return { ...row, isLive };
}

/**
 * kept      it is the session's token and stays it
 * rotated   `token` takes its place from now on; the same for all who come with the one before it within the grace
 * replayed  it was replaced longer ago: somebody has a copy
 * ended     the session is over
 */
export type Redeemed = Renewed | { readonly kind: 'replayed' | 'ended' };

export interface Renewed {
  readonly kind: 'kept' | 'rotated';
  /** Where it takes the place of the one that was shown. */
  readonly token: string | undefined;
  /** Of the session. */
  readonly expiresAt: Date;
}

/** One at a time for each session, on whatever controller: the row is locked until the transaction ends. */
export async function redeemRefreshToken(
  tx: Tx,
  { sessionId, digest, rotate, now }: { sessionId: string; digest: Buffer; rotate: boolean; now: Date },
  sealer: Sealer,
): Promise<Redeemed> {
  const session = await tx
    .selectFrom('sessions')
    .select(['ended_at', 'expires_at', 'refresh_hash', 'refresh_sealed'])
    .where('id', '=', sessionId)
    .forUpdate()
    .executeTakeFirst();
  if (!session || session.ended_at !== null) return { kind: 'ended' };
  const expiresAt = session.expires_at;
  if (session.refresh_hash !== null && isSameSecret(session.refresh_hash, digest)) {
    if (!rotate) return { kind: 'kept', token: undefined, expiresAt };
    return { kind: 'rotated', token: await replace(tx, { sessionId, digest, now }, sealer), expiresAt };
  }
  const spent = await tx
    .selectFrom('spent_refresh_tokens')
    .select('spent_at')
    .where('hash', '=', digest)
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  if (!spent || !session.refresh_sealed) return { kind: 'ended' };
  if (now.getTime() - spent.spent_at.getTime() > GRACE_MS) return { kind: 'replayed' };
  const token = sealer.unseal(session.refresh_sealed, sealContexts.refreshToken(sessionId)).toString();
  return { kind: 'rotated', token, expiresAt };
}

async function replace(
  tx: Tx,
  { sessionId, digest, now }: { sessionId: string; digest: Buffer; now: Date },
  sealer: Sealer,
): Promise<string> {
  const next = createRefreshToken();
  await tx.insertInto('spent_refresh_tokens').values({ hash: digest, session_id: sessionId, spent_at: now }).execute();
  await tx
    .updateTable('sessions')
    .set({
      refresh_hash: next.digest,
      refresh_sealed: sealer.seal(Buffer.from(next.token), sealContexts.refreshToken(sessionId)),
    })
    .where('id', '=', sessionId)
    .execute();
  return next.token;
}
