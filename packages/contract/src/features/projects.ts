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
  delete: defineRoute({
    id: 'deleteProject',
    method: 'DELETE',
    path: '/api/v3/setting/project/:project_id',
    summary: 'Delete an empty project with its memberships and API tokens',
    tag: 'Projects',
    access: owners,
    project: 'none',
    audit: 'project.delete',
    params: projectParams,
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};
