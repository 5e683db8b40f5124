import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Db, Tx } from '@flotilla/db';
import { createSecret, isSameSecret } from '@flotilla/kit';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { refreshTokenContext } from './encryption-contexts.ts';

/** Prefix of refresh tokens, so that secret scanners find leaked ones and people can distinguish them. */
export const REFRESH_TOKEN_PREFIX = 'flr_';
/** A replaced token still gets its successor for this time: two tabs, or a lost answer. */
const GRACE_MS = 30_000;
const DAY_MS = 24 * 3600_000;

type Sealer = Pick<Keyring, 'seal' | 'unseal'>;

/** The token is shown once; only its digest is stored. */
export function createRefreshToken(): { token: string; digest: Buffer } {
  const token = `${REFRESH_TOKEN_PREFIX}${createSecret(32)}`;
  return { token, digest: digestOf(token) };
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Finds the session of a current or replaced refresh token. undefined for an unknown token, which ends nothing. */
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
 * The result of redeeming a token.
 * kept: it is and stays the session's token
 * rotated: `token` replaces it; everyone who sends the previous one within the grace period gets the same
 * replayed: it was replaced longer ago, so somebody has a copy
 * ended: the session has ended
 */
export type Redeemed = Renewed | { readonly kind: 'replayed' | 'ended' };

export interface Renewed {
  readonly kind: 'kept' | 'rotated';
  /** Set if it replaces the token of the request. */
  readonly token: string | undefined;
  /** Expiry of the session. */
  readonly expiresAt: Date;
}

/** Serialised per session across controllers: locks the row until the transaction ends. */
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
  const token = sealer.unseal(session.refresh_sealed, refreshTokenContext(sessionId)).toString();
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
      refresh_sealed: sealer.seal(Buffer.from(next.token), refreshTokenContext(sessionId)),
    })
    .where('id', '=', sessionId)
    .execute();
  return next.token;
}
