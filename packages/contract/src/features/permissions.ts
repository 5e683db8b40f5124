import * as z from 'zod';
import { LEVELS, RESOURCE_KINDS } from '../resources.ts';
import { ADMINS, roleSchema } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';

export const SUBJECT_KINDS = ['user', 'group'] as const;
/** open: every member reaches all of the project, as far as the role goes. listed: editors and viewers what permissions name. */
export const RESOURCE_ACCESS = ['open', 'listed'] as const;
export type ResourceAccessMode = (typeof RESOURCE_ACCESS)[number];

const kindSchema = z.enum(RESOURCE_KINDS);
const levelSchema = z.enum(LEVELS);
const subjectKindSchema = z.enum(SUBJECT_KINDS);

export const permissionSchema = z.object({
  id: idSchema,
  project: idSchema,
  subject: z.object({ kind: subjectKindSchema, id: idSchema, name: z.string() }),
  /** Without an id: everything of the kind, also what is made later. */
  resource: z.object({
    kind: kindSchema,
    id: idSchema.nullable(),
    name: z.string().nullable(),
    /** Of documents. */
    collection: z.string().optional(),
    version: z.string().optional(),
  }),
  level: levelSchema,
  /** Null: it was given to whoever made the thing. */
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

/** One thing, and all that is given on it itself. */
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

/** Whom something may be given to: groups, and members whose role does not reach everything. */
export const permissionSubjectSchema = z.object({
  kind: subjectKindSchema,
  id: idSchema,
  name: z.string(),
  /** Of members. */
  role: roleSchema.nullable(),
});
export type PermissionSubject = z.infer<typeof permissionSubjectSchema>;

/** What one member reaches of a thing, and by what. */
export const reachSchema = z.object({
  user_id: idSchema,
  username: z.string(),
  role: roleSchema,
  /** Null: it is not there for them. */
  level: levelSchema.nullable(),
  /** role: owners and admins, and everybody where the project is open. */
  by: z.array(z.enum(['role', 'user', 'group', 'kind'])),
});
export type ReachView = z.infer<typeof reachSchema>;

const choiceSchema = z.object({
  id: idSchema,
  name: z.string(),
  collection: z.string().optional(),
  version: z.string().optional(),
});
/** Most that one answer or one change of a subject's selection holds. */
export const SELECTION_MAX = 1000;

const idsSchema = z.array(idSchema).max(SELECTION_MAX);
/** Most subjects that are asked for by their ids at once. */
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
const common = { tag: 'Permissions', access: { kind: 'roles', roles: ADMINS }, project: 'query' } as const;
const accessSchema = z.object({ resource_access: z.enum(RESOURCE_ACCESS) });
const inProject = z.strictObject({ project: idSchema });
const writing = z.strictObject({ project: idSchema, ...dryRunQuery });

export const permissionRoutes = {
  list: defineRoute({
    id: 'listPermissions',
    method: 'GET',
    path: '/api/v3/setting/permissions',
    summary: 'Who is given what in the project; on one thing, to one member or group',
    ...common,
    audit: null,
    query: z.strictObject({
      ...listQuery,
      kind: repeatable(kindSchema).optional(),
      resource_id: repeatable(idSchema).optional(),
      user_id: repeatable(idSchema).optional(),
      group_id: repeatable(idSchema).optional(),
      /** true: what is given on all of a kind; false: on one thing. */
      whole: booleanQuerySchema.optional(),
    }),
    status: 200,
    response: listOf(permissionSchema),
  }),
  grant: defineRoute({
    id: 'grantPermission',
    method: 'POST',
    path: '/api/v3/setting/permissions',
    summary: 'Give a member or group a level on one thing or a whole kind; replaces what was given before',
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
    summary: 'One permission',
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
    summary: 'Take a permission back',
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
    summary: 'All things of a type, and those that a member or group is given',
    ...common,
    audit: null,
    params: selectionParams,
    query: z.strictObject({ project: idSchema, q: listQuery.q }),
    status: 200,
    response: z.object({
      all: z.array(choiceSchema),
      selected: z.array(choiceSchema.extend({ level: levelSchema })),
      /** There are more than an answer holds: narrow them by q. */
      truncated: z.boolean(),
    }),
  }),
  change: defineRoute({
    id: 'changePermissionSelection',
    method: 'PUT',
    path: '/api/v3/setting/permissions/:kind/:type/:id',
    summary: 'Give and take things of a type, many at once; each has its own outcome',
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
    summary: 'Things of a kind by name, each with all that is given on it, or what these members and groups are given',
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
    summary: 'Whom something may be given to: groups first, then members whose role does not reach everything',
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
    summary: 'What each member of the project may do with one thing, and by what',
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
    summary: 'Whether members reach all of the project, or editors and viewers only what they are given',
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
    summary: 'Open the project to its members, or list what editors and viewers may reach',
    ...common,
    people: true,
    audit: 'project.resource_access',
    query: writing,
    body: z.strictObject(accessSchema.shape),
    status: 200,
    response: accessSchema,
  }),
};
