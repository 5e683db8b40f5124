import { type DeletionPlan, type ProjectStarters, type ProjectView, projectRoutes } from '@flotilla/contract';
import { newestOfLine, parseVersionRequest } from '@flotilla/envoy-dist';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, print, printJson } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import { findNamed, type NamedProject } from '../project.ts';
import { type NamingOptions, toNaming } from './option-values.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withConnection, withJson } from './scope-options.ts';

interface ProjectOptions extends CommonOptions, NamingOptions {
  readonly query?: string;
  readonly plan?: string;
  readonly starters?: string;
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
      runner.list(
        (now) => [
          { title: 'name', value: (row: ProjectView) => row.name },
          { title: 'members', value: (row: ProjectView) => row.member_count },
          { title: 'made', value: (row: ProjectView) => formatAge(row.created_at, now) },
          { title: 'description', value: (row: ProjectView) => row.description },
          { title: 'id', value: (row: ProjectView) => row.id },
        ],
        async (options: ProjectOptions) => {
          const connection = await Connection.open(io, options);
          return await collectPages(async (cursor) => {
            const query = { limit: PAGE_SIZE, cursor, q: options.query };
            return (await connection.call(projectRoutes.list, { query })).body;
          });
        },
      ),
    );

  withJson(withConnection(projects.command('get')))
    .description('one project')
    .argument('<project>', 'name or id')
    .action(
      runner.answer(async (name: string, options: ProjectOptions) => {
        const connection = await Connection.open(io, options);
        const { id } = await findNamed(connection, name);
        const { body } = await connection.call(projectRoutes.get, { params: { project_id: id } });
        return { json: body, text: `${body.name}  ${body.member_count} members  made ${body.created_at}  ${body.id}` };
      }),
    );

  withJson(withConnection(projects.command('create')))
    .description('make a project, with documents to begin with and a group "default" for all of its members')
    .argument('<name>')
    .option('--description <text>')
    .option('--starters <versions>', 'proxy versions to have them for: 1.40.0, 1.40, several with commas, or none')
    .option('--dry-run', 'check and make nothing')
    .action(
      runner.action(async (name: string, options: ProjectOptions) => {
        const connection = await Connection.open(io, options);
        const starters = chooseStarters(await readStarters(connection), options.starters);
        const { body } = await connection.call(projectRoutes.create, {
          query: options.dryRun ? { dry_run: 'true' } : {},
          body: {
            name,
            ...(options.description !== undefined && { description: options.description }),
            starters: starters.versions,
          },
        });
        if (options.json) printJson(io, body);
        else if (options.dryRun) print(io, `Project ${name} could be made${starters.told}.`);
        else print(io, `Project ${name} made: ${body.id}${starters.told}`);
        return EXIT.ok;
      }),
    );

  withJson(withConnection(projects.command('change')))
    .description('change name or description of a project')
    .argument('<project>', 'name or id')
    .option('--name <name>', 'what it is called from then on')
    .option('--description <text>', 'empty takes it away')
    .action(
      runner.answer(async (name: string, options: ProjectOptions) => {
        const body = toNaming(options);
        const connection = await Connection.open(io, options);
        const { id } = await findNamed(connection, name);
        const request = { params: { project_id: id }, query: {}, body };
        const { body: changed } = await connection.call(projectRoutes.patch, request);
        return { json: changed, text: `Project ${changed.name} is changed.` };
      }),
    );

  withJson(withConnection(projects.command('plan')))
    .description('all that would be deleted with a project, and what keeps it from being deleted')
    .argument('<project>', 'name or id')
    .action(
      runner.answer(async (name: string, options: ProjectOptions) => {
        const connection = await Connection.open(io, options);
        const project = await findNamed(connection, name);
        const { body } = await connection.call(projectRoutes.planDeletion, { params: { project_id: project.id } });
        return { json: body, text: describeDeletion(project, body) };
      }),
    );

  withJson(withConnection(projects.command('delete')))
    .description('end a project that holds nothing; with --plan one with all that is in it')
    .argument('<project>', 'name or id')
    .option('--plan <digest>', 'of what projects plan shows, where that is still all that goes')
    .option('--dry-run', 'check and delete nothing')
    .action(
      runner.answer(async (name: string, options: ProjectOptions) => {
        const connection = await Connection.open(io, options);
        const project = await findNamed(connection, name);
        await connection.call(projectRoutes.delete, {
          params: { project_id: project.id },
          query: { plan: options.plan, ...(options.dryRun && { dry_run: 'true' }) },
        });
        return {
          json: { deleted: project.id, dry_run: options.dryRun === true },
          text: `Project ${project.name} ${options.dryRun ? 'could be deleted' : 'deleted'}.`,
        };
      }),
    );
}

function describeDeletion({ id }: NamedProject, { digest, contents, running }: DeletionPlan): string {
  const held = contents.map(({ kind, count, examples }) => {
    const names = examples.length === 0 ? '' : `: ${examples.join(', ')}${count > examples.length ? ', ...' : ''}`;
    return `  ${count} ${kind.replaceAll('_', ' ')}${names}`;
  });
  const what = held.length === 0 ? ['Nothing is in the project.'] : ['With the project:', ...held];
  const next =
    running.length === 0
      ? [`Delete it with: flotilla projects delete ${id} --plan ${digest}`]
      : ['To be undeployed before:', ...running.map(({ service, client }) => `  ${service} on ${client}`)];
  return [...what, ...next].join('\n');
}

export async function readStarters(connection: Connection): Promise<ProjectStarters> {
  return (await connection.call(projectRoutes.starters, {})).body;
}

/** A line (`1.39`) is its newest version that the controller knows. Without a word of it, the controller's own choice. */
function chooseStarters(offered: ProjectStarters, wanted: string | undefined) {
  if (wanted === 'none') return { versions: [], told: '' };
  const asked = (wanted ?? offered.default_version).split(',').map((text) => {
    const request = parseVersionRequest(text);
    if (!request) throw new CliFailure(EXIT.usage, `"${text}" is no proxy version: 1.40.0, or 1.40 for its newest`);
    if (request.kind === 'exact') return request.version;
    const newest = newestOfLine(offered.versions, request.line);
    if (newest === undefined)
      throw new CliFailure(EXIT.usage, `No version of ${request.line} is known: ${offered.versions.join(', ')}`);
    return newest;
  });
  const versions = [...new Set(asked)];
  return { versions, told: `, with ${offered.documents.length} documents for Envoy ${versions.join(' and ')}` };
}
