import {
  LEVELS,
  type Level,
  type ListedResource,
  type PermissionView,
  permissionRoutes,
  RESOURCE_ACCESS,
  RESOURCE_KINDS,
  type ReachView,
  type ResourceKind,
} from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { printList } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import type { Scope } from '../records.ts';
import { requireUser } from './find-user.ts';
import { requireGroup } from './groups.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface PermissionOptions extends CommonOptions {
  readonly user?: string;
  readonly group?: string;
  readonly kind?: ResourceKind;
}

type Subject = PermissionView['subject'];

/** What editors and viewers reach, where the project lists it. */
export function addPermissionCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const permissions = program
    .command('permissions')
    .description(
      'what editors and viewers reach in the project: list, grant, revoke, reach, and whether it is listed at all',
    );

  withSubject(withJson(withProject(permissions.command('list'))))
    .description('what is given to whom')
    .option('--kind <kind>', RESOURCE_KINDS.join(', '), parseKind)
    .action(
      runner.list(
        () => [
          { title: 'who', value: ({ subject: { kind, name } }: PermissionView) => `${kind} ${name}` },
          { title: 'may', value: (row: PermissionView) => row.level },
          { title: 'kind', value: (row: PermissionView) => row.resource.kind },
          { title: 'what', value: describeResource },
          { title: 'given by', value: (row: PermissionView) => row.granted_by },
          { title: 'id', value: (row: PermissionView) => row.id },
        ],
        async (options: PermissionOptions) => {
          const scope = await openScope(io, options);
          const subject = options.user || options.group ? await requireSubject(scope, options) : undefined;
          return await listPermissions(scope, { subject, kind: options.kind });
        },
      ),
    );

  withJson(withProject(permissions.command('get')))
    .description('one permission: what it is on, who has it and who gave it')
    .argument('<permission>', 'id')
    .action(
      runner.show(async (id: string, options: CommonOptions) => {
        const { connection, project } = await openScope(io, options);
        const params = { permission_id: id };
        return (await connection.call(permissionRoutes.get, { params, query: { project } })).body;
      }),
    );

  withSubject(withJson(withProject(permissions.command('grant'))))
    .description('give a member or group a level on one thing, or with "*" on the whole kind')
    .argument('<kind>', RESOURCE_KINDS.join(', '), parseKind)
    .argument('<what>', 'name (of documents collection/name) or id, or "*"')
    .argument('<level>', LEVELS.join(', '), parseLevel)
    .action(
      runner.answer(async (kind: ResourceKind, what: string, level: Level, options: PermissionOptions) => {
        const scope = await openScope(io, options);
        const { id: subjectId, kind: subjectKind } = await requireSubject(scope, options);
        const id = what === '*' ? null : (await requireResource(scope, kind, what)).id;
        const { connection, project } = scope;
        const { body } = await connection.call(permissionRoutes.grant, {
          query: { project },
          body: { subject: { kind: subjectKind, id: subjectId }, resource: { kind, id }, level },
        });
        return { json: body, text: `${body.subject.name} may ${level} ${describeResource(body)}.` };
      }),
    );

  withSubject(withJson(withProject(permissions.command('revoke'))))
    .description('take a permission back')
    .argument('<kind>', RESOURCE_KINDS.join(', '), parseKind)
    .argument('<what>', 'name (of documents collection/name) or id, or "*"')
    .action(
      runner.answer(async (kind: ResourceKind, what: string, options: PermissionOptions) => {
        const scope = await openScope(io, options);
        const subject = await requireSubject(scope, options);
        const id = what === '*' ? null : (await requireResource(scope, kind, what)).id;
        const found = (await listPermissions(scope, { subject, kind })).find(({ resource }) => resource.id === id);
        if (!found) throw new CliFailure(EXIT.notFound, `${subject.name} has no permission there.`);
        const { connection, project } = scope;
        await connection.call(permissionRoutes.revoke, { params: { permission_id: found.id }, query: { project } });
        return {
          json: { revoked: found.id },
          text: `${subject.name} has no permission on ${describeResource(found)} any more.`,
        };
      }),
    );

  withJson(withProject(permissions.command('reach')))
    .description('what each member may do with one thing, and by what: role, user, group, or all of its kind')
    .argument('<kind>', RESOURCE_KINDS.join(', '), parseKind)
    .argument('<what>', 'name (of documents collection/name) or id')
    .action(
      runner.action(async (kind: ResourceKind, what: string, options: CommonOptions) => {
        const scope = await openScope(io, options);
        const rows = await listReach(scope, kind, (await requireResource(scope, kind, what)).id);
        printList(io, { rows, columns: REACH_COLUMNS }, options);
        return EXIT.ok;
      }),
    );

  withJson(withProject(permissions.command('access')))
    .description('whether the project is open to its members or lists what editors and viewers reach')
    .argument('[mode]', `${RESOURCE_ACCESS.join(' or ')}; without it, what holds now`)
    .action(
      runner.answer(async (mode: string | undefined, options: CommonOptions) => {
        const { connection, project } = await openScope(io, options);
        const wanted = RESOURCE_ACCESS.find((one) => one === mode);
        if (mode !== undefined && !wanted)
          throw new CliFailure(EXIT.usage, `"${mode}" is neither ${RESOURCE_ACCESS.join(' nor ')}`);
        const { body } = wanted
          ? await connection.call(permissionRoutes.setAccess, { query: { project }, body: { resource_access: wanted } })
          : await connection.call(permissionRoutes.access, { query: { project } });
        return { json: body, text: body.resource_access };
      }),
    );
}

const REACH_COLUMNS = [
  { title: 'member', value: (row: ReachView) => row.username },
  { title: 'role', value: (row: ReachView) => row.role },
  { title: 'may', value: (row: ReachView) => row.level ?? 'nothing' },
  { title: 'by', value: (row: ReachView) => row.by.join(' ') },
];

function listReach({ connection, project }: Scope, kind: ResourceKind, id: string): Promise<ReachView[]> {
  const params = { resource_id: id };
  return collectPages(async (cursor) => {
    const query = { project, kind, limit: PAGE_SIZE, cursor };
    return (await connection.call(permissionRoutes.reach, { params, query })).body;
  });
}

function withSubject(command: Command): Command {
  return command.option('--user <name>', 'a member, by name or id').option('--group <name>', 'a group, by name or id');
}

async function requireSubject(scope: Scope, { user, group }: PermissionOptions): Promise<Subject> {
  if (user !== undefined && group === undefined) {
    const { id, username: name } = await requireUser(scope, user);
    return { kind: 'user', id, name };
  }
  if (group === undefined || user !== undefined)
    throw new CliFailure(EXIT.usage, 'Say --user or --group, one of them.');
  const { id, name } = await requireGroup(scope, group);
  return { kind: 'group', id, name };
}

/** Also for completion. */
export function listPermissions(
  { connection, project }: Scope,
  { subject, kind }: { subject?: Subject | undefined; kind?: ResourceKind | undefined } = {},
): Promise<PermissionView[]> {
  return collectPages(async (cursor) => {
    const of = subject && { [`${subject.kind}_id`]: subject.id };
    const query = { project, limit: PAGE_SIZE, cursor, ...(kind && { kind }), ...of };
    return (await connection.call(permissionRoutes.list, { query })).body;
  });
}

async function requireResource(
  { connection, project }: Scope,
  kind: ResourceKind,
  what: string,
): Promise<ListedResource> {
  const wanted = what.split('/').at(-1) ?? what;
  const items = await collectPages(async (cursor) => {
    const query = { project, kind, limit: PAGE_SIZE, cursor };
    return (await connection.call(permissionRoutes.resources, { query })).body;
  });
  const found = items.filter(
    ({ id, name, collection }) =>
      id === what || (name === wanted && (wanted === what || what === `${collection}/${name}`)),
  );
  const [only, ...others] = found;
  if (!only) throw new CliFailure(EXIT.notFound, `There is no ${kind} ${what} in this project.`);
  if (others.length > 0) {
    const ids = found.map(({ id, collection, version }) => [id, collection, version].filter(Boolean).join(' '));
    throw new CliFailure(EXIT.usage, `There are several ${kind}s ${what}. Say which by its id:`, ids);
  }
  return only;
}

function describeResource({ resource: { kind, id, name, collection, version } }: PermissionView): string {
  if (id === null) return `all (${kind})`;
  const place = collection === undefined ? (name ?? id) : `${collection}/${name ?? id}`;
  return version === undefined ? place : `${place} ${version}`;
}

function parseKind(text: string): ResourceKind {
  const kind = RESOURCE_KINDS.find((one) => one === text);
  if (!kind) throw new CliFailure(EXIT.usage, `"${text}" is no kind: ${RESOURCE_KINDS.join(', ')}`);
  return kind;
}

function parseLevel(text: string): Level {
  const level = LEVELS.find((one) => one === text);
  if (!level) throw new CliFailure(EXIT.usage, `"${text}" is no level: ${LEVELS.join(', ')}`);
  return level;
}
