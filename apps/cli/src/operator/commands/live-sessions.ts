import { type CallOutput, profileRoutes, userSessionRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, printList } from '../output.ts';
import { requireUser } from './find-user.ts';
import type { Runner } from './runner.ts';
import {
  type CommonOptions,
  openReach,
  type ReachOptions,
  withConnection,
  withJson,
  withReach,
} from './scope-options.ts';

interface OwnOptions extends CommonOptions {
  readonly others?: boolean;
}

type Session = CallOutput<typeof userSessionRoutes.list>['items'][number];

/** Where others are signed in. */
export function addUserSessionCommands(users: Command, runner: Runner): void {
  const { io } = runner;

  withJson(withReach(users.command('sessions')))
    .description('where a user is signed in, newest first')
    .argument('<user>', 'name or id')
    .action(
      runner.action(async (name: string, options: ReachOptions) => {
        const scope = await openReach(io, options);
        const params = { user_id: (await requireUser(scope, name)).id };
        const request = { params, query: { project: scope.project } };
        const { body } = await scope.connection.call(userSessionRoutes.list, request);
        printList(io, { rows: body.items, columns: createColumns(Date.now()) }, options);
        return EXIT.ok;
      }),
    );

  withJson(withReach(users.command('sign-out')))
    .description('end a session of a user, or all of them')
    .argument('<user>', 'name or id')
    .argument('[session]', 'id, as sessions has it; all unless told')
    .action(
      runner.answer(async (name: string, session: string | undefined, options: ReachOptions) => {
        const scope = await openReach(io, options);
        const { id, username } = await requireUser(scope, name);
        const query = { project: scope.project };
        if (session === undefined)
          await scope.connection.call(userSessionRoutes.endAll, { params: { user_id: id }, query });
        else
          await scope.connection.call(userSessionRoutes.end, { params: { user_id: id, session_id: session }, query });
        return {
          json: { user: id, ended: session ?? 'all' },
          text: session === undefined ? `${username} is signed out everywhere.` : `Session ${session} has ended.`,
        };
      }),
    );
}

/** Where the caller is signed in. */
export function addOwnSessionCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const sessions = program.command('sessions').description('where you are signed in: list, end');

  withJson(withConnection(sessions.command('list')))
    .description('your live sessions, newest first')
    .action(
      runner.list(
        createColumns,
        async (options: CommonOptions) => await listOwnSessions(await Connection.open(io, options)),
      ),
    );

  withJson(withConnection(sessions.command('end')))
    .description('end one of your sessions, or all but this one')
    .argument('[session]', 'id, as the list has it')
    .option('--others', 'all but this one')
    .action(
      runner.answer(async (session: string | undefined, options: OwnOptions) => {
        if ((session === undefined) !== (options.others === true))
          throw new CliFailure(EXIT.usage, 'Say which session: its id, or --others.');
        const connection = await Connection.open(io, options);
        if (session === undefined) await connection.call(profileRoutes.endOtherSessions, { query: {} });
        else await connection.call(profileRoutes.endSession, { params: { session_id: session }, query: {} });
        return {
          json: { ended: session ?? 'others' },
          text: session === undefined ? 'All other sessions have ended.' : `Session ${session} has ended.`,
        };
      }),
    );
}

/** Also for completion. */
export async function listOwnSessions(connection: Connection): Promise<readonly Session[]> {
  return (await connection.call(profileRoutes.listSessions, {})).body.items;
}

function createColumns(now: number) {
  return [
    { title: 'device', value: (row: Session) => row.device },
    { title: 'this one', value: (row: Session) => row.current },
    { title: 'from', value: (row: Session) => row.last_ip ?? row.ip },
    { title: 'begun', value: (row: Session) => formatAge(row.created_at, now) },
    { title: 'used', value: (row: Session) => formatAge(row.last_used_at, now) },
    { title: 'ends', value: (row: Session) => row.expires_at },
    { title: 'id', value: (row: Session) => row.id },
  ];
}
