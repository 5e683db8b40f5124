import { ADMINS, type Role } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { AuditSubject } from '../../../platform/audit/index.ts';
import { type AuditEntry, recordAudit } from '../../../platform/audit/index.ts';
import { listAdministeredAlone } from '../users/index.ts';
import { giveRole, type LinkedUser, listHeldRoles, takeRole } from './identity-store.ts';

type Change = readonly [from: Role | null, to: Role | null];

/**
 * Gives a user the roles of their groups and removes roles that groups no longer give. Keeps roles given by people, and
 * the role of a project's last administrator. Returns the number of changes.
 */
export async function mapRoles(
  tx: Tx,
  user: Pick<LinkedUser, 'id' | 'username'>,
  { realm, roles }: { readonly realm: string; readonly roles: ReadonlyMap<string, Role> },
  now: Date,
): Promise<number> {
  const held = await listHeldRoles(tx, user.id);
  const byPeople = new Set(held.filter(({ givenBy }) => givenBy === null).map(({ projectId }) => projectId));
  const given = new Map(held.filter(({ givenBy }) => givenBy !== null).map(({ projectId, role }) => [projectId, role]));
  const kept = await listKept(tx, user.id, given, roles);
  const changes = new Map<string, Change>();
  for (const [projectId, role] of roles) {
    if (byPeople.has(projectId) || kept.has(projectId) || given.get(projectId) === role) continue;
    const isGiven = await giveRole(tx, user.id, { projectId, role, realm }, now);
    if (isGiven) changes.set(projectId, [given.get(projectId) ?? null, role]);
  }
  for (const [projectId, role] of given) {
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

/** Projects that would lose their last administrator. */
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

/** Records an action of a directory that no request triggered. */
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
