import { failSetting } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { type AuditEntry, recordAll } from '../../../platform/audit/index.ts';
import type { SettingFollowUp } from '../../../platform/settings/index.ts';
import { endAllSessions } from '../sessions/index.ts';
import { hasOwner, lockOwners } from '../users/index.ts';
import { type Leaver, listPeopled, markAllGone } from './realm-off-store.ts';
import { listOff } from './realm-state.ts';
import { describeByRealm } from './role-mapping.ts';

export interface SignedOut {
  readonly people: number;
  readonly sessions: number;
}

/** Audit entries per statement. */
const RECORDED_AT_ONCE = 1000;

/**
 * Marks everybody of disabled or deleted realms as gone: their sessions end, and their tokens and passkeys are
 * suspended until the realm confirms them again. Needs the scope of everything. Idempotent: people who are already gone
 * are skipped. Throws setting.no_owner_left if nobody could undo the change.
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

/** For the settings of realms. Throws the errors of signOutOfRealmsOff. */
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
