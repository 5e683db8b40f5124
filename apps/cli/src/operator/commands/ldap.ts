import { readFile } from 'node:fs/promises';
import { type CallInput, type CallOutput, ldapTrialRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import type { ProgramIo } from '../../programs.ts';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { print, printable, printJson } from '../output.ts';
import { listOwnProjects } from '../project.ts';
import { parseObject } from './option-values.ts';
import { ask, isTerminal } from './questions.ts';
import { readSecret } from './read-secret.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withConnection, withJson } from './scope-options.ts';
import { describeStep } from './trial-step.ts';

interface TryOptions extends CommonOptions {
  readonly passwordStdin?: boolean;
  readonly file?: string;
}

type Configuration = NonNullable<CallInput<typeof ldapTrialRoutes.signIn>['body']>['configuration'];
type Person = NonNullable<CallOutput<typeof ldapTrialRoutes.signIn>['person']>;

export function addLdapCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const ldap = program.command('ldap').description('the directory for sign-ins');

  withJson(withConnection(ldap.command('try')))
    .description('try a sign-in with the directory and show each step and the roles; creates nothing')
    .argument('<name>', 'user name in the directory')
    .option('--password-stdin', "read the user's password from standard input; the terminal asks for it if left out")
    .option(
      '-f, --file <path>',
      'settings that are not stored, as a JSON object; stored secrets are used if it has none',
    )
    .action(
      runner.action(async (username: string, options: TryOptions) => {
        const configuration = options.file === undefined ? undefined : await readConfiguration(options.file);
        const connection = await Connection.open(io, options);
        const password = await readPassword(io, options);
        const { body } = await connection.call(ldapTrialRoutes.signIn, { body: { username, password, configuration } });
        if (options.json) printJson(io, body);
        else {
          for (const step of body.steps) print(io, describeStep(step));
          if (body.person) for (const line of await describePerson(connection, body.person)) print(io, printable(line));
        }
        return body.ok ? EXIT.ok : EXIT.failed;
      }),
    );
}

/** The controller validates the contents. */
async function readConfiguration(file: string): Promise<Configuration> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliFailure(EXIT.usage, `${file}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`);
  });
  return parseObject(text, file) as Configuration;
}

async function readPassword(io: ProgramIo, { passwordStdin }: TryOptions): Promise<string> {
  if (passwordStdin) return readSecret(io);
  if (!isTerminal(io))
    throw new CliFailure(EXIT.usage, 'There is no terminal to ask for the password. Use --password-stdin');
  return ask(io, 'Password: ', { hidden: true });
}

async function describePerson(connection: Connection, person: Person): Promise<string[]> {
  const projects = new Map((await listOwnProjects(connection)).map(({ id, name }) => [id, name]));
  const roles = person.roles.map(({ project, role }) => `${role} in ${projects.get(project) ?? project}`);
  return [
    `${person.username} is ${person.dn}`,
    `email   ${person.email ?? '-'}`,
    `groups  ${person.groups.join('; ') || '-'}`,
    `roles   ${roles.join(', ') || 'none (the user may not sign in)'}`,
  ];
}
