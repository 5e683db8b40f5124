import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { roleSchema } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { sessionSchema } from './sessions.ts';
import { emailSchema, membershipSchema, newPasswordSchema } from './users.ts';

/** The caller: a signed-in user, or an API token, which has one project and no profile to change. */
export const profileSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('user'),
    id: idSchema,
    username: z.string(),
    email: z.string().nullable(),
    is_owner: z.boolean(),
    must_change_password: z.boolean(),
    memberships: z.array(membershipSchema),
    password_changed_at: timeSchema,
    created_at: timeSchema,
    session: idSchema,
  }),
  z.object({
    kind: z.literal('token'),
    id: idSchema,
    name: z.string(),
    project: idSchema,
    project_name: z.string(),
    role: roleSchema,
  }),
]);
export type ProfileView = z.infer<typeof profileSchema>;

const own = { access: { kind: 'authenticated' }, project: 'none', tag: 'Profile', family: 'identity' } as const;
const currentPassword = z.string().min(1).max(1024);

export const profileRoutes = {
  get: defineRoute({
    id: 'getProfile',
    method: 'GET',
    path: '/api/v3/profile',
    summary: "Read the caller's identity and memberships",
    ...own,
    beforeNewPassword: true,
    family: 'any',
    audit: null,
    status: 200,
    response: profileSchema,
  }),
  changePassword: defineRoute({
    id: 'changePassword',
    method: 'PUT',
    path: '/api/v3/profile/password',
    summary: "Change the caller's password; all other sessions end",
    ...own,
    beforeNewPassword: true,
    people: true,
    audit: 'profile.password',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ current_password: currentPassword, new_password: newPasswordSchema }),
    status: 204,
  }),
  changeEmail: defineRoute({
    id: 'changeEmail',
    method: 'PUT',
    path: '/api/v3/profile/email',
    summary: "Change the caller's e-mail address",
    ...own,
    people: true,
    audit: 'profile.email',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ email: emailSchema.nullable(), current_password: currentPassword }),
    status: 204,
  }),
  listSessions: defineRoute({
    id: 'listSessions',
    method: 'GET',
    path: '/api/v3/profile/sessions',
    summary: "List the caller's live sessions, newest first",
    ...own,
    people: true,
    audit: null,
    status: 200,
    response: z.object({ items: z.array(sessionSchema), next_cursor: z.null() }),
  }),
  endOtherSessions: defineRoute({
    id: 'endOtherSessions',
    method: 'DELETE',
    path: '/api/v3/profile/sessions',
    summary: 'End all other sessions of the caller',
    ...own,
    people: true,
    audit: 'session.end',
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
  endSession: defineRoute({
    id: 'endSession',
    method: 'DELETE',
    path: '/api/v3/profile/sessions/:session_id',
    summary: "End one of the caller's sessions",
    ...own,
    people: true,
    audit: 'session.end',
    params: z.strictObject({ session_id: idSchema }),
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};

export const profileAuditWords = defineAuditWords({
  actions: {
    'profile.email': 'change own e-mail address',
    'profile.password': 'change own password',
  },
  own: ['profile.email', 'profile.password'],
});
