import { isDeepStrictEqual } from 'node:util';
import { type DeletionPlan, failIdentity, type ProjectView, projectRoutes, projectSchema } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { diffForAudit } from '../../../platform/http/audit-diff.ts';
import { actorName, type Reply, type RequestContext } from '../../../platform/http/context.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { ProjectDefaults, type ProjectDefaultsDeps } from './defaults.ts';
import { deleteProject, listClientIds, lockServices, planDeletion } from './deletion-store.ts';
import { findProject, insertProject, listProjects, lockProject, type ProjectValues, updateProject } from './store.ts';

export interface ProjectRoutesDeps extends ProjectDefaultsDeps {
  /** Revokes the certificates of a client whose project is deleted, in the same transaction. */
  readonly revokeClient: (tx: Tx, clientId: string, reason: string, now: Date) => Promise<unknown>;
}

export function createProjectRoutes(deps: ProjectRoutesDeps): Route[] {
  const defaults = new ProjectDefaults(deps);
  return [
    implement(projectRoutes.list, async (ctx, { query }) => ({ body: await listProjects(ctx.db, query) })),
    implement(projectRoutes.starters, async () => ({ body: await defaults.describe() })),
    implement(projectRoutes.create, async (ctx, { body }) => {
      const id = createId(ctx.now.getTime());
      const values = { name: body.name, description: body.description ?? null };
      const apis = await defaults.load(body.starters);
      return ctx.write(async (tx) => {
        await insertProject(tx, id, values, ctx.now);
        const made = await defaults.write(tx, { project: id, apis, now: ctx.now, by: actorName(ctx) });
        const project = await findProject(tx, id);
        return {
          reply: { body: project, etag: project.revision, location: `/api/v3/setting/project/${id}` },
          audit: { type: 'project', id, name: project.name, projectId: id, changes: { ...values, ...made } },
        };
      });
    }),
    implement(projectRoutes.get, async (ctx, { params }) => {
      const project = await findProject(ctx.db, params.project_id);
      return { body: project, etag: project.revision };
    }),
    implement(projectRoutes.replace, (ctx, { params, body }) => changeProject(ctx, params.project_id, body)),
    implement(projectRoutes.patch, (ctx, { params, body }) => changeProject(ctx, params.project_id, body)),
    implement(projectRoutes.planDeletion, async (ctx, { params }) => {
      const project = await findProject(ctx.db, params.project_id);
      return { body: await planDeletion(ctx.db, project.id) };
    }),
    implement(projectRoutes.delete, (ctx, { params, query }) =>
      ctx.write(async (tx) => {
        const project = await lockProject(tx, params.project_id);
        requireMatch(ctx, 'project', project.revision);
        await lockServices(tx, project.id);
        const plan = await planDeletion(tx, project.id);
        requireDeletable(project, plan, query.plan);
        for (const id of await listClientIds(tx, project.id)) {
          await deps.revokeClient(tx, id, `project ${project.name} was deleted`, ctx.now);
        }
        await deleteProject(tx, project.id);
        const changes = { contents: plan.contents.map(({ kind, count }) => ({ kind, count })) };
        const audit = { type: 'project', id: project.id, name: project.name, projectId: project.id, changes };
        return { reply: {}, audit };
      }),
    ),
  ];
}

/** Throws unless the caller has seen everything that will be deleted, and nothing of it runs. */
function requireDeletable(project: ProjectView, plan: DeletionPlan, seen: string | undefined): void {
  const { name } = project;
  const { contents, running } = plan;
  if (running.length > 0) {
    const list = running.map(({ service, client }) => `${service} on ${client}`);
    throw failIdentity('project.running', { name, services: list.slice(0, 5).join(', ') }, { extra: { running } });
  }
  if (seen !== undefined && seen !== plan.digest) throw failIdentity('project.plan_changed', { name });
  if (seen === undefined && !plan.empty) {
    const list = contents.map(({ kind, count }) => `${count} ${kind}`).join(', ');
    throw failIdentity('project.not_empty', { name, contents: list }, { extra: { contents } });
  }
}

function changeProject(ctx: RequestContext, id: string, values: Partial<ProjectValues>): Promise<Reply> {
  return ctx.write(async (tx) => {
    const before = await lockProject(tx, id);
    requireMatch(ctx, 'project', before.revision);
    const isUnchanged = isDeepStrictEqual({ ...toComparable(before), ...values }, toComparable(before));
    if (!isUnchanged) await updateProject(tx, id, values, ctx.now);
    const after = await findProject(tx, id);
    return {
      reply: { body: after, etag: after.revision },
      audit: {
        type: 'project',
        id,
        name: after.name,
        projectId: id,
        changes: diffForAudit(toComparable(before), toComparable(after), projectSchema),
      },
      isUnchanged,
    };
  });
}

function toComparable({ name, description }: ProjectValues) {
  return { name, description };
}
