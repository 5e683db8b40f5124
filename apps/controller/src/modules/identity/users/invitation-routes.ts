import { invitationRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { listInvitations, listOwnInvitations } from './invitation-store.ts';
import { acceptInvitation, declineInvitation, withdrawInvitation } from './invite.ts';
import { requireSession } from './model.ts';

/** The invited account is not a member of the project, so its own routes read across projects. */
const acrossProjects = { acrossProjects: true } as const;

export function createInvitationRoutes(): Route[] {
  return [
    implement(invitationRoutes.list, async (ctx, { query }) => ({
      body: await listInvitations(ctx.db, ctx.project.id, { ...query, now: ctx.now }),
    })),
    implement(invitationRoutes.withdraw, (ctx, { params }) => withdrawInvitation(ctx, params.invitation_id)),
    implement(
      invitationRoutes.listOwn,
      async (ctx) => {
        const items = await listOwnInvitations(ctx.db, requireSession(ctx.actor).id, ctx.now);
        return { body: { items, next_cursor: null } };
      },
      acrossProjects,
    ),
    implement(
      invitationRoutes.accept,
      (ctx, { params }) => acceptInvitation(ctx, params.invitation_id),
      acrossProjects,
    ),
    implement(
      invitationRoutes.decline,
      (ctx, { params }) => declineInvitation(ctx, params.invitation_id),
      acrossProjects,
    ),
  ];
}
