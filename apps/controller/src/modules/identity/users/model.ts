import { ADMINS, failIdentity, isRoleAtLeast, type Role } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import type { Actor } from '../../../platform/http/actor.ts';
import type { ProjectScope } from '../../../platform/http/context.ts';

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
  /** The realm in which the account signs in. */
  readonly realm: string;
  readonly memberships: readonly Membership[];
  /** The project with authority over the account; undefined: the installation. */
  readonly home: { readonly id: string; readonly name: string } | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly revision: number;
}

export type SessionActor = Actor & { kind: 'user' };

/** A signed-in user who administers others, with their role in every project that the session may use. */
export interface Administrator {
  readonly actor: SessionActor;
  readonly roles: ReadonlyMap<string, Role>;
}

/** Refuses API tokens: they outlive the people who created them, and so would their changes here. */
export function requireSession(actor: Actor): SessionActor {
  if (actor.kind !== 'user') throw failIdentity('auth.session_required');
  return actor;
}

/** Throws unless the caller may give or remove `role` in the project. */
export function requireRoleWithinReach(scope: ProjectScope, role: Role): void {
  if (!isRoleAtLeast(scope.role, role)) throw failIdentity('role.too_high', { role, own: scope.role });
}

/** Throws if the caller would create, change or remove an owner of the installation without being one. */
export function requireOwnerFor(actor: SessionActor, concernsOwner: boolean): void {
  if (concernsOwner && !actor.isOwner) throw failIdentity('user.owner_only');
}

/**
 * Throws unless the caller may change the account itself (name, address, password, active). Setting a password means
 * becoming that user, so only admins of the account's home may do so, up to their own role there. The account's roles
 * in other projects do not matter: those projects accepted it as an account of its home.
 */
export function requireAccountAuthority({ actor, roles }: Administrator, user: User): void {
  requireOwnerFor(actor, user.isOwner);
  if (actor.isOwner) return;
  const own = user.home && roles.get(user.home.id);
  if (own === undefined || !ADMINS.includes(own)) throw failIdentity('user.other_projects', { name: user.username });
  const role = roleIn(user, user.home?.id);
  if (role !== undefined && !isRoleAtLeast(own, role)) throw failIdentity('role.too_high', { role, own });
}

/** Returns false where `requireAccountAuthority` throws. */
export function hasAccountAuthority(administrator: Administrator | undefined, user: User): boolean {
  if (!administrator) return false;
  try {
    requireAccountAuthority(administrator, user);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** The projects that the caller administers; undefined: all. */
export function administeredBy({ actor, roles }: Administrator): string[] | undefined {
  if (actor.isOwner) return undefined;
  return [...roles].flatMap(([projectId, role]) => (ADMINS.includes(role) ? [projectId] : []));
}

export function roleIn({ memberships }: Pick<User, 'memberships'>, projectId: string | undefined): Role | undefined {
  return memberships.find((membership) => membership.projectId === projectId)?.role;
}
