import { ApiError, type Role, type UserDeletion, type UserView, userRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, note, print, printable, printJson } from '../output.ts';
import { listUsers, requireUser, requireUserId } from './find-user.ts';
import { addUserSessionCommands } from './live-sessions.ts';
import { addMemberCommands } from './members.ts';
import { collect, parseRole } from './option-values.ts';
import { readSecret } from './read-secret.ts';
import type { Runner } from './runner.ts';
import { openReach, openScope, type ReachOptions, withJson, withProject, withReach } from './scope-options.ts';

interface UserOptions extends ReachOptions {
  readonly email?: string;
  readonly role?: Role;
  readonly passwordStdin?: boolean;
  readonly plan?: string;
}

interface ListOptions extends ReachOptions {
  readonly query?: string;
  readonly role?: readonly Role[];
  readonly realm?: readonly string[];
}

/** Users of the project that commands act in. */
export function addUserCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const users = program.command('users').description('list, make and change users of the project');

  withJson(withReach(users.command('list')))
    .description('members of the project')
    .option('-q, --query <text>', 'part of the name or address')
    .option('--role <role>', 'owner, admin, editor or viewer; may be repeated', collectRoles)
    .option('--realm <realm>', 'local, ldap, or oidc/ and the name of a provider; may be repeated', collect)
    .action(
      runner.list(
        (now) => [
          { title: 'name', value: (row: UserView) => row.username },
          { title: 'role', value: describeRole },
          { title: 'active', value: (row: UserView) => row.active },
          { title: 'realm', value: (row: UserView) => row.realm },
          { title: 'e-mail', value: (row: UserView) => row.email },
          { title: 'made', value: (row: UserView) => formatAge(row.created_at, now) },
          { title: 'id', value: (row: UserView) => row.id },
        ],
        async (options: ListOptions) => {
          const { query: q, role, realm } = options;
          return await listUsers(await openReach(io, options), { q, role, realm });
        },
      ),
    );

  withJson(withReach(users.command('get')))
    .description('one user')
    .argument('<user>', 'name or id')
    .action(
      runner.action(async (name: string, options: UserOptions) => {
        const scope = await openReach(io, options);
        const params = { user_id: await requireUserId(scope, name) };
        const { body } = await scope.connection.call(userRoutes.get, { params, query: { project: scope.project } });
        if (options.json) printJson(io, body);
        else {
          const state = body.active ? 'active' : 'switched off';
          print(io, printable(`${body.username}  ${describeRole(body)}  ${state}  ${body.email ?? '-'}  ${body.id}`));
        }
        return EXIT.ok;
      }),
    );

  withJson(withProject(users.command('create')))
    .description('make a user and a member of the project; without --password-stdin a password is made and shown once')
    .argument('<name>')
    .option('--email <address>')
    .option('--role <role>', 'viewer unless told', parseRole)
    .option('--password-stdin', 'read the password from standard input')
    .action(
      runner.action(async (username: string, options: UserOptions) => {
        const { connection, project } = await openScope(io, options);
        const body = {
          username,
          ...(options.email !== undefined && { email: options.email }),
          ...(options.passwordStdin && { password: await readSecret(io) }),
          memberships: [{ project, role: options.role ?? 'viewer' }],
        };
        const { body: made } = await connection
          .call(userRoutes.create, { query: { project }, body })
          .catch((error: unknown) => {
            throw explainTaken(error, username);
          });
        if (options.json) printJson(io, made);
        else {
          note(io, `User ${made.username} made: ${made.id}`);
          if (made.initial_password !== undefined) {
            note(io, 'The password, shown this once:');
            print(io, made.initial_password);
          }
        }
        return EXIT.ok;
      }),
    );

  withJson(withReach(users.command('delete')))
    .description('what would go with an account; with --plan delete it, where that is still all that goes')
    .argument('<user>', 'name or id')
    .option('--plan <digest>', 'of what was shown')
    .action(
      runner.action(async (name: string, options: UserOptions) => {
        const scope = await openReach(io, options);
        const user = await requireUser(scope, name);
        const request = { params: { user_id: user.id }, query: { project: scope.project } };
        if (options.plan === undefined) {
          const { body: plan } = await scope.connection.call(userRoutes.planDeletion, request);
          if (options.json) printJson(io, plan);
          else print(io, describeDeletion(user, plan, scope.project).map(printable).join('\n'));
          return EXIT.ok;
        }
        const query = { ...request.query, plan: options.plan };
        await scope.connection.call(userRoutes.delete, { ...request, query });
        if (options.json) printJson(io, { deleted: user.id });
        else print(io, printable(`User ${user.username} deleted.`));
        return EXIT.ok;
      }),
    );

  addMemberCommands(users, runner);
  addUserSessionCommands(users, runner);
}

/** The command that it ends with does the same wherever it is run, and whoever is given the name meanwhile. */
function describeDeletion({ id }: UserView, { digest, items }: UserDeletion, project: string | undefined): string[] {
  const lines = items.map(({ kind, fate, count, examples }) => {
    const names = examples.length === 0 ? '' : `: ${examples.join(', ')}${count > examples.length ? ', ...' : ''}`;
    return `  ${count} ${kind.replaceAll('_', ' ')} ${fate === 'deleted' ? 'deleted' : 'of no use any more'}${names}`;
  });
  const what = lines.length === 0 ? ['Nothing hangs on the account.'] : ['With the account:', ...lines];
  const where = project === undefined ? '--all-projects' : `--project ${project}`;
  return [...what, `Delete it with: flotilla users delete ${id} ${where} --plan ${digest}`];
}

function describeRole({ is_owner: isOwner, memberships }: UserView): string {
  return isOwner ? 'owner of the installation' : memberships.map(({ role }) => role).join(', ');
}

function collectRoles(value: string, before: readonly Role[] = []): Role[] {
  return [...before, parseRole(value)];
}

/** The account may be of another project, where this one does not list it. */
function explainTaken(error: unknown, username: string): unknown {
  if (!(error instanceof ApiError) || error.body.code !== 'record.exists') return error;
  return new CliFailure(EXIT.conflict, error.message, [
    `  To make the account a member of the project: flotilla users add ${username}`,
  ]);
}
