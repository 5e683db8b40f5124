import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { LEVELS, RESOURCE_KINDS } from '../resources.ts';
import { ADMINS, roleSchema } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';

export const SUBJECT_KINDS = ['user', 'group'] as const;
/** open: members access the whole project within their roles. listed: editors and viewers access only what permissions name. */
export const RESOURCE_ACCESS = ['open', 'listed'] as const;
export type ResourceAccessMode = (typeof RESOURCE_ACCESS)[number];

const kindSchema = z.enum(RESOURCE_KINDS);
const levelSchema = z.enum(LEVELS);
const subjectKindSchema = z.enum(SUBJECT_KINDS);

export const permissionSchema = z.object({
  id: idSchema,
  project: idSchema,
  subject: z.object({ kind: subjectKindSchema, id: idSchema, name: z.string() }),
  /** Without an id: every thing of the kind, also future ones. */
  resource: z.object({
    kind: kindSchema,
    id: idSchema.nullable(),
    name: z.string().nullable(),
    collection: z.string().optional(),
    version: z.string().optional(),
  }),
  level: levelSchema,
  /** Null: the creator of the thing got it automatically. */
  granted_by: z.string().nullable(),
  at: timeSchema,
});
export type PermissionView = z.infer<typeof permissionSchema>;

export const permissionBodySchema = z.strictObject({
  subject: z.strictObject({ kind: subjectKindSchema, id: idSchema }),
  resource: z.strictObject({ kind: kindSchema, id: idSchema.nullable() }),
  level: levelSchema,
});
export type PermissionBody = z.infer<typeof permissionBodySchema>;

/** One thing with the permissions on it. */
export const listedResourceSchema = z.object({
  id: idSchema,
  name: z.string(),
  collection: z.string().optional(),
  version: z.string().optional(),
  permissions: z.array(
    z.object({ id: idSchema, subject: z.object({ kind: subjectKindSchema, id: idSchema }), level: levelSchema }),
  ),
});
export type ListedResource = z.infer<typeof listedResourceSchema>;

/** Can receive permissions: groups, and members whose role does not access everything. */
export const permissionSubjectSchema = z.object({
  kind: subjectKindSchema,
  id: idSchema,
  name: z.string(),
  /** Null for groups. */
  role: roleSchema.nullable(),
});
export type PermissionSubject = z.infer<typeof permissionSubjectSchema>;

/** The access of one member to a thing, and its sources. */
export const reachSchema = z.object({
  user_id: idSchema,
  username: z.string(),
  role: roleSchema,
  /** Null: the thing is invisible to them. */
  level: levelSchema.nullable(),
  /** role: owners and admins, and everybody if the project is open. */
  by: z.array(z.enum(['role', 'user', 'group', 'kind'])),
});
export type ReachView = z.infer<typeof reachSchema>;

const choiceSchema = z.object({
  id: idSchema,
  name: z.string(),
  collection: z.string().optional(),
  version: z.string().optional(),
});
/** Limit for one answer and for one change of a subject's selection. */
export const SELECTION_MAX = 1000;

const idsSchema = z.array(idSchema).max(SELECTION_MAX);
/** Limit of subjects in one request. */
export const SUBJECTS_MAX = 50;
const subjectsQuery = repeatable(idSchema)
  .refine((ids) => ids.length <= SUBJECTS_MAX, `at most ${SUBJECTS_MAX}`)
  .optional();
const selectionParams = z.strictObject({
  kind: z.enum(['users', 'groups']),
  /** A kind of thing, or a collection of documents. */
  type: z.string().min(1).max(64),
  id: idSchema,
});
const common = {
  tag: 'Permissions',
  family: 'identity',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
} as const;
const accessSchema = z.object({ resource_access: z.enum(RESOURCE_ACCESS) });
const inProject = z.strictObject({ project: idSchema });
const writing = z.strictObject({ project: idSchema, ...dryRunQuery });

export const permissionRoutes = {
  list: defineRoute({
    id: 'listPermissions',
    method: 'GET',
    path: '/api/v3/setting/permissions',
    summary: 'List the permissions in the project; optionally on one thing, or of one member or group',
    ...common,
    audit: null,
    query: z.strictObject({
      ...listQuery,
      kind: repeatable(kindSchema).optional(),
      resource_id: repeatable(idSchema).optional(),
      user_id: repeatable(idSchema).optional(),
      group_id: repeatable(idSchema).optional(),
      /** True: permissions on all things of a kind; false: on one thing. */
      whole: booleanQuerySchema.optional(),
    }),
    status: 200,
    response: listOf(permissionSchema),
  }),
  grant: defineRoute({
    id: 'grantPermission',
    method: 'POST',
    path: '/api/v3/setting/permissions',
    summary: 'Give a member or group a permission on one thing or a whole kind; it replaces the previous one',
    ...common,
    people: true,
    audit: 'permission.grant',
    query: writing,
    body: permissionBodySchema,
    status: 200,
    makes: true,
    response: permissionSchema,
  }),
  get: defineRoute({
    id: 'getPermission',
    method: 'GET',
    path: '/api/v3/setting/permissions/:permission_id',
    summary: 'Read a permission',
    ...common,
    audit: null,
    params: z.strictObject({ permission_id: idSchema }),
    query: inProject,
    status: 200,
    response: permissionSchema,
  }),
  revoke: defineRoute({
    id: 'revokePermission',
    method: 'DELETE',
    path: '/api/v3/setting/permissions/:permission_id',
    summary: 'Revoke a permission',
    ...common,
    people: true,
    audit: 'permission.revoke',
    params: z.strictObject({ permission_id: idSchema }),
    query: writing,
    status: 204,
  }),
  select: defineRoute({
    id: 'getPermissionSelection',
    method: 'GET',
    path: '/api/v3/setting/permissions/:kind/:type/:id',
    summary: 'List all things of a type, and those that a member or group has permissions on',
    ...common,
    audit: null,
    params: selectionParams,
    query: z.strictObject({ project: idSchema, q: listQuery.q }),
    status: 200,
    response: z.object({
      all: z.array(choiceSchema),
      selected: z.array(choiceSchema.extend({ level: levelSchema })),
      /** The answer does not contain all: narrow it with `q`. */
      truncated: z.boolean(),
    }),
  }),
  change: defineRoute({
    id: 'changePermissionSelection',
    method: 'PUT',
    path: '/api/v3/setting/permissions/:kind/:type/:id',
    summary: 'Give and revoke permissions on many things of a type; each has its own outcome',
    ...common,
    people: true,
    audit: 'permission.change',
    params: selectionParams,
    query: writing,
    body: z.strictObject({ added: idsSchema.optional(), removed: idsSchema.optional(), level: levelSchema.optional() }),
    status: 200,
    response: z.object({
      results: z.array(
        z.object({
          id: idSchema,
          outcome: z.enum(['done', 'unchanged', 'refused']),
          error: z.object({ code: z.string(), message: z.string() }).optional(),
        }),
      ),
    }),
  }),
  resources: defineRoute({
    id: 'listResources',
    method: 'GET',
    path: '/api/v3/setting/resources',
    summary:
      'List things of a kind by name, each with all permissions on it, or with those of the given members and groups',
    ...common,
    audit: null,
    query: z.strictObject({ ...listQuery, kind: kindSchema, subject_id: subjectsQuery }),
    status: 200,
    response: listOf(listedResourceSchema),
  }),
  subjects: defineRoute({
    id: 'listPermissionSubjects',
    method: 'GET',
    path: '/api/v3/setting/permission-subjects',
    summary: 'List possible holders of permissions: groups first, then members whose role does not access everything',
    ...common,
    audit: null,
    query: z.strictObject({ ...listQuery, subject_id: subjectsQuery }),
    status: 200,
    response: listOf(permissionSubjectSchema),
  }),
  reach: defineRoute({
    id: 'listReach',
    method: 'GET',
    path: '/api/v3/setting/resources/:resource_id/reach',
    summary: 'List what each member of the project may do with one thing, and why',
    ...common,
    audit: null,
    params: z.strictObject({ resource_id: idSchema }),
    query: z.strictObject({ ...listQuery, kind: kindSchema }),
    status: 200,
    response: listOf(reachSchema),
  }),
  access: defineRoute({
    id: 'getResourceAccess',
    method: 'GET',
    path: '/api/v3/setting/resource-access',
    summary: 'Read whether the project is open, or restricts editors and viewers to their permissions',
    ...common,
    audit: null,
    query: inProject,
    status: 200,
    response: accessSchema,
  }),
  setAccess: defineRoute({
    id: 'setResourceAccess',
    method: 'PUT',
    path: '/api/v3/setting/resource-access',
    summary: 'Open the project to its members, or restrict editors and viewers to their permissions',
    ...common,
    people: true,
    audit: 'project.resource_access',
    query: writing,
    body: z.strictObject(accessSchema.shape),
    status: 200,
    response: accessSchema,
  }),
};

export const permissionsTopics = [defineTopic('permission', 'admins', {})] as const;

export const permissionsAuditWords = defineAuditWords({
  actions: {
    'permission.change': 'change permissions on resource',
    'permission.grant': 'grant a permission on resource',
    'permission.revoke': 'revoke a permission on resource',
    'project.resource_access': 'change member access to project',
  },
});
