import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS, roleSchema } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, timeSchema } from '../schemas.ts';

/** Lifetime of an invitation. */
export const INVITATION_DAYS = 7;
/** Limit of open invitations per project. */
export const INVITATIONS_MAX = 100;

/**
 * An open invitation, as the project sees it. The project must not learn whether an account with this name exists, or
 * whether its owner has declined.
 */
export const invitationSchema = z.object({
  id: idSchema,
  project: idSchema,
  /** As the inviter wrote it. */
  username: z.string(),
  role: roleSchema,
  invited_by: z.string(),
  created_at: timeSchema,
  expires_at: timeSchema,
});
export type InvitationView = z.infer<typeof invitationSchema>;

/** The same invitation, as the invited account sees it. */
export const ownInvitationSchema = z.object({
  id: idSchema,
  project: idSchema,
  project_name: z.string(),
  role: roleSchema,
  invited_by: z.string(),
  created_at: timeSchema,
  expires_at: timeSchema,
});
export type OwnInvitationView = z.infer<typeof ownInvitationSchema>;

const params = z.strictObject({ invitation_id: idSchema });
const own = {
  access: { kind: 'authenticated' },
  project: 'none',
  tag: 'Profile',
  family: 'identity',
  people: true,
} as const;

export const invitationRoutes = {
  list: defineRoute({
    id: 'listInvitations',
    method: 'GET',
    path: '/api/v3/setting/invitations',
    summary: 'List the open invitations to the project',
    tag: 'Users',
    family: 'identity',
    access: { kind: 'roles', roles: ADMINS },
    project: 'query',
    audit: null,
    query: z.strictObject({ ...listQuery, project: idSchema }),
    status: 200,
    response: listOf(invitationSchema),
  }),
  withdraw: defineRoute({
    id: 'withdrawInvitation',
    method: 'DELETE',
    path: '/api/v3/setting/invitations/:invitation_id',
    summary: 'Withdraw an invitation',
    tag: 'Users',
    family: 'identity',
    access: { kind: 'roles', roles: ADMINS },
    project: 'query',
    people: true,
    audit: 'invitation.withdraw',
    params,
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    status: 204,
  }),
  listOwn: defineRoute({
    id: 'listOwnInvitations',
    method: 'GET',
    path: '/api/v3/profile/invitations',
    summary: 'List the projects that the caller is invited to',
    ...own,
    audit: null,
    status: 200,
    response: z.object({ items: z.array(ownInvitationSchema), next_cursor: z.null() }),
  }),
  accept: defineRoute({
    id: 'acceptInvitation',
    method: 'POST',
    path: '/api/v3/profile/invitations/:invitation_id/accept',
    summary: 'Accept the invitation and join the project',
    ...own,
    audit: 'invitation.accept',
    params,
    query: z.strictObject(dryRunQuery),
    status: 200,
    response: z.object({ project: idSchema, project_name: z.string(), role: roleSchema }),
  }),
  decline: defineRoute({
    id: 'declineInvitation',
    method: 'POST',
    path: '/api/v3/profile/invitations/:invitation_id/decline',
    summary: 'Decline the invitation; the project is not notified',
    ...own,
    audit: 'invitation.decline',
    params,
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};

export const invitationsAuditWords = defineAuditWords({
  actions: {
    'invitation.accept': 'accept an invitation as user',
    'invitation.account': 'record the account of invitation',
    'invitation.decline': 'decline invitation',
    'invitation.withdraw': 'withdraw invitation',
  },
});
