import { z } from 'zod';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, nameSchema, timeSchema } from '../schemas.ts';

export const projectSchema = z.object({
  id: idSchema,
  name: z.string(),
  description: z.string().nullable(),
  member_count: z.number().int(),
  created_at: timeSchema,
  updated_at: timeSchema,
  revision: z.number().int(),
});
export type ProjectView = z.infer<typeof projectSchema>;

/** All that goes with a project, and what keeps it from going. */
export const deletionPlanSchema = z.object({
  /** Of everything that people know by name here; what only accrues (events, counts) does not change it. */
  digest: z.string(),
  /** No documents, policies, services or clients: it may be deleted without a plan. */
  empty: z.boolean(),
  /** Tables with rows of this project; `examples` are the first 20 names. */
  contents: z.array(z.object({ kind: z.string(), count: z.number().int(), examples: z.array(z.string()) })),
  /** Deployed services, the first 1,000: to be undeployed before. */
  running: z.array(z.object({ service: z.string(), client: z.string() })),
});
export type DeletionPlan = z.infer<typeof deletionPlanSchema>;

const descriptionSchema = z.string().max(1024).nullable();
const projectParams = z.strictObject({ project_id: idSchema });
const owners = { kind: 'system_owner' } as const;
const { project: _, ...unscopedListQuery } = listQuery;

export const projectRoutes = {
  list: defineRoute({
    id: 'listProjects',
    method: 'GET',
    path: '/api/v3/setting/projects',
    summary: 'All projects',
    tag: 'Projects',
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
    summary: 'Make a project',
    tag: 'Projects',
    access: owners,
    project: 'none',
    audit: 'project.create',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({ name: nameSchema, description: descriptionSchema.optional() }),
    status: 201,
    response: projectSchema,
  }),
  get: defineRoute({
    id: 'getProject',
    method: 'GET',
    path: '/api/v3/setting/project/:project_id',
    summary: 'One project',
    tag: 'Projects',
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
    summary: 'Replace name and description of a project',
    tag: 'Projects',
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
    summary: 'Change name or description of a project',
    tag: 'Projects',
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
    summary: 'All that would be deleted with a project, and what keeps it from being deleted',
    tag: 'Projects',
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
    summary: 'Delete a project with all that is in it; unless it is empty, `plan` says that this was seen',
    tag: 'Projects',
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
