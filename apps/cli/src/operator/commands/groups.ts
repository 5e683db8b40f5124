import { type GroupView, groupRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import { isId } from '../project.ts';
import type { Scope } from '../records.ts';
import { requireUser } from './find-user.ts';
import { type NamingOptions, toNaming } from './option-values.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface GroupOptions extends CommonOptions, NamingOptions {}

/** Groups of the project's members, for permissions. */
export function addGroupCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const groups = program.command('groups').description('list, show, make and fill groups of members of the project');

  withJson(withProject(groups.command('list')))
    .description('groups, with how many are in them')
    .action(
      runner.list(
        () => [
          { title: 'name', value: (row: GroupView) => row.name },
          { title: 'members', value: (row: GroupView) => row.member_count },
          { title: 'description', value: (row: GroupView) => row.description },
        ],
        async (options: GroupOptions) => await listGroups(await openScope(io, options)),
      ),
    );

  withJson(withProject(groups.command('get')))
    .description('one group, with its members')
    .argument('<group>', 'name or id')
    .action(
      runner.show(async (name: string, options: GroupOptions) => {
        const scope = await openScope(io, options);
        const { connection, project } = scope;
        const params = { group_id: isId(name) ? name : (await requireGroup(scope, name)).id };
        const { body: group } = await connection.call(groupRoutes.get, { params, query: { project } });
        const members = await collectPages(async (cursor) => {
          const query = { project, limit: PAGE_SIZE, cursor };
          return (await connection.call(groupRoutes.listMembers, { params, query })).body;
        });
        return { ...group, members };
      }),
    );

  withJson(withProject(groups.command('create')))
    .description('make a group, without members')
    .argument('<name>')
    .option('--description <text>')
    .action(
      runner.answer(async (name: string, options: GroupOptions) => {
        const { connection, project } = await openScope(io, options);
        const body = { name, description: options.description ?? null };
        const made = (await connection.call(groupRoutes.create, { query: { project }, body })).body;
        return { json: made, text: `Group ${made.name} made.` };
      }),
    );

  withJson(withProject(groups.command('change')))
    .description('change name or description of a group')
    .argument('<group>', 'name or id')
    .option('--name <name>', 'what it is called from then on')
    .option('--description <text>', 'empty takes it away')
    .action(
      runner.answer(async (name: string, options: GroupOptions) => {
        const body = toNaming(options);
        const scope = await openScope(io, options);
        const { id } = await requireGroup(scope, name);
        const { connection, project } = scope;
        const request = { params: { group_id: id }, query: { project }, body };
        const { body: changed } = await connection.call(groupRoutes.patch, request);
        return { json: changed, text: `Group ${changed.name} is changed.` };
      }),
    );

  withJson(withProject(groups.command('delete')))
    .description('delete a group; its members stay members of the project')
    .argument('<group>', 'name or id')
    .action(
      runner.answer(async (name: string, options: GroupOptions) => {
        const scope = await openScope(io, options);
        const { id } = await requireGroup(scope, name);
        const { connection, project } = scope;
        await connection.call(groupRoutes.delete, { params: { group_id: id }, query: { project } });
        return { json: { deleted: id }, text: `Group ${name} deleted.` };
      }),
    );

  for (const [verb, route, done] of [
    ['add', groupRoutes.putMember, 'is in'],
    ['remove', groupRoutes.deleteMember, 'is not in'],
  ] as const) {
    withJson(withProject(groups.command(verb)))
      .description(verb === 'add' ? 'take a member of the project into a group' : 'take a member out of a group')
      .argument('<group>', 'name or id')
      .argument('<user>', 'name or id')
      .action(
        runner.answer(async (name: string, username: string, options: GroupOptions) => {
          const scope = await openScope(io, options);
          const [group, user] = [await requireGroup(scope, name), await requireUser(scope, username)];
          const { connection, project } = scope;
          await connection.call(route, { params: { group_id: group.id, user_id: user.id }, query: { project } });
          return { json: { group: group.id, user: user.id }, text: `${user.username} ${done} ${group.name}.` };
        }),
      );
  }
}

export function listGroups({ connection, project }: Scope): Promise<GroupView[]> {
  return collectPages(
    async (cursor) => (await connection.call(groupRoutes.list, { query: { project, limit: PAGE_SIZE, cursor } })).body,
  );
}

export async function requireGroup(scope: Scope, name: string): Promise<GroupView> {
  const groups = await listGroups(scope);
  const found = groups.find((group) => group.id === name || group.name.toLowerCase() === name.toLowerCase());
  if (!found) throw new CliFailure(EXIT.notFound, `There is no group ${name} in this project.`);
  return found;
}
