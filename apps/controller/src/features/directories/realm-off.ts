import { failSetting } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { type AuditEntry, recordAll } from '../audit/index.ts';
import { endAllSessions } from '../sessions/index.ts';
import type { SettingFollowUp } from '../settings/index.ts';
import { hasOwner, lockOwners } from '../users/index.ts';
import { type Leaver, listPeopled, markAllGone } from './realm-off-store.ts';
import { listOff } from './realm-state.ts';
import { describeByRealm } from './role-mapping.ts';

export interface SignedOut {
  readonly people: number;
  readonly sessions: number;
}

/** Entries of the audit log that are written at once. */
const RECORDED_AT_ONCE = 1000;

/**
 * Everybody of a realm that is switched off or gone is gone, too: their sessions end, and their tokens and passkeys rest until the
 * realm says again that they are there. In the scope of everything. Safe to repeat: who is gone already is passed over. Throws
 * setting.no_owner_left where nobody could take it back.
 */
export async function signOutOfRealmsOff(tx: Tx, now: Date): Promise<SignedOut> {
  await lockOwners(tx);
  const off = await listOff(tx, await listPeopled(tx));
  if (off.length === 0) return { people: 0, sessions: 0 };
  const leavers = await markAllGone(tx, off, now);
  if (leavers.length > 0 && !(await hasOwner(tx))) throw failSetting('setting.no_owner_left');
  const ids = leavers.map(({ userId }) => userId);
  const ended = await endAllSessions(tx, ids, 'realm_off', now);
  const entries = leavers.map((leaver) => toEntry(leaver, ended.get(leaver.userId) ?? 0, now));
  for (let i = 0; i < entries.length; i += RECORDED_AT_ONCE)
    await recordAll(tx, entries.slice(i, i + RECORDED_AT_ONCE));
  return { people: leavers.length, sessions: [...ended.values()].reduce((sum, count) => sum + count, 0) };
}

/** Of the settings of realms. Throws what signOutOfRealmsOff does. */
export function createRealmFollowUp(onChange: () => void): SettingFollowUp {
  return async (ctx, tx) => {
    const signedOut = await signOutOfRealmsOff(tx, ctx.now);
    if (signedOut.people === 0) return undefined;
    ctx.afterCommit(onChange);
    return { signed_out: { ...signedOut } };
  };
}

function toEntry({ userId, username, realm }: Leaver, ended: number, now: Date): AuditEntry {
  const changes = { realm, ended, because: 'realm_off' };
  const subject = { type: 'user', id: userId, name: username, changes };
  return describeByRealm(now, { action: 'user.gone', realm, subject });
}
