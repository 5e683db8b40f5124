import { fail, failIdentity, INVITATIONS_MAX, type Role } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import {
  deleteInvitation,
  findInvitation,
  findInvitedId,
  hasRoomForInvitation,
  lockInvitationsOf,
  lockOwnInvitation,
  markDeclined,
  putInvitation,
} from './invitation-store.ts';
import { requireRoleWithinReach, requireSession, roleIn } from './model.ts';
import { insertMembership, lockUser } from './store.ts';

/**
 * Gives the same answer, audit entry and amount of work for every name outside the project, whether or not an account
 * has it. An account that is invited again keeps its invitation for the same role, and gets a new one for another role.
 */
export async function invite(
  ctx: RequestContext,
  { username, role }: { readonly username: string; readonly role: Role },
): Promise<Reply> {
  const { id: invitedBy } = requireSession(ctx.actor);
  const { project, now } = ctx;
  const place = { projectId: project.id, now };
  return ctx.write(async (tx) => {
    await lockInvitationsOf(tx, project.id);
    const before = await findInvitation(tx, place, { username });
    // An admin must not remove an invitation that an owner made for an owner.
    if (before) requireRoleWithinReach(project, before.role);
    const isUnchanged = before?.role === role;
    const id = isUnchanged ? before.id : createId(now.getTime());
    if (!isUnchanged) {
      if (!before && !(await hasRoomForInvitation(tx, place)))
        throw failIdentity('invitation.too_many', { max: INVITATIONS_MAX });
      await putInvitation(tx, { ...place, id, username, role, invitedBy });
    }
    const invitation = await findInvitation(tx, place, { id });
    if (!invitation) throw fail('project.forbidden');
    const subject = { type: 'invitation', id, name: username, changes: { role, expires_at: invitation.expires_at } };
    if (!isUnchanged) {
      const account = await findInvitedId(tx, id);
      await recordForInstallation(tx, ctx, { ...subject, project: project.id, account });
    }
    return {
      reply: { status: isUnchanged ? 200 : 201, body: { kind: 'invitation', ...invitation } },
      audit: subject,
      isUnchanged,
    };
  });
}

export async function withdrawInvitation(ctx: RequestContext, id: string): Promise<Reply> {
  const { project, now } = ctx;
  return ctx.write(async (tx) => {
    await lockInvitationsOf(tx, project.id);
    const invitation = await findInvitation(tx, { projectId: project.id, now }, { id });
    if (!invitation) throw failMissing(id);
    requireRoleWithinReach(project, invitation.role);
    if (!(await deleteInvitation(tx, project.id, id))) throw failMissing(id);
    const { username: name, role } = invitation;
    return { reply: {}, audit: { type: 'invitation', id, name, changes: { role } } };
  });
}

/** Adds the caller to the project. The membership closes the invitation (`close_invitations` in migration.ts). */
export async function acceptInvitation(ctx: RequestContext, id: string): Promise<Reply> {
  const { id: userId } = requireSession(ctx.actor);
  return ctx.write(async (tx) => {
    // Locks the account like every other change of its memberships.
    const user = await lockUser(tx, userId);
    const invitation = await lockOwnInvitation(tx, { id, userId, now: ctx.now });
    if (!invitation || roleIn(user, invitation.project)) throw failMissing(id);
    const { project, project_name, role } = invitation;
    if (!(await insertMembership(tx, user, { projectId: project, role }, ctx.now))) throw failMissing(id);
    const changes = { role: [null, role], invited_by: invitation.invited_by };
    await recordForInstallation(tx, ctx, {
      type: 'invitation',
      id,
      name: user.username,
      project,
      account: userId,
      changes,
    });
    return {
      reply: { body: { project, project_name, role } },
      audit: { type: 'membership', id: userId, name: user.username, projectId: project, actorRole: role, changes },
    };
  });
}

/** Only the installation's audit log has an entry: for the project the invitation stays open until it expires. */
export async function declineInvitation(ctx: RequestContext, id: string): Promise<Reply> {
  const { id: userId, name } = requireSession(ctx.actor);
  return ctx.write(async (tx) => {
    const invitation = await lockOwnInvitation(tx, { id, userId, now: ctx.now });
    if (!invitation) throw failMissing(id);
    await markDeclined(tx, id, ctx.now);
    const { project, role } = invitation;
    return { reply: {}, audit: { type: 'invitation', id, name, changes: { project, role } } };
  });
}

interface ForInstallation {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly project: string;
  /** null: no account has the name. */
  readonly account: string | null;
  readonly changes: object;
}

/**
 * Records what only owners of the installation may know, in addition to the project's entry, which says nothing about
 * the account. Has no request, which is part of the project's entry.
 */
async function recordForInstallation(tx: Tx, ctx: RequestContext, of: ForInstallation): Promise<void> {
  const { type, id, name, project, account, changes } = of;
  await recordAudit(tx, {
    at: ctx.now,
    actor: ctx.actor,
    actorRole: undefined,
    projectId: undefined,
    action: 'invitation.account',
    outcome: 'done',
    status: 200,
    subject: { type, id, name, changes: { ...changes, project, account } },
  });
}

function failMissing(id: string): Error {
  return fail('record.not_found', { kind: 'invitation', name: id });
}
