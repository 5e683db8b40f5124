import { isDeepStrictEqual } from 'node:util';
import {
  ADMINS,
  type createUserBodySchema,
  fail,
  failIdentity,
  isRoleAtLeast,
  LOCAL_REALM,
  type patchUserBodySchema,
  type Role,
  userSchema,
} from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId, createSecret } from '@flotilla/kit';
import type * as z from 'zod';
import { diffForAudit } from '../../../platform/http/audit-diff.ts';
import type { ProjectScope, Reply, RequestContext } from '../../../platform/http/context.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { endSessions, findUsableRoles, hashPassword, type SignInPolicy } from '../sessions/index.ts';
import { listAdministeredAlone } from './administrator-store.ts';
import { planUserDeletion } from './deletion-store.ts';
import { invite } from './invite.ts';
import {
  type Administrator,
  administeredBy,
  requireAccountAuthority,
  requireOwnerFor,
  requireRoleWithinReach,
  requireSession,
  roleIn,
  type User,
} from './model.ts';
import {
  deleteMembership,
  deleteUser,
  findProjectIds,
  findUser,
  findUserByName,
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
  const home = await chooseHome(ctx, body, memberships);
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
      home_project: home,
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
  const caller = await administratorOf(ctx);
  const { password, ...fields } = body;
  const before = await findMember(ctx, id);
  requireAccountAuthority(caller, before);
  requireOwnerFor(caller.actor, fields.is_owner === true);
  if (fields.home_project !== undefined) await requireHome(ctx, before, fields.home_project);
  const isSignInChanged = password !== undefined || namesAnew(before, fields);
  if (isSignInChanged && before.realm !== LOCAL_REALM) throw failIdentity('user.of_directory');
  if (password !== undefined) {
    if (before.id === caller.actor.id) throw failIdentity('password.own');
    policy.requireGoodPassword(password, fields.username ?? before.username);
  }
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  return ctx.write(async (tx) => {
    const { user, administrator } = await lockAccount(tx, ctx, id);
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

/** `seen`: the digest of the plan that the caller has seen. */
export async function deleteUserAccount(ctx: RequestContext, id: string, seen: string | undefined): Promise<Reply> {
  requireSession(ctx.actor);
  await findMember(ctx, id);
  return ctx.write(async (tx) => {
    const { user, administrator } = await lockAccount(tx, ctx, id);
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

/**
 * Adds accounts of the project as members at once and invites all others: the project must not learn whether an account
 * with the name exists. Owners of the installation can add anybody.
 */
export async function addMember(ctx: RequestContext, username: string, role: Role): Promise<Reply> {
  const { actor } = await administratorOf(ctx);
  requireRoleWithinReach(ctx.project, role);
  const user = await findUserByName(ctx.db, username, actor.isOwner ? undefined : ctx.project.id);
  if (!user && actor.isOwner) throw fail('record.not_found', { kind: 'user', name: username });
  if (!user) return invite(ctx, { username, role });
  const reply = await changeMembership(ctx, user.id, { role, isNew: true });
  return { ...reply, body: { kind: 'member', ...(reply.body as object) } };
}

export async function setMembership(ctx: RequestContext, userId: string, role: Role): Promise<Reply> {
  const { actor } = await administratorOf(ctx);
  // Checked without a lock: waiting for a foreign account would reveal that it exists.
  if (!actor.isOwner) await findMember(ctx, userId);
  return changeMembership(ctx, userId, { role, isNew: false });
}

async function changeMembership(
  ctx: RequestContext,
  userId: string,
  { role, isNew }: { role: Role; isNew: boolean },
): Promise<Reply> {
  requireSession(ctx.actor);
  const { project } = ctx;
  requireRoleWithinReach(project, role);
  return ctx.write(async (tx) => {
    const { user, administrator } = await lockAccount(tx, ctx, userId);
    // The account may have left the project and its home since it was read.
    if (!administrator.actor.isOwner && !belongsTo(user, project.id))
      throw fail('record.not_found', { kind: 'user', name: userId });
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
  requireSession(ctx.actor);
  const { project } = ctx;
  await findMember(ctx, userId);
  return ctx.write(async (tx) => {
    const { user, administrator } = await lockAccount(tx, ctx, userId);
    const current = roleIn(user, project.id);
    // The project must not learn that the user exists elsewhere.
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

/**
 * Finds a user whom the caller's project may know: its members, and accounts whose home it is. Throws record.not_found
 * for all others.
 */
export async function findMember(ctx: RequestContext, id: string): Promise<User> {
  const user = await findUser(ctx.db, id);
  if (ctx.scope && !belongsTo(user, ctx.scope.id)) throw fail('record.not_found', { kind: 'user', name: id });
  return user;
}

function belongsTo(user: User, projectId: string): boolean {
  return user.home?.id === projectId || roleIn(user, projectId) !== undefined;
}

/** The home of a new account. Throws owner.required for callers who may not choose it. */
async function chooseHome(
  ctx: RequestContext,
  { home_project: given, is_owner: isOwner }: CreateBody,
  memberships: readonly { projectId: string }[],
): Promise<string | null> {
  const [only, ...more] = memberships;
  const usual = ctx.scope?.id ?? (isOwner || more.length > 0 ? null : (only?.projectId ?? null));
  if (given === undefined || (given?.toLowerCase() ?? null) === usual) return usual;
  requireInstallationOwner(ctx);
  if (given !== null) await requireKnownProject(ctx, given);
  return given;
}

/** Throws unless the account may get this home: only owners of the installation may change it. */
async function requireHome(ctx: RequestContext, user: User, home: string | null): Promise<void> {
  if ((home?.toLowerCase() ?? null) === (user.home?.id ?? null)) return;
  requireInstallationOwner(ctx);
  if (home !== null) await requireKnownProject(ctx, home);
}

function requireInstallationOwner(ctx: RequestContext): void {
  if (!requireSession(ctx.actor).isOwner) throw fail('owner.required');
}

async function requireKnownProject(ctx: RequestContext, id: string): Promise<void> {
  if ((await findProjectIds(ctx.db, [id])).size > 0) return;
  const problem = { path: 'home_project', rule: 'exists', message: `there is no project ${id}` };
  throw fail('request.invalid', { reason: `${problem.path}: ${problem.message}` }, { details: [problem] });
}

/** The directory owns the name and address of its people: their next sign-in depends on them. */
function namesAnew(user: User, { username, email }: Pick<PatchBody, 'username' | 'email'>): boolean {
  return (username !== undefined && username !== user.username) || (email !== undefined && email !== user.email);
}

/**
 * Locks the account, then reads the caller's roles again: another administrator may have ended them while this request
 * waited for the lock. Throws role.forbidden or project.forbidden if the caller lost the role that let the request in.
 */
async function lockAccount(
  tx: Tx,
  ctx: RequestContext,
  id: string,
): Promise<{ user: User; administrator: Administrator }> {
  const user = await lockUser(tx, id);
  const actor = requireSession(ctx.actor);
  const administrator = { actor, roles: await findUsableRoles(tx, actor.sessionId) };
  if (ctx.scope && !actor.isOwner) {
    const role = administrator.roles.get(ctx.scope.id);
    if (role === undefined) throw fail('project.forbidden');
    if (!isRoleAtLeast(role, ctx.scope.role)) throw fail('role.forbidden', { roles: ctx.scope.role, role });
  }
  return { user, administrator };
}

/**
 * Throws membership.last_administrator for projects that the caller administers. Other projects do not count: they
 * could otherwise prevent a home from disabling its own account. Owners of the installation administer every project
 * themselves.
 */
async function requireAdministratorLeft(
  tx: Tx,
  administrator: Administrator,
  user: User,
  projectId?: string,
): Promise<void> {
  const known = administeredBy(administrator);
  if (known === undefined) return;
  const [project] = (await listAdministeredAlone(tx, user.id, projectId)).filter(({ id }) => known.includes(id));
  if (project) throw failIdentity('membership.last_administrator', { name: user.username, project: project.name });
}

/** undefined for API tokens, which may only read accounts. */
export async function findAdministrator(ctx: RequestContext): Promise<Administrator | undefined> {
  return ctx.actor.kind === 'user' ? administratorOf(ctx) : undefined;
}

/** Throws auth.session_required for API tokens. */
export async function administratorOf(ctx: RequestContext): Promise<Administrator> {
  const actor = requireSession(ctx.actor);
  return { actor, roles: await findUsableRoles(ctx.db, actor.sessionId) };
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

function accountFields({ username, email, isOwner, active, home }: User) {
  return { username, email, is_owner: isOwner, active, home_project: home?.id ?? null };
}
