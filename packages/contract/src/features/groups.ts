import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, nameSchema, observed, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';

export const groupSchema = z.object({
  id: idSchema,
  project: idSchema,
  name: z.string(),
  description: z.string().nullable(),
  /** New members of the project are added to it. */
  is_default: z.boolean(),
  member_count: observed(z.number().int()),
  created_at: timeSchema,
  updated_at: timeSchema,
  revision: z.number().int(),
});
export type GroupView = z.infer<typeof groupSchema>;

/** A member of the project. Members who leave the project leave its groups. */
export const groupMemberSchema = z.object({ user_id: idSchema, username: z.string(), since: timeSchema });
export type GroupMemberView = z.infer<typeof groupMemberSchema>;

const values = { name: nameSchema, description: z.string().max(1024).nullable() };
const groupParams = z.strictObject({ group_id: idSchema });
const memberParams = z.strictObject({ group_id: idSchema, user_id: idSchema });
const projectQuery = z.strictObject({ project: idSchema });
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const common = {
  tag: 'Groups',
  family: 'identity',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
} as const;

export const groupRoutes = {
  list: defineRoute({
    id: 'listGroups',
    method: 'GET',
    path: '/api/v3/setting/groups',
    summary: 'List the groups of the project',
    ...common,
    audit: null,
    query: z.strictObject(listQuery),
    status: 200,
    response: listOf(groupSchema),
  }),
  create: defineRoute({
    id: 'createGroup',
    method: 'POST',
    path: '/api/v3/setting/groups',
    summary: 'Create a group, without members',
    ...common,
    people: true,
    audit: 'group.create',
    query: writeQuery,
    body: z.strictObject({ ...values, description: values.description.optional() }),
    status: 201,
    response: groupSchema,
  }),
  get: defineRoute({
    id: 'getGroup',
    method: 'GET',
    path: '/api/v3/setting/groups/:group_id',
    summary: 'Read a group',
    ...common,
    audit: null,
    params: groupParams,
    query: projectQuery,
    status: 200,
    response: groupSchema,
  }),
  replace: defineRoute({
    id: 'replaceGroup',
    method: 'PUT',
    path: '/api/v3/setting/groups/:group_id',
    summary: 'Replace the name and description of a group',
    ...common,
    people: true,
    audit: 'group.update',
    params: groupParams,
    query: writeQuery,
    body: z.strictObject(values),
    status: 200,
    response: groupSchema,
  }),
  patch: defineRoute({
    id: 'patchGroup',
    method: 'PATCH',
    path: '/api/v3/setting/groups/:group_id',
    summary: 'Change the name or description of a group',
    ...common,
    people: true,
    audit: 'group.update',
    params: groupParams,
    query: writeQuery,
    body: z.strictObject(values).partial(),
    status: 200,
    response: groupSchema,
  }),
  delete: defineRoute({
    id: 'deleteGroup',
    method: 'DELETE',
    path: '/api/v3/setting/groups/:group_id',
    summary: 'Delete a group; its members stay members of the project',
    ...common,
    people: true,
    audit: 'group.delete',
    params: groupParams,
    query: writeQuery,
    status: 204,
  }),
  listMembers: defineRoute({
    id: 'listGroupMembers',
    method: 'GET',
    path: '/api/v3/setting/groups/:group_id/members',
    summary: 'List the members of a group',
    ...common,
    audit: null,
    params: groupParams,
    query: z.strictObject(listQuery),
    status: 200,
    response: listOf(groupMemberSchema),
  }),
  putMember: defineRoute({
    id: 'putGroupMember',
    method: 'PUT',
    path: '/api/v3/setting/groups/:group_id/members/:user_id',
    summary: 'Add a member of the project to a group',
    ...common,
    people: true,
    audit: 'group.member_add',
    params: memberParams,
    query: writeQuery,
    status: 204,
  }),
  deleteMember: defineRoute({
    id: 'deleteGroupMember',
    method: 'DELETE',
    path: '/api/v3/setting/groups/:group_id/members/:user_id',
    summary: 'Remove a member from a group',
    ...common,
    people: true,
    audit: 'group.member_remove',
    params: memberParams,
    query: writeQuery,
    status: 204,
  }),
};

export const groupsTopics = [defineTopic('group', 'admins', { group_id: idSchema.optional() })] as const;

export const groupsAuditWords = defineAuditWords({
  actions: {
    'group.member_add': 'add a member to group',
    'group.member_remove': 'remove a member from group',
  },
});
