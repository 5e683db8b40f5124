import { ADMINS, type Role } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { AuditSubject } from '../../http/context.ts';
import { type AuditEntry, recordAudit } from '../audit/index.ts';
import { listAdministeredAlone } from '../users/index.ts';
import { giveRole, type LinkedUser, listHeldRoles, takeRole } from './identity-store.ts';

type Change = readonly [from: Role | null, to: Role | null];

/**
 * Gives a user the roles of their groups, and takes those that groups gave and give no more. Roles that people have given stay as
 * they are, and so does that of the last administrator of a project. Returns how many changed.
 */
export async function mapRoles(
  tx: Tx,
  user: Pick<LinkedUser, 'id' | 'username'>,
  { realm, roles }: { readonly realm: string; readonly roles: ReadonlyMap<string, Role> },
  now: Date,
): Promise<number> {
  const held = await listHeldRoles(tx, user.id);
  const byPeople = new Set(held.filter(({ givenBy }) => givenBy === null).map(({ projectId }) => projectId));
  const before = new Map(
    held.filter(({ givenBy }) => givenBy !== null).map(({ projectId, role }) => [projectId, role]),
  );
  const kept = await listKept(tx, user.id, before, roles);
  const changes = new Map<string, Change>();
  for (const [projectId, role] of roles) {
    if (byPeople.has(projectId) || kept.has(projectId) || before.get(projectId) === role) continue;
    const isGiven = await giveRole(tx, user.id, { projectId, role, realm }, now);
    if (isGiven) changes.set(projectId, [before.get(projectId) ?? null, role]);
  }
  for (const [projectId, role] of before) {
    if (roles.has(projectId) || kept.has(projectId)) continue;
    await takeRole(tx, user.id, projectId);
    changes.set(projectId, [role, null]);
  }
  for (const [projectId, [from, to]] of changes) {
    const action = to === null ? 'membership.delete' : 'membership.update';
    const details = { role: [from, to], by: realm };
    await recordByRealm(tx, now, {
      action,
      realm,
      subject: { type: 'membership', id: user.id, name: user.username, projectId, changes: details },
    });
  }
  return changes.size;
}

/** Projects that nobody would administer any more. */
async function listKept(
  tx: Tx,
  userId: string,
  before: ReadonlyMap<string, Role>,
  after: ReadonlyMap<string, Role>,
): Promise<ReadonlySet<string>> {
  const administers = (role: Role | undefined) => role !== undefined && ADMINS.includes(role);
  const losing = [...before].filter(([projectId, role]) => administers(role) && !administers(after.get(projectId)));
  if (losing.length === 0) return new Set();
  const alone = new Set((await listAdministeredAlone(tx, userId)).map(({ id }) => id));
  return new Set(losing.map(([projectId]) => projectId).filter((projectId) => alone.has(projectId)));
}

interface DoneByRealm {
  readonly action: string;
  readonly realm: string;
  readonly subject: AuditSubject;
}

/** What a directory has done here, nobody having asked for it. */
export async function recordByRealm(tx: Tx, now: Date, of: DoneByRealm): Promise<void> {
  await recordAudit(tx, describeByRealm(now, of));
}

export function describeByRealm(now: Date, { action, realm, subject }: DoneByRealm): AuditEntry {
  return {
    at: now,
    actor: { kind: 'system', id: null, name: realm },
    actorRole: undefined,
    projectId: undefined,
    action,
    outcome: 'done',
    status: 200,
    subject,
  };
}
