import { type Role, secondFactorRoutes, userRoutes, userSessionRoutes } from '@flotilla/contract';
import { type Command, Option } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { requireUser } from './find-user.ts';
import { parseRole } from './option-values.ts';
import { readSecret } from './read-secret.ts';
import type { Runner } from './runner.ts';
import {
  type CommonOptions,
  openReach,
  openScope,
  type ReachOptions,
  withJson,
  withProject,
  withReach,
} from './scope-options.ts';

interface MemberOptions extends CommonOptions {
  readonly role?: Role;
}

interface ChangeOptions extends ReachOptions {
  readonly name?: string;
  readonly email?: string;
  readonly passwordStdin?: boolean;
  readonly on?: boolean;
  readonly off?: boolean;
}

/** Accounts that are there: what they may do in the project, and how they sign in. */
export function addMemberCommands(users: Command, runner: Runner): void {
  addMembershipCommands(users, runner);
  addAccountCommands(users, runner);
}

function addMembershipCommands(users: Command, { io, answer }: Runner): void {
  withJson(withProject(users.command('add')))
    .description('make an account that is there a member of the project')
    .argument('<name>')
    .option('--role <role>', 'viewer unless told', parseRole)
    .action(
      answer(async (username: string, options: MemberOptions) => {
        const { connection, project } = await openScope(io, options);
        const body = { username, role: options.role ?? ('viewer' as const) };
        const { body: user } = await connection.call(userRoutes.addMember, { query: { project }, body });
        return { json: user, text: `${user.username} is ${body.role}.` };
      }),
    );

  withJson(withProject(users.command('role')))
    .description('give a member another role in the project')
    .argument('<user>', 'name or id')
    .argument('<role>', 'owner, admin, editor or viewer', parseRole)
    .action(
      answer(async (name: string, role: Role, options: MemberOptions) => {
        const scope = await openScope(io, options);
        const { id } = await requireUser(scope, name);
        const params = { user_id: id, project_id: scope.project };
        const { body } = await scope.connection.call(userRoutes.setMembership, { params, query: {}, body: { role } });
        return { json: body, text: `${body.username} is ${role}.` };
      }),
    );

  withJson(withProject(users.command('remove')))
    .description('take a member out of the project; the account stays')
    .argument('<user>', 'name or id')
    .action(
      answer(async (name: string, options: MemberOptions) => {
        const scope = await openScope(io, options);
        const { id, username } = await requireUser(scope, name);
        const params = { user_id: id, project_id: scope.project };
        await scope.connection.call(userRoutes.endMembership, { params, query: {} });
        return { json: { removed: id }, text: `${username} is no member any more.` };
      }),
    );
}

function addAccountCommands(users: Command, runner: Runner): void {
  const { io, answer } = runner;

  withJson(withReach(users.command('change')))
    .description('change an account, or switch it off and on; a new password ends its sessions')
    .argument('<user>', 'name or id')
    .option('--name <name>', 'what it is called from then on')
    .option('--email <address>', 'empty takes it away')
    .option('--password-stdin', 'read the password from standard input')
    .addOption(new Option('--on', 'may sign in again').conflicts('off'))
    .option('--off', 'may not sign in any more')
    .action(
      answer(async (name: string, options: ChangeOptions) => {
        const scope = await openReach(io, options);
        const body = await readChanges(runner, options);
        const request = { params: { user_id: (await requireUser(scope, name)).id }, query: { project: scope.project } };
        const { body: user } = await scope.connection.call(userRoutes.patch, { ...request, body });
        return { json: user, text: `User ${user.username} is changed.` };
      }),
    );

  withJson(withReach(users.command('unlock')))
    .description('forget the failed sign-ins of an account: the next one is looked at at once')
    .argument('<user>', 'name or id')
    .action(
      answer(async (name: string, options: ReachOptions) => {
        const scope = await openReach(io, options);
        const { id, username } = await requireUser(scope, name);
        const request = { params: { user_id: id }, query: { project: scope.project } };
        await scope.connection.call(userSessionRoutes.unlock, request);
        return { json: { unlocked: id }, text: `${username} may try again.` };
      }),
    );

  withJson(withReach(users.command('reset-factors')))
    .description('take all second factors from who has lost them; owners of the installation. Its sessions end')
    .argument('<user>', 'name or id')
    .action(
      answer(async (name: string, options: ReachOptions) => {
        const scope = await openReach(io, options);
        const { id, username } = await requireUser(scope, name);
        await scope.connection.call(secondFactorRoutes.resetUser, { params: { user_id: id }, query: {} });
        return { json: { reset: id }, text: `${username} has no second factor.` };
      }),
    );
}

async function readChanges({ io }: Runner, { name, email, passwordStdin, on, off }: ChangeOptions) {
  const changes = {
    ...(name !== undefined && { username: name }),
    ...(email !== undefined && { email: email === '' ? null : email }),
    ...(passwordStdin && { password: await readSecret(io) }),
    ...((on || off) && { active: on === true }),
  };
  if (Object.keys(changes).length > 0) return changes;
  throw new CliFailure(EXIT.usage, 'Say what to change: --name, --email, --password-stdin, --on or --off');
}
