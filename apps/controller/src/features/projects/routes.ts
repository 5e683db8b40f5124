import { failIdentity, projectRoutes } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import type { Reply, RequestContext } from '../../http/context.ts';
import { requireMatch } from '../../http/etag.ts';
import { implement, type Route } from '../../http/route.ts';
import {
  countContents,
  deleteProject,
  findProject,
  insertProject,
  listProjects,
  lockProject,
  type ProjectValues,
  updateProject,
} from './store.ts';

export function createProjectRoutes(): Route[] {
  return [
    implement(projectRoutes.list, async (ctx, { query }) => ({ body: await listProjects(ctx.db, query) })),
    implement(projectRoutes.create, (ctx, { body }) => {
      const id = createId(ctx.now.getTime());
      const values = { name: body.name, description: body.description ?? null };
      return ctx.write(async (tx) => {
        await insertProject(tx, id, values, ctx.now);
        const project = await findProject(tx, id);
        return {
          reply: { body: project, etag: project.revision, location: `/api/v3/setting/project/${id}` },
          audit: { type: 'project', id, name: project.name, projectId: id, changes: values },
        };
      });
    }),
    implement(projectRoutes.get, async (ctx, { params }) => {
      const project = await findProject(ctx.db, params.project_id);
      return { body: project, etag: project.revision };
    }),
    implement(projectRoutes.replace, (ctx, { params, body }) => changeProject(ctx, params.project_id, body)),
    implement(projectRoutes.patch, (ctx, { params, body }) => changeProject(ctx, params.project_id, body)),
    implement(projectRoutes.delete, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const project = await lockProject(tx, params.project_id);
        requireMatch(ctx, 'project', project.revision);
        const contents = await countContents(tx, project.id);
        if (contents.length > 0) {
          const list = contents.map(({ kind, count }) => `${count} ${kind}`).join(', ');
          throw failIdentity('project.not_empty', { name: project.name, contents: list }, { extra: { contents } });
        }
        await deleteProject(tx, project.id);
        return { reply: {}, audit: { type: 'project', id: project.id, name: project.name, projectId: project.id } };
      }),
    ),
  ];
}

function changeProject(ctx: RequestContext, id: string, values: Partial<ProjectValues>): Promise<Reply> {
  return ctx.write(async (tx) => {
    const before = await lockProject(tx, id);
    requireMatch(ctx, 'project', before.revision);
    await updateProject(tx, id, values, ctx.now);
    const after = await findProject(tx, id);
    return {
      reply: { body: after, etag: after.revision },
      audit: { type: 'project', id, name: after.name, projectId: id, changes: { before: before.name, ...values } },
    };
  });
}
