import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Db, Tx } from '@flotilla/db';
import { createSecret, isSameSecret } from '@flotilla/kit';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { refreshTokenContext } from './encryption-contexts.ts';
import {
  findSessionOfToken,
  findSpentToken,
  lockRefreshedSession,
  replaceRefreshToken,
} from './refresh-token-store.ts';

/** Prefix of refresh tokens, so that secret scanners find leaked ones and people can distinguish them. */
export const REFRESH_TOKEN_PREFIX = 'flr_';
/** A replaced token still gets its successor for this time: two tabs, or a lost answer. */
const GRACE_MS = 30_000;
const DAY_MS = 24 * 3600_000;

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
  const row = await findSessionOfToken(db, digest);
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
  cipher: Cipher,
): Promise<Redeemed> {
  const session = await lockRefreshedSession(tx, sessionId);
  if (!session || session.ended_at !== null) return { kind: 'ended' };
  const expiresAt = session.expires_at;
  if (session.refresh_hash !== null && isSameSecret(session.refresh_hash, digest)) {
    if (!rotate) return { kind: 'kept', token: undefined, expiresAt };
    return { kind: 'rotated', token: await replace(tx, { sessionId, digest, now }, cipher), expiresAt };
  }
  const spent = await findSpentToken(tx, { sessionId, digest });
  if (!spent || !session.refresh_sealed) return { kind: 'ended' };
  if (now.getTime() - spent.spent_at.getTime() > GRACE_MS) return { kind: 'replayed' };
  const token = cipher.decrypt(session.refresh_sealed, refreshTokenContext(sessionId)).toString();
  return { kind: 'rotated', token, expiresAt };
}

async function replace(
  tx: Tx,
  { sessionId, digest, now }: { sessionId: string; digest: Buffer; now: Date },
  cipher: Cipher,
): Promise<string> {
  const next = createRefreshToken();
  const encrypted = cipher.encrypt(Buffer.from(next.token), refreshTokenContext(sessionId));
  await replaceRefreshToken(tx, { sessionId, spent: digest, next: { digest: next.digest, encrypted }, now });
  return next.token;
}
