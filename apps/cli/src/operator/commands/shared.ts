import { ROLES, type Role } from '@flotilla/contract';
import type { Command } from 'commander';
import type { ProgramIo } from '../../programs.ts';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { type Column, print, printable, printJson, printList } from '../output.ts';
import { findProject } from '../project.ts';
import type { Scope } from '../records.ts';

/** Options that every command takes. */
export interface CommonOptions {
  readonly url?: string;
  readonly project?: string;
  readonly json?: boolean;
}

/** What a command gets: the process edge, its options, and the way to say how it ended. */
export interface Runner {
  readonly io: ProgramIo;
  /** Wraps the body of a command; its return value is the exit code, 0 when it returns none. */
  action<Args extends unknown[]>(
    body: (...args: Args) => Promise<ExitCode | undefined>,
  ): (...args: Args) => Promise<void>;
  /** Of a command that ends with one answer. */
  answer<Args extends [...unknown[], CommonOptions]>(
    body: (...args: Args) => Promise<Answer>,
  ): (...args: [...Args, Command]) => Promise<void>;
  /** Of a command that lists. Ages in the columns are counted up to `nowMs`, in ms since 1970. */
  list<Row, Options extends CommonOptions>(
    createColumns: (nowMs: number) => readonly Column<Row>[],
    read: (options: Options) => Promise<readonly Row[]>,
  ): (options: Options) => Promise<void>;
}

/** What a command says at its end: with `--json` the value, else the text, without what would steer a terminal. */
export interface Answer {
  readonly json: unknown;
  readonly text: string;
}

export function withConnection(command: Command): Command {
  return command.option('--url <url>', 'address of the controller (or SVC_URL)');
}

export function withProject(command: Command): Command {
  return withConnection(command).option('--project <name>', 'project, by name or id (or SVC_PROJECT)');
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON, as the API gives it');
}

export async function openScope(io: ProgramIo, options: CommonOptions): Promise<Scope> {
  const connection = await Connection.open(io, options);
  return { connection, project: await findProject(connection, options.project ?? (io.env.SVC_PROJECT || undefined)) };
}

/** Of commands that owners of the installation may give for more than one project. */
export interface ReachOptions extends CommonOptions {
  readonly allProjects?: boolean;
}

/** `project` is missing where all of them are meant, or the installation, and what concerns none. */
export interface Reach {
  readonly connection: Connection;
  readonly project?: string;
}

export function withReach(command: Command): Command {
  return withProject(command).option(
    '--all-projects',
    'of all projects and of what concerns none; for owners of the installation',
  );
}

export async function openReach(io: ProgramIo, options: ReachOptions): Promise<Reach> {
  if (!options.allProjects) return openScope(io, options);
  if (options.project !== undefined) throw new CliFailure(EXIT.usage, 'Say either --project or --all-projects.');
  return { connection: await Connection.open(io, options) };
}

/** Of commands for what is of a project or of the installation. */
export interface PlaceOptions extends CommonOptions {
  readonly installation?: boolean;
}

export async function openPlace(io: ProgramIo, options: PlaceOptions): Promise<Reach> {
  if (!options.installation) return openScope(io, options);
  if (options.project !== undefined) throw new CliFailure(EXIT.usage, 'Say either --project or --installation.');
  return { connection: await Connection.open(io, options) };
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export function parseRole(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (!role) throw new CliFailure(EXIT.usage, `"${text}" is no role: ${ROLES.join(', ')}`);
  return role;
}

/** More than that is not for a terminal. */
const LIMIT_MAX = 20_000;

export function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new CliFailure(EXIT.usage, `"${text}" is not a number from 1 to ${LIMIT_MAX}`);
  return limit;
}

/** What standard input holds, without the line's end. Secrets are never arguments: every process of the machine sees those. */
export async function readSecret(io: ProgramIo): Promise<string> {
  let text = '';
  for await (const chunk of io.stdin) text += String(chunk);
  return text.replace(/\r?\n$/, '');
}

export function createRunner(io: ProgramIo, end: (code: ExitCode) => void): Runner {
  return {
    io,
    action:
      (body) =>
      async (...args) =>
        end((await body(...args)) ?? EXIT.ok),
    answer:
      (body) =>
      async (...args) => {
        const own = args.slice(0, -1) as Parameters<typeof body>;
        const { json, text } = await body(...own);
        if ((own.at(-1) as CommonOptions).json) printJson(io, json);
        else print(io, text.split('\n').map(printable).join('\n'));
        end(EXIT.ok);
      },
    list: (createColumns, read) => async (options) => {
      printList(io, await read(options), createColumns(Date.now()), options.json === true);
      end(EXIT.ok);
    },
  };
}
