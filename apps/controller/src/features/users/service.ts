import { isDeepStrictEqual } from 'node:util';
import {
  ADMINS,
  type createUserBodySchema,
  fail,
  failIdentity,
  LOCAL_REALM,
  type patchUserBodySchema,
  type Role,
  userSchema,
} from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId, createSecret } from '@flotilla/kit';
import type * as z from 'zod';
import { diffForAudit } from '../../http/audit-diff.ts';
import type { ProjectScope, Reply, RequestContext } from '../../http/context.ts';
import { requireMatch } from '../../http/etag.ts';
import { endSessions, hashPassword, type SignInPolicy } from '../sessions/index.ts';
import { listAdministeredAlone } from './administrator-store.ts';
import { planUserDeletion } from './deletion-store.ts';
import {
  type Administrator,
  administeredBy,
  requireAccountAuthority,
  requireOwnerFor,
  requireRoleWithinReach,
  requireSession,
  type User,
} from './model.ts';
import {
  deleteMembership,
  deleteUser,
  findProjectIds,
  findRoles,
  findUser,
  findUserId,
  hasOwner,
  insertUser,
  lockUser,
  putMembership,
  updateUser,
} from './store.ts';
import { toUserView } from './views.ts';

type CreateBody = z.output<typeof createUserBodySchema>;
type PatchBody = z.output<typeof patchUserBodySchema>;

export async function createUserAccount(ctx: RequestContext, policy: SignInPolicy, body: CreateBody): Promise<Reply> {
  const administrator = await administratorOf(ctx);
  requireOwnerFor(administrator.actor, body.is_owner === true);
  const memberships = (body.memberships ?? []).map(({ project, role }) => ({ projectId: project.toLowerCase(), role }));
  if (ctx.scope) requireOwnMembershipOnly(ctx.scope, memberships);
  await requireProjects(ctx, memberships);
  const password = body.password ?? createSecret(18);
  policy.requireGoodPassword(password, body.username);
  const passwordHash = await hashPassword(password);
  const id = createId(ctx.now.getTime());
  return ctx.write(async (tx) => {
    const values = {
      username: body.username,
      email: body.email ?? null,
      is_owner: body.is_owner ?? false,
      active: body.active ?? true,
    };
    await insertUser(tx, id, { ...values, password_hash: passwordHash }, ctx.now);
    for (const membership of memberships) await putMembership(tx, id, membership, ctx.now);
    const user = await findUser(tx, id);
    const view = toUserView(user, ctx.scope?.id, administrator);
    return {
      reply: {
        body: { ...view, ...(body.password === undefined && !ctx.dryRun && { initial_password: password }) },
        etag: user.revision,
        location: `/api/v3/setting/users/${id}`,
      },
      audit: { type: 'user', id, name: body.username, changes: { ...values, memberships: body.memberships ?? [] } },
    };
  });
}

export async function changeUserAccount(
  ctx: RequestContext,
  { policy, id }: { policy: SignInPolicy; id: string },
  body: PatchBody,
): Promise<Reply> {
  const administrator = await administratorOf(ctx);
  const { password, ...fields } = body;
  const before = await findMember(ctx, id);
  requireAccountAuthority(administrator, before);
  requireOwnerFor(administrator.actor, fields.is_owner === true);
  const isSignInChanged = password !== undefined || namesAnew(before, fields);
  if (isSignInChanged && before.realm !== LOCAL_REALM) throw failIdentity('user.of_directory');
  if (password !== undefined) {
    if (before.id === administrator.actor.id) throw failIdentity('password.own');
    policy.requireGoodPassword(password, fields.username ?? before.username);
  }
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  return ctx.write(async (tx) => {
    const user = await lockUser(tx, id);
    requireMatch(ctx, 'user', user.revision);
    requireAccountAuthority(administrator, user);
    const leavesOwners = fields.is_owner === false || fields.active === false;
    if (user.isOwner && user.active && leavesOwners && !(await hasOwner(tx, id))) {
      throw failIdentity('user.last_owner', { name: user.username });
    }
    if (fields.active === false) await requireAdministratorLeft(tx, administrator, user);
    const isUnchanged = !passwordHash && isDeepStrictEqual({ ...accountFields(user), ...fields }, accountFields(user));
    if (!isUnchanged)
      await updateUser(tx, id, { ...fields, ...(passwordHash && { password_hash: passwordHash }) }, ctx.now);
    if (fields.active === false) await endSessions(tx, { userId: id }, 'deactivated', ctx.now);
    else if (passwordHash) await endSessions(tx, { userId: id }, 'password_reset', ctx.now);
    const after = await findUser(tx, id);
    const changes = diffForAudit(accountFields(user), accountFields(after), userSchema);
    return {
      reply: { body: toUserView(after, ctx.scope?.id, administrator), etag: after.revision },
      audit: {
        type: 'user',
        id,
        name: after.username,
        changes: { ...changes, ...(passwordHash && { password: 'changed' }) },
      },
      isUnchanged,
    };
  });
}

/** `seen`: the digest of the plan that the caller was shown. */
export async function deleteUserAccount(ctx: RequestContext, id: string, seen: string | undefined): Promise<Reply> {
  const administrator = await administratorOf(ctx);
  await findMember(ctx, id);
  return ctx.write(async (tx) => {
    const user = await lockUser(tx, id);
    requireMatch(ctx, 'user', user.revision);
    requireAccountAuthority(administrator, user);
    if (user.isOwner && user.active && !(await hasOwner(tx, id))) {
      throw failIdentity('user.last_owner', { name: user.username });
    }
    await requireAdministratorLeft(tx, administrator, user);
    if (seen !== undefined) {
      const plan = await planUserDeletion(tx, user.id, { projects: administeredBy(administrator), now: ctx.now });
      if (plan.digest !== seen) throw failIdentity('user.plan_changed', { name: user.username });
    }
    await deleteUser(tx, id);
    return { reply: {}, audit: { type: 'user', id, name: user.username } };
  });
}

export async function addMember(ctx: RequestContext, username: string, role: Role): Promise<Reply> {
  const userId = await findUserId(ctx.db, username);
  return changeMembership(ctx, userId, { role, isNew: true });
}

export async function setMembership(ctx: RequestContext, userId: string, role: Role): Promise<Reply> {
  return changeMembership(ctx, userId, { role, isNew: false });
}

async function changeMembership(
  ctx: RequestContext,
  userId: string,
  { role, isNew }: { role: Role; isNew: boolean },
): Promise<Reply> {
  const administrator = await administratorOf(ctx);
  const { project } = ctx;
  requireRoleWithinReach(project, role);
  return ctx.write(async (tx) => {
    const user = await lockUser(tx, userId);
    requireOwnerFor(administrator.actor, user.isOwner);
    const current = roleIn(user, project.id);
    if (isNew && current) throw fail('record.exists', { kind: 'membership', name: user.username });
    if (current) requireRoleWithinReach(project, current);
    if (!ADMINS.includes(role)) await requireAdministratorLeft(tx, administrator, user, project.id);
    await putMembership(tx, userId, { projectId: project.id, role }, ctx.now);
    const after = await findUser(tx, userId);
    return {
      reply: {
        status: current === undefined ? 201 : 200,
        body: toUserView(after, project.id, administrator),
        location: `/api/v3/setting/users/${userId}`,
      },
      audit: { type: 'membership', id: userId, name: user.username, changes: { role: [current ?? null, role] } },
      isUnchanged: current === role,
    };
  });
}

export async function endMembership(ctx: RequestContext, userId: string): Promise<Reply> {
  const administrator = await administratorOf(ctx);
  const { project } = ctx;
  return ctx.write(async (tx) => {
    const user = await lockUser(tx, userId);
    const current = roleIn(user, project.id);
    // As for a user who never was: that there is one elsewhere is not for this project to know.
    if (!current) throw fail('record.not_found', { kind: 'user', name: userId });
    requireOwnerFor(administrator.actor, user.isOwner);
    requireRoleWithinReach(project, current);
    await requireAdministratorLeft(tx, administrator, user, project.id);
    await deleteMembership(tx, userId, project.id);
    return {
      reply: {},
      audit: { type: 'membership', id: userId, name: user.username, changes: { role: [current, null] } },
    };
  });
}

/** The user, as far as the caller's project may know of it. Throws record.not_found for users of other projects. */
export async function findMember(ctx: RequestContext, id: string): Promise<User> {
  const user = await findUser(ctx.db, id);
  if (ctx.scope && !roleIn(user, ctx.scope.id)) throw fail('record.not_found', { kind: 'user', name: id });
  return user;
}

function roleIn(user: User, projectId: string): Role | undefined {
  return user.memberships.find((membership) => membership.projectId === projectId)?.role;
}

/** What a directory keeps of its people is changed there: their next sign-in is by that. */
function namesAnew(user: User, { username, email }: Pick<PatchBody, 'username' | 'email'>): boolean {
  return (username !== undefined && username !== user.username) || (email !== undefined && email !== user.email);
}

/** Throws membership.last_administrator. Owners of the installation may: they administer every project themselves. */
async function requireAdministratorLeft(
  tx: Tx,
  { actor }: Administrator,
  user: User,
  projectId?: string,
): Promise<void> {
  if (actor.isOwner) return;
  const [project] = await listAdministeredAlone(tx, user.id, projectId);
  if (project) throw failIdentity('membership.last_administrator', { name: user.username, project: project.name });
}

/** Undefined for API tokens, which may read accounts and change none. */
export async function findAdministrator(ctx: RequestContext): Promise<Administrator | undefined> {
  return ctx.actor.kind === 'user' ? administratorOf(ctx) : undefined;
}

/** Throws auth.session_required for API tokens. */
export async function administratorOf(ctx: RequestContext): Promise<Administrator> {
  const actor = requireSession(ctx.actor);
  return { actor, roles: await findRoles(ctx.db, actor.id) };
}

function requireOwnMembershipOnly(
  scope: ProjectScope,
  memberships: readonly { projectId: string; role: Role }[],
): void {
  const [own, ...others] = memberships;
  if (own?.projectId !== scope.id || others.length > 0) throw failIdentity('user.membership_required');
  requireRoleWithinReach(scope, own.role);
}

async function requireProjects(ctx: RequestContext, memberships: readonly { projectId: string }[]): Promise<void> {
  const ids = memberships.map(({ projectId }) => projectId);
  const known = await findProjectIds(ctx.db, ids);
  const problems = ids.flatMap((id, i) => {
    const path = `memberships[${i}].project`;
    if (!known.has(id)) return [{ path, rule: 'exists', message: `there is no project ${id}` }];
    return ids.indexOf(id) === i ? [] : [{ path, rule: 'unique', message: `project ${id} is named twice` }];
  });
  const [first] = problems;
  if (first) throw fail('request.invalid', { reason: `${first.path}: ${first.message}` }, { details: problems });
}

function accountFields({ username, email, isOwner, active }: User) {
  return { username, email, is_owner: isOwner, active };
}
