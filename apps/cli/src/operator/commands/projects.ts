import { type ProjectView, projectRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import { EXIT } from '../exit-codes.ts';
import { formatAge, print, printJson, printList } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import { findNamed } from '../project.ts';
import { type CommonOptions, type Runner, withConnection, withJson } from './shared.ts';

interface ProjectOptions extends CommonOptions {
  readonly query?: string;
  readonly description?: string;
  readonly dryRun?: boolean;
}

/** Projects are made and ended by owners of the installation; everybody else sees theirs with `whoami`. */
export function addProjectCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const projects = program.command('projects').description('list, make and end projects (owners of the installation)');

  withJson(withConnection(projects.command('list')))
    .description('every project')
    .option('-q, --query <text>', 'part of the name')
    .action(
      runner.action(async (options: ProjectOptions) => {
        const connection = await Connection.open(io, options);
        const now = Date.now();
        const items = await collectPages(async (cursor) => {
          const query = { limit: PAGE_SIZE, cursor, q: options.query };
          return (await connection.call(projectRoutes.list, { query })).body;
        });
        const columns = [
          { title: 'name', value: (row: ProjectView) => row.name },
          { title: 'members', value: (row: ProjectView) => row.member_count },
          { title: 'made', value: (row: ProjectView) => formatAge(row.created_at, now) },
          { title: 'description', value: (row: ProjectView) => row.description },
          { title: 'id', value: (row: ProjectView) => row.id },
        ];
        printList(io, items, columns, options.json === true);
        return EXIT.ok;
      }),
    );

  withJson(withConnection(projects.command('get')))
    .description('one project')
    .argument('<project>', 'name or id')
    .action(
      runner.action(async (name: string, options: ProjectOptions) => {
        const connection = await Connection.open(io, options);
        const { id } = await findNamed(connection, name);
        const { body } = await connection.call(projectRoutes.get, { params: { project_id: id } });
        if (options.json) printJson(io, body);
        else print(io, `${body.name}  ${body.member_count} members  made ${body.created_at}  ${body.id}`);
        return EXIT.ok;
      }),
    );

  withJson(withConnection(projects.command('create')))
    .description('make a project')
    .argument('<name>')
    .option('--description <text>')
    .option('--dry-run', 'check and make nothing')
    .action(
      runner.action(async (name: string, options: ProjectOptions) => {
        const connection = await Connection.open(io, options);
        const { body } = await connection.call(projectRoutes.create, {
          query: options.dryRun ? { dry_run: 'true' } : {},
          body: { name, ...(options.description !== undefined && { description: options.description }) },
        });
        if (options.json) printJson(io, body);
        else print(io, options.dryRun ? `Project ${name} could be made.` : `Project ${name} made: ${body.id}`);
        return EXIT.ok;
      }),
    );

  withJson(withConnection(projects.command('delete')))
    .description('end a project that holds nothing; what it still holds is told')
    .argument('<project>', 'name or id')
    .option('--dry-run', 'check and delete nothing')
    .action(
      runner.action(async (name: string, options: ProjectOptions) => {
        const connection = await Connection.open(io, options);
        const project = await findNamed(connection, name);
        await connection.call(projectRoutes.delete, {
          params: { project_id: project.id },
          query: options.dryRun ? { dry_run: 'true' } : {},
        });
        if (options.json) printJson(io, { deleted: project.id, dry_run: options.dryRun === true });
        else print(io, `Project ${project.name} ${options.dryRun ? 'could be deleted' : 'deleted'}.`);
        return EXIT.ok;
      }),
    );
}
