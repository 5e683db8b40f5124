import {
  ApiError,
  type FactorNeeded,
  factorNeededSchema,
  profileRoutes,
  secondFactorRoutes,
  sessionRoutes,
} from '@flotilla/contract';
import type { Command } from 'commander';
import type { ProgramIo } from '../../programs.ts';
import { Connection, isClearText } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { note, print, printJson } from '../output.ts';
import { findNamed, listOwnProjects } from '../project.ts';
import { type Settings, writeSettings } from '../settings.ts';
import { replaceFirstPassword } from './first-password.ts';
import { ask, isTerminal } from './questions.ts';
import { readSecret } from './read-secret.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withConnection, withJson } from './scope-options.ts';

interface LoginOptions extends CommonOptions {
  readonly username?: string;
  readonly passwordStdin?: boolean;
  readonly otp?: string;
  readonly realm?: string;
}

export function addSessionCommands(program: Command, runner: Runner): void {
  addLoginCommand(program, runner);
  addLogoutCommand(program, runner);
  addUseCommand(program, runner);
  addWhoamiCommand(program, runner);
}

function addLoginCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(withConnection(program.command('login')))
    .description('sign in and store the session in a file of mode 0600')
    .option('--username <name>', 'user name; the terminal asks for it if left out')
    .option(
      '--password-stdin',
      'read the password from standard input; the second line is the new password if it must be changed',
    )
    .option(
      '--otp <code>',
      'code of the authenticator, or a backup code; the terminal asks for it if required and left out',
    )
    .option('--realm <name>', 'where the account is: ldap for a directory; local by default')
    .option('--project <name>', 'the default project of later commands')
    .action(
      runner.action(async (options: LoginOptions) => {
        const connection = await Connection.open(io, options);
        if (isClearText(connection.url))
          note(io, `Warning: ${connection.url} is not encrypted: others may read your password.`);
        const credentials = await askCredentials(io, options);
        const { user, ...session } = await signIn(io, connection, {
          ...credentials,
          otp: options.otp,
          realm: options.realm,
        });
        const signedIn: Settings = { url: connection.url, username: user.username, session };
        await writeSettings(io.env, signedIn);
        if (user.must_change_password) {
          const passwords = { current: credentials.password, next: credentials.newPassword };
          const now = await Connection.open(io, { url: connection.url });
          await replaceFirstPassword(io, now, passwords).catch(async (error: unknown) => {
            await writeSettings(io.env, { url: connection.url });
            throw error;
          });
        }
        const project = await chooseProject(await Connection.open(io, { url: connection.url }), options.project);
        if (project) await writeSettings(io.env, { ...signedIn, project: project.id });
        if (options.json) printJson(io, { url: connection.url, username: user.username, project: project ?? null });
        else
          print(io, `Signed in at ${connection.url} as ${user.username}${project ? `, project ${project.name}` : ''}.`);
        if (!project) note(io, 'Choose a project with: flotilla use NAME');
        return EXIT.ok;
      }),
    );
}

function addLogoutCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(withConnection(program.command('logout')))
    .description('end the session, here and at the controller')
    .action(
      runner.answer(async (options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        // An API token cannot end a session. The session would be deleted here and stay valid at the controller.
        if (connection.isGiven)
          throw new CliFailure(EXIT.usage, 'SVC_TOKEN is set and used instead of a session. Unset it to sign out.');
        const { session: _, ...rest } = connection.settings;
        try {
          if (connection.isSignedIn) await connection.call(sessionRoutes.logout, {});
        } finally {
          await writeSettings(io.env, rest);
        }
        return { json: { url: connection.url }, text: `Signed out from ${connection.url}.` };
      }),
    );
}

function addUseCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(withConnection(program.command('use')))
    .description('choose the default project of later commands')
    .argument('<project>', 'name or id')
    .action(
      runner.answer(async (name: string, options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        const project = await findNamed(connection, name);
        await writeSettings(io.env, { ...connection.settings, url: connection.url, project: project.id });
        return { json: { project }, text: `The default project is ${project.name}.` };
      }),
    );
}

function addWhoamiCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(withConnection(program.command('whoami')))
    .description('who is signed in, and the projects of the account')
    .action(
      runner.action(async (options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        const { body } = await connection.call(profileRoutes.get, {});
        if (options.json) printJson(io, body);
        else if (body.kind === 'token') print(io, `API token ${body.name} (${body.role} in ${body.project_name})`);
        else {
          const roles = body.memberships.map(({ project_name, role }) => `${role} in ${project_name}`);
          if (body.is_owner) roles.unshift('owner of the installation');
          print(io, `${body.username} (${roles.join(', ') || 'member of no project'}) at ${connection.url}`);
        }
        return EXIT.ok;
      }),
    );
}

/** Returns the named project, or the only one. */
async function chooseProject(connection: Connection, name: string | undefined) {
  if (name !== undefined) return findNamed(connection, name);
  const projects = await listOwnProjects(connection);
  return projects.length === 1 ? projects[0] : undefined;
}

interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly otp: string | undefined;
  readonly realm: string | undefined;
}

async function signIn(io: ProgramIo, connection: Connection, { username, password, otp, realm }: Credentials) {
  try {
    return (await connection.callPublic(sessionRoutes.login, { body: { username, password, realm } })).body;
  } catch (error) {
    const needed = readFactorNeeded(error);
    if (!needed) throw error;
    if (needed.enrol) {
      const how = `Sign in at ${connection.url} with a browser once to set it up.`;
      throw new CliFailure(EXIT.forbidden, `A second factor is required here and you have none. ${how}`);
    }
    const given = otp ?? (await askCode(io));
    const factor = /^\d{6}$/.test(given) ? { otp_code: given } : { backup_code: given };
    const body = { challenge: needed.challenge, ...factor };
    return (await connection.callPublic(secondFactorRoutes.redeem, { body })).body;
  }
}

function readFactorNeeded(error: unknown): FactorNeeded | undefined {
  if (!(error instanceof ApiError && error.body.code === 'auth.factor_required')) return undefined;
  return factorNeededSchema.safeParse(error.body).data;
}

async function askCode(io: ProgramIo): Promise<string> {
  if (!isTerminal(io)) throw new CliFailure(EXIT.forbidden, 'A second factor is required: add --otp CODE');
  const code = await ask(io, 'Code of your authenticator, or a backup code: ');
  return /^[\d ]+$/.test(code) ? code.replaceAll(' ', '') : code.trim();
}

interface AccountPassword {
  readonly username: string;
  readonly password: string;
  readonly newPassword?: string | undefined;
}

async function askCredentials(io: ProgramIo, options: LoginOptions): Promise<AccountPassword> {
  if (options.passwordStdin) {
    if (!options.username) throw new CliFailure(EXIT.usage, '--password-stdin needs --username');
    const [password = '', newPassword] = (await readSecret(io)).split(/\r?\n/);
    return { username: options.username, password, newPassword };
  }
  if (!isTerminal(io))
    throw new CliFailure(EXIT.usage, 'There is no terminal to ask for the password. Use --password-stdin');
  const username = options.username ?? (await ask(io, 'User name: '));
  return { username, password: await ask(io, 'Password: ', { hidden: true }) };
}
