import { commandRoutes, fail } from '@flotilla/contract';
import { implement, type ProjectLocator, type Route } from '../../../platform/http/route.ts';
import type { CommandService } from './service.ts';
import { findProjectOfCommand, isShown } from './store.ts';
import { listCommands, toRecord } from './views.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const locateCommand: ProjectLocator = async (db, { command_id: id }) => {
  if (!id || !UUID.test(id)) return undefined;
  return findProjectOfCommand(db, id);
};

export function createCommandRoutes(commands: CommandService): Route[] {
  return [
    implement(commandRoutes.list, async (ctx, { query }) => ({
      body: await listCommands(ctx.db, ctx.project.id, query),
    })),
    implement(
      commandRoutes.dispatch,
      async (ctx, { body, query }) => ({ body: await commands.dispatch(ctx, { body, query }) }),
      { acrossProjects: true },
    ),
    implement(
      commandRoutes.read,
      async (ctx, { params, query }) => {
        // Checked before waiting for the outcome.
        if (ctx.project.reader !== undefined && !(await isShown(ctx.db, params.command_id)))
          throw fail('record.not_found', { kind: 'command', name: params.command_id });
        const row = await commands.read(params.command_id, query.wait_ms ?? 0);
        const isOther = query.project !== undefined && query.project.toLowerCase() !== ctx.project.id;
        if (!row || isOther) throw fail('record.not_found', { kind: 'command', name: params.command_id });
        return { body: toRecord(row) };
      },
      { locateProject: locateCommand },
    ),
  ];
}
