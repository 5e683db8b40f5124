import { ADMINS, failIdentity, isRoleAtLeast, type Role } from '@flotilla/contract';
import type { Actor } from '../../http/actor.ts';
import type { ProjectScope } from '../../http/context.ts';

export interface Membership {
  readonly projectId: string;
  readonly projectName: string;
  readonly role: Role;
}

export interface User {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly isOwner: boolean;
  readonly active: boolean;
  /** Where the account signs in. */
  readonly realm: string;
  readonly memberships: readonly Membership[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly revision: number;
}

export type SessionActor = Actor & { kind: 'user' };

/** Who changes: a signed-in user with its role in every project where it has one. */
export interface Administrator {
  readonly actor: SessionActor;
  readonly roles: ReadonlyMap<string, Role>;
}

/** API tokens outlive the people who made them; what they could do here would outlive them, too. */
export function requireSession(actor: Actor): SessionActor {
  if (actor.kind !== 'user') throw failIdentity('auth.session_required');
  return actor;
}

/** Throws unless the caller may give or take away `role` in the project. */
export function requireRoleWithinReach(scope: ProjectScope, role: Role): void {
  if (!isRoleAtLeast(scope.role, role)) throw failIdentity('role.too_high', { role, own: scope.role });
}

/** Throws when the caller would make, change or remove an owner of the installation without being one. */
export function requireOwnerFor(actor: SessionActor, concernsOwner: boolean): void {
  if (concernsOwner && !actor.isOwner) throw failIdentity('user.owner_only');
}

/**
 * Throws unless the caller may change the account itself (name, address, password, active). Whoever can set a password
 * can become that user, so an administrator needs authority in every project the user belongs to.
 */
export function requireAccountAuthority({ actor, roles }: Administrator, user: User): void {
  requireOwnerFor(actor, user.isOwner);
  if (!reachesAccount({ actor, roles }, user)) throw failIdentity('user.other_projects', { name: user.username });
}

/** The same as a word: false where `requireAccountAuthority` throws. `user` has all memberships. */
export function hasAccountAuthority(administrator: Administrator | undefined, user: User): boolean {
  if (!administrator || (user.isOwner && !administrator.actor.isOwner)) return false;
  return reachesAccount(administrator, user);
}

/** The projects that the caller administers; undefined: every one. */
export function administeredBy({ actor, roles }: Administrator): string[] | undefined {
  if (actor.isOwner) return undefined;
  return [...roles].flatMap(([projectId, role]) => (ADMINS.includes(role) ? [projectId] : []));
}

function reachesAccount({ actor, roles }: Administrator, { memberships }: User): boolean {
  if (actor.isOwner) return true;
  return memberships.every(({ projectId, role }) => {
    const own = roles.get(projectId);
    return own !== undefined && ADMINS.includes(own) && isRoleAtLeast(own, role);
  });
}
