import { PATH_RULES_PREVIEW_MAX, pathRuleRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { type Jobs, type JobType, toJobActor } from '../../../platform/jobs/index.ts';
import type { RewriteParams } from './job.ts';
import { previewRules } from './preview.ts';
import { listBusiest, listRuns } from './store.ts';

export interface RewriteRouteDeps {
  readonly jobs: Jobs;
  readonly job: JobType<RewriteParams>;
}

export function createRewriteRoutes({ jobs, job }: RewriteRouteDeps): Route[] {
  return [
    implement(pathRuleRoutes.preview, async (ctx, { body: { rules } }) => {
      const rows = await listBusiest(ctx.db, ctx.project.id, PATH_RULES_PREVIEW_MAX + 1);
      const isTruncated = rows.length > PATH_RULES_PREVIEW_MAX;
      return { body: await previewRules(rules, rows.slice(0, PATH_RULES_PREVIEW_MAX), isTruncated) };
    }),
    implement(pathRuleRoutes.rewrites, async (ctx) => {
      const runs = await listRuns(ctx.db, ctx.project.id);
      // The changes name operations of services that a restricted member may not see.
      const isRestricted = ctx.project.reader !== undefined;
      return { body: { items: isRestricted ? runs.map((run) => ({ ...run, renamings: [] })) : runs } };
    }),
    implement(pathRuleRoutes.rewrite, (ctx, { body: { apply } }) =>
      ctx.write(async (tx) => {
        const order = { params: { apply, automatic: false }, project: ctx.project.id, actor: toJobActor(ctx) };
        const { id, number } = await jobs.enqueue(tx, job, order);
        return {
          reply: { body: { job: { id, number } }, location: `/api/v3/jobs/${id}` },
          audit: { type: 'inventory', changes: { apply } },
        };
      }),
    ),
  ];
}
