import { shieldNodeRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { CommandService } from '../commands/index.ts';
import { listShieldNodes, type ShieldNodeDeps } from './nodes.ts';
import { resyncFilters } from './resync.ts';

export function createShieldNodeRoutes({
  commands,
  ...deps
}: Omit<ShieldNodeDeps, 'db'> & { readonly commands: CommandService }): Route[] {
  return [
    implement(shieldNodeRoutes.list, async (ctx, { query }) => ({
      body: await listShieldNodes({ ...deps, db: ctx.db }, ctx.project.id, query),
    })),
    implement(shieldNodeRoutes.resync, async (ctx, { body }) =>
      ctx.write(async (tx) => {
        const { project, now, actor } = ctx;
        const { results, ...counts } = await resyncFilters(
          tx,
          { project, now, actor },
          { commands, clients: body.clients },
        );
        ctx.afterCommit(async () => commands.notify(results));
        return { reply: { body: counts }, audit: { type: 'project', id: project.id, changes: { ...counts } } };
      }),
    ),
  ];
}
