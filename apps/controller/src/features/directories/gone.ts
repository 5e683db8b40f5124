import type { Tx } from '@flotilla/db';
import { endSessions } from '../sessions/index.ts';
import { type Present, setGone } from './recheck-store.ts';
import { recordByRealm } from './role-mapping.ts';

/** More people than these gone all at once, and more than half of those who were there, are settings or a realm that is not as it was. */
const GONE_AT_ONCE_MAX = 5;

export function isTooManyGone(gone: number, expected: number): boolean {
  return gone > GONE_AT_ONCE_MAX && gone * 2 > expected;
}

/** Of a locked account: ends the sessions of who is gone, and records that they are, or are there again. Returns whether anything has changed. */
export async function settleGone(
  tx: Tx,
  { userId, username }: Present,
  now: {
    readonly realm: string;
    readonly isGone: boolean;
    /** `unanswered`: a provider has answered of others for an hour, and not of them. */
    readonly because?: 'gone' | 'unanswered';
    readonly wasGone: boolean;
    readonly since: Date;
  },
): Promise<boolean> {
  const { realm, isGone, because = 'gone', wasGone, since } = now;
  // Also of one that was gone before: a sign-in that went on at that very moment may have opened one.
  const reason = because === 'gone' ? 'gone_from_directory' : 'unanswered_by_directory';
  const ended = isGone ? await endSessions(tx, { userId }, reason, since) : 0;
  if (isGone === wasGone) return ended > 0;
  await setGone(tx, userId, isGone ? since : null);
  await recordByRealm(tx, since, {
    action: isGone ? 'user.gone' : 'user.back',
    realm,
    subject: { type: 'user', id: userId, name: username, changes: { realm, ended, ...(isGone && { because }) } },
  });
  return true;
}
