import type { Command } from 'commander';
import type { ProgramIo } from '../../programs.ts';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { findProject } from '../project.ts';
import type { Scope } from '../records.ts';

/** Options of every command. */
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
  return command.option('--json', 'print the JSON of the API');
}

export async function openScope(io: ProgramIo, options: CommonOptions): Promise<Scope> {
  const connection = await Connection.open(io, options);
  return { connection, project: await findProject(connection, options.project ?? (io.env.SVC_PROJECT || undefined)) };
}

export interface ReachOptions extends CommonOptions {
  readonly allProjects?: boolean;
  readonly installation?: boolean;
}

/** `project` is undefined if the command acts on all projects or on the installation. */
export interface Reach {
  readonly connection: Connection;
  readonly project?: string;
}

export async function openReach(io: ProgramIo, options: ReachOptions): Promise<Reach> {
  const flag = options.allProjects ? '--all-projects' : options.installation ? '--installation' : undefined;
  if (flag === undefined) return openScope(io, options);
  if (options.project !== undefined) throw new CliFailure(EXIT.usage, `Give either --project or ${flag}.`);
  return { connection: await Connection.open(io, options) };
}
