import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS, roleSchema } from '../roles.ts';
import { defineRoute } from '../route.ts';
import {
  booleanQuerySchema,
  dryRunQuery,
  idSchema,
  listOf,
  listQuery,
  nameSchema,
  observed,
  repeatable,
  timeSchema,
} from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { invitationSchema } from './invitations.ts';

export const emailSchema = z.email().max(254);
/** The controller checks it in full: at least 12 characters, not a common password, not the user name. */
export const newPasswordSchema = z.string().min(1).max(1024);

export const membershipSchema = z.object({
  project: idSchema,
  project_name: z.string(),
  role: roleSchema,
});

/** The parts of an account that are deleted or ended with it. */
export const USER_PARTS = [
  'memberships',
  'sessions',
  'groups',
  'permissions',
  'passkeys',
  'api_tokens',
  'enrolment_tokens',
  'jobs',
  'schedules',
] as const;

export const userSchema = z.object({
  id: idSchema,
  username: z.string(),
  email: z.string().nullable(),
  /** Owners of the installation may do everything in every project. */
  is_owner: z.boolean(),
  active: z.boolean(),
  /** Where the account signs in: `local`, the directory, or the name of a provider. */
  realm: z.string(),
  /**
   * The project that created the account: its admins, and owners of the installation, may administer it. Null for the
   * installation, and for a home that is not the requested project.
   */
  home_project: idSchema.nullable(),
  home_project_name: observed(z.string().nullable()),
  /** The caller may change the account itself: name, address, password, active. */
  administrable: observed(z.boolean()),
  /** Memberships in the requested project; without one, all of them. */
  memberships: z.array(membershipSchema),
  created_at: timeSchema,
  updated_at: timeSchema,
  revision: z.number().int(),
});
export type UserView = z.infer<typeof userSchema>;

const userFields = {
  username: nameSchema,
  email: emailSchema.nullable(),
  is_owner: z.boolean(),
  active: z.boolean(),
};

export const createUserBodySchema = z.strictObject({
  username: userFields.username,
  email: userFields.email.optional(),
  is_owner: userFields.is_owner.optional(),
  active: userFields.active.optional(),
  /** Without it, the controller makes a password and shows it once, in the answer. */
  password: newPasswordSchema.optional(),
  memberships: z
    .array(z.strictObject({ project: idSchema, role: roleSchema }))
    .max(1000)
    .optional(),
  /**
   * Only owners of the installation may choose it. Default: the project of the query, else the only membership, else the
   * installation.
   */
  home_project: idSchema.nullable().optional(),
});

export const replaceUserBodySchema = z.strictObject(userFields);
export const patchUserBodySchema = z
  .strictObject({
    ...userFields,
    password: newPasswordSchema,
    /** Only owners of the installation may change it. Null: the account belongs to the installation. */
    home_project: idSchema.nullable(),
  })
  .partial();

/** `initial_password` is set if the controller made it; it is not shown again. */
export const createdUserSchema = userSchema.extend({ initial_password: z.string().optional() });

/**
 * The effect of deleting an account, by kind. `deleted`: deleted with the account; `ended`: it stays without effect until
 * somebody takes it over. Kinds without any are left out.
 */
export const userDeletionSchema = z.object({
  /** Covers everything in the answer except sessions and jobs, which come and go on their own. */
  digest: z.string(),
  items: z.array(
    z.object({
      kind: z.enum(USER_PARTS),
      fate: z.enum(['deleted', 'ended']),
      count: z.number().int(),
      /** Names of some of them. */
      examples: z.array(z.string()),
    }),
  ),
});
export type UserDeletion = z.infer<typeof userDeletionSchema>;

/** The answer of `addMember`: the member, or an invitation that the account has to accept first. */
export const addedMemberSchema = z.discriminatedUnion('kind', [
  userSchema.extend({ kind: z.literal('member') }),
  invitationSchema.extend({ kind: z.literal('invitation') }),
]);

const userParams = z.strictObject({ user_id: idSchema });
const membershipParams = z.strictObject({ user_id: idSchema, project_id: idSchema });
const scopeQuery = z.strictObject({ project: idSchema.optional(), ...dryRunQuery });
const admins = { kind: 'roles', roles: ADMINS } as const;

export const userRoutes = {
  list: defineRoute({
    id: 'listUsers',
    method: 'GET',
    path: '/api/v3/setting/users',
    summary:
      'List the members of a project and the accounts that it created; owners of the installation who name no project get all users',
    tag: 'Users',
    family: 'identity',
    access: admins,
    project: 'query_or_all',
    audit: null,
    query: z.strictObject({
      ...listQuery,
      project: idSchema.optional(),
      active: booleanQuerySchema.optional(),
      is_owner: booleanQuerySchema.optional(),
      /** Role in the requested project; without one, in any. */
      role: repeatable(roleSchema).optional(),
      /** `local`, `ldap`, or `oidc/` and the name of a provider. */
      realm: repeatable(z.string().min(1).max(256)).optional(),
    }),
    status: 200,
    response: listOf(userSchema),
  }),
  create: defineRoute({
    id: 'createUser',
    method: 'POST',
    path: '/api/v3/setting/users',
    summary: 'Create a user account, with memberships',
    tag: 'Users',
    family: 'identity',
    access: admins,
    project: 'query_or_all',
    people: true,
    audit: 'user.create',
    query: scopeQuery,
    body: createUserBodySchema,
    status: 201,
    response: createdUserSchema,
  }),
  get: defineRoute({
    id: 'getUser',
    method: 'GET',
    path: '/api/v3/setting/users/:user_id',
    summary: 'Read a user',
    tag: 'Users',
    family: 'identity',
    access: admins,
    project: 'query_or_all',
    audit: null,
    params: userParams,
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: userSchema,
  }),
  replace: defineRoute({
    id: 'replaceUser',
    method: 'PUT',
    path: '/api/v3/setting/users/:user_id',
    summary: 'Replace the account data of a user',
    tag: 'Users',
    family: 'identity',
    access: admins,
    project: 'query_or_all',
    people: true,
    audit: 'user.update',
    params: userParams,
    query: scopeQuery,
    body: replaceUserBodySchema,
    status: 200,
    response: userSchema,
  }),
  patch: defineRoute({
    id: 'patchUser',
    method: 'PATCH',
    path: '/api/v3/setting/users/:user_id',
    summary: 'Change some account data of a user, or set a new password, which ends the sessions',
    tag: 'Users',
    family: 'identity',
    access: admins,
    project: 'query_or_all',
    people: true,
    audit: 'user.update',
    params: userParams,
    query: scopeQuery,
    body: patchUserBodySchema,
    status: 200,
    response: userSchema,
  }),
  planDeletion: defineRoute({
    id: 'planUserDeletion',
    method: 'GET',
    path: '/api/v3/setting/users/:user_id/deletion',
    summary: 'List what is deleted with a user account, what ends with it, and what stays',
    tag: 'Users',
    family: 'identity',
    access: admins,
    project: 'query_or_all',
    people: true,
    audit: null,
    params: userParams,
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: userDeletionSchema,
  }),
  delete: defineRoute({
    id: 'deleteUser',
    method: 'DELETE',
    path: '/api/v3/setting/users/:user_id',
    summary: 'Delete a user account with its memberships and sessions',
    tag: 'Users',
    family: 'identity',
    access: admins,
    project: 'query_or_all',
    people: true,
    audit: 'user.delete',
    params: userParams,
    query: scopeQuery.extend({
      /** `digest` of the deletion plan. Nothing is deleted if the plan has changed. */
      plan: z.string().max(128).optional(),
    }),
    status: 204,
  }),
  addMember: defineRoute({
    id: 'addMember',
    method: 'POST',
    path: '/api/v3/setting/memberships',
    summary: 'Add an account of the project as a member; invite any other account',
    tag: 'Users',
    family: 'identity',
    access: admins,
    project: 'query',
    people: true,
    audit: 'membership.create',
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    body: z.strictObject({ username: nameSchema, role: roleSchema }),
    status: 201,
    response: addedMemberSchema,
  }),
  setMembership: defineRoute({
    id: 'setMembership',
    method: 'PUT',
    makes: true,
    path: '/api/v3/setting/users/:user_id/memberships/:project_id',
    summary: 'Give a user a role in a project',
    tag: 'Users',
    family: 'identity',
    access: admins,
    project: 'target',
    people: true,
    audit: 'membership.update',
    params: membershipParams,
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ role: roleSchema }),
    status: 200,
    response: userSchema,
  }),
  endMembership: defineRoute({
    id: 'endMembership',
    method: 'DELETE',
    path: '/api/v3/setting/users/:user_id/memberships/:project_id',
    summary: 'End the membership of a user in a project',
    tag: 'Users',
    family: 'identity',
    access: admins,
    project: 'target',
    people: true,
    audit: 'membership.delete',
    params: membershipParams,
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};

export const usersTopics = [defineTopic('user', 'admins', { user_id: idSchema.optional() })] as const;

export const usersAuditWords = defineAuditWords({
  actions: {
    'membership.create': 'add or invite {user}',
    'membership.delete': 'end the membership of user',
    'membership.update': 'change the role of user',
  },
  nouns: {
    membership: 'user',
  },
});
