import type { Tx } from '@flotilla/db';
import { endSessions } from '../sessions/index.ts';
import { type Present, setMissing } from './recheck-store.ts';
import { recordByRealm } from './role-mapping.ts';

/**
 * If more people than this, and more than half of those expected, disappear at once, the settings or the directory are
 * probably wrong.
 */
const GONE_AT_ONCE_MAX = 5;

export function isTooManyMissing(gone: number, expected: number): boolean {
  return gone > GONE_AT_ONCE_MAX && gone * 2 > expected;
}

/**
 * Updates a locked account: ends the sessions of a person who is gone, and records that they are gone or back. Returns
 * whether anything changed.
 */
export async function settleMissing(
  tx: Tx,
  { userId, username }: Present,
  now: {
    readonly realm: string;
    readonly isGone: boolean;
    /** `unanswered`: for an hour the provider has answered about others, but not about this person. */
    readonly because?: 'gone' | 'unanswered';
    readonly wasGone: boolean;
    readonly since: Date;
  },
): Promise<boolean> {
  const { realm, isGone, because = 'gone', wasGone, since } = now;
  // Also for a person who was gone before: a sign-in running at that moment may have opened a session.
  const reason = because === 'gone' ? 'gone_from_directory' : 'unanswered_by_directory';
  const ended = isGone ? await endSessions(tx, { userId }, reason, since) : 0;
  if (isGone === wasGone) return ended > 0;
  await setMissing(tx, userId, isGone ? since : null);
  await recordByRealm(tx, since, {
    action: isGone ? 'user.gone' : 'user.back',
    realm,
    subject: { type: 'user', id: userId, name: username, changes: { realm, ended, ...(isGone && { because }) } },
  });
  return true;
}
