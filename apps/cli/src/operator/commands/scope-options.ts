import type { Command } from 'commander';
import type { ProgramIo } from '../../programs.ts';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { findProject } from '../project.ts';
import type { Scope } from '../records.ts';

/** Options that every command takes. */
export interface CommonOptions {
  readonly url?: string;
  readonly project?: string;
  readonly json?: boolean;
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

export function withPlace(command: Command): Command {
  return command.option('--installation', 'of the installation, such as a new data key, instead of a project');
}

export async function openPlace(io: ProgramIo, options: PlaceOptions): Promise<Reach> {
  if (!options.installation) return openScope(io, options);
  if (options.project !== undefined) throw new CliFailure(EXIT.usage, 'Say either --project or --installation.');
  return { connection: await Connection.open(io, options) };
}
