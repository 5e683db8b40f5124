import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, nameSchema, observed, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { COLLECTIONS, proxyVersionSchema } from './documents.ts';

export const projectSchema = z.object({
  id: idSchema,
  name: z.string(),
  description: z.string().nullable(),
  member_count: observed(z.number().int()),
  created_at: timeSchema,
  updated_at: timeSchema,
  revision: z.number().int(),
});
export type ProjectView = z.infer<typeof projectSchema>;

/** Everything that is deleted with a project, and what prevents the deletion. */
export const deletionPlanSchema = z.object({
  /** Covers everything with a name; growing records such as events and counts do not change it. */
  digest: z.string(),
  /** True: no policies, services or clients, and only unchanged starter documents. It may be deleted without a plan. */
  empty: z.boolean(),
  /** Tables with rows of this project; `examples` are the first 20 names. */
  contents: z.array(z.object({ kind: z.string(), count: z.number().int(), examples: z.array(z.string()) })),
  /** Deployed services, at most 1,000, which have to be undeployed first. */
  running: z.array(z.object({ service: z.string(), client: z.string() })),
});
export type DeletionPlan = z.infer<typeof deletionPlanSchema>;

/** Limit of proxy versions with starter documents for a new project. */
const STARTER_VERSIONS_MAX = 16;

/** The choices for the starter documents of a new project. */
export const projectStartersSchema = z.object({
  /** The newest installed proxy version, else the newest known one. It is the default of a request without versions. */
  default_version: z.string(),
  /** All versions to choose from, newest first. */
  versions: z.array(z.string()),
  /** The starter documents, which are the same for each version. */
  documents: z.array(z.object({ collection: z.enum(COLLECTIONS), name: z.string(), description: z.string() })),
});
export type ProjectStarters = z.infer<typeof projectStartersSchema>;

const descriptionSchema = z.string().max(1024).nullable();
const projectParams = z.strictObject({ project_id: idSchema });
const owners = { kind: 'system_owner' } as const;
const { project: _, ...unscopedListQuery } = listQuery;

export const projectRoutes = {
  list: defineRoute({
    id: 'listProjects',
    method: 'GET',
    path: '/api/v3/setting/projects',
    summary: 'List all projects',
    tag: 'Projects',
    family: 'identity',
    access: owners,
    project: 'none',
    audit: null,
    query: z.strictObject(unscopedListQuery),
    status: 200,
    response: listOf(projectSchema),
  }),
  create: defineRoute({
    id: 'createProject',
    method: 'POST',
    path: '/api/v3/setting/projects',
    summary: 'Create a project with its group `default` and its starter documents, all or nothing',
    tag: 'Projects',
    family: 'identity',
    access: owners,
    project: 'none',
    audit: 'project.create',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({
      name: nameSchema,
      description: descriptionSchema.optional(),
      starters: z
        .array(proxyVersionSchema)
        .max(STARTER_VERSIONS_MAX)
        .refine((versions) => new Set(versions).size === versions.length, 'each version once')
        .optional()
        .describe('Proxy versions that get starter documents; default: `default_version` of the starters, `[]`: none'),
    }),
    status: 201,
    response: projectSchema,
  }),
  starters: defineRoute({
    id: 'listProjectStarters',
    method: 'GET',
    path: '/api/v3/setting/project-starters',
    summary: 'List the starter documents for a new project, and the proxy versions to choose from',
    tag: 'Projects',
    family: 'identity',
    access: owners,
    project: 'none',
    audit: null,
    status: 200,
    response: projectStartersSchema,
  }),
  get: defineRoute({
    id: 'getProject',
    method: 'GET',
    path: '/api/v3/setting/project/:project_id',
    summary: 'Read a project',
    tag: 'Projects',
    family: 'identity',
    access: owners,
    project: 'none',
    audit: null,
    params: projectParams,
    status: 200,
    response: projectSchema,
  }),
  replace: defineRoute({
    id: 'replaceProject',
    method: 'PUT',
    path: '/api/v3/setting/project/:project_id',
    summary: 'Replace the name and description of a project',
    tag: 'Projects',
    family: 'identity',
    access: owners,
    project: 'none',
    audit: 'project.update',
    params: projectParams,
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ name: nameSchema, description: descriptionSchema }),
    status: 200,
    response: projectSchema,
  }),
  patch: defineRoute({
    id: 'patchProject',
    method: 'PATCH',
    path: '/api/v3/setting/project/:project_id',
    summary: 'Change the name or description of a project',
    tag: 'Projects',
    family: 'identity',
    access: owners,
    project: 'none',
    audit: 'project.update',
    params: projectParams,
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ name: nameSchema, description: descriptionSchema }).partial(),
    status: 200,
    response: projectSchema,
  }),
  planDeletion: defineRoute({
    id: 'planProjectDeletion',
    method: 'GET',
    path: '/api/v3/setting/project/:project_id/deletion',
    summary: 'List what would be deleted with a project, and what prevents its deletion',
    tag: 'Projects',
    family: 'identity',
    access: owners,
    project: 'none',
    audit: null,
    params: projectParams,
    status: 200,
    response: deletionPlanSchema,
  }),
  delete: defineRoute({
    id: 'deleteProject',
    method: 'DELETE',
    path: '/api/v3/setting/project/:project_id',
    summary: 'Delete a project with everything in it; unless it is empty, `plan` has to confirm the deletion plan',
    tag: 'Projects',
    family: 'identity',
    access: owners,
    project: 'none',
    audit: 'project.delete',
    params: projectParams,
    query: z.strictObject({
      /** `digest` of the deletion plan. */
      plan: z.string().max(64).optional(),
      ...dryRunQuery,
    }),
    status: 204,
  }),
};

export const projectsTopics = [defineTopic('project', 'members', { project_id: idSchema.optional() })] as const;
