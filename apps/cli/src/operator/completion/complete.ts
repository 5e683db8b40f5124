import { COLLECTIONS, type Collection } from '@flotilla/contract';
import type { Command } from 'commander';
import { PROGRAMS, type ProgramIo } from '../../programs.ts';
import { listBackups } from '../commands/backup.ts';
import { listGroups } from '../commands/groups.ts';
import { listJobs } from '../commands/jobs.ts';
import { listSettingKinds } from '../commands/settings.ts';
import { listTokens } from '../commands/tokens.ts';
import { listUsers } from '../commands/users.ts';
import { Connection } from '../connection.ts';
import { findProject, listOwnProjects } from '../project.ts';
import { listClients, listDocuments, listPolicies, listServices, type Scope } from '../records.ts';

/** Whoever presses Tab does not wait longer. */
const TIMEOUT_MS = 1500;
const FILES = ':files';
/** Other names are not offered: a shell might take them for more than a name. */
const HARMLESS = /^[\p{L}\p{N}._@:/*[\]+-]+$/u;

/** Candidates for the last of `words`. Names come from the API; where it does not answer there are none. */
export async function complete(program: Command, io: ProgramIo, words: readonly string[]): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const { command, args, pendingOption, options } = walk(program, words.slice(0, -1));
  if (pendingOption !== undefined) return completeOption(io, pendingOption, options);
  const flags = () => command.options.flatMap(({ long }) => (long ? [long] : []));
  if (current.startsWith('-')) return keep([...flags(), '--help'], current);
  const subcommands = command.commands.map((one) => one.name()).filter((name) => !name.startsWith('__'));
  const programs = command === program ? Object.keys(PROGRAMS) : [];
  const argument = command.registeredArguments[args.length];
  const values = argument?.argChoices ?? (argument ? await namesFor(io, subject(command, program), args, options) : []);
  return keep([...(args.length === 0 ? [...subcommands, ...programs] : []), ...values], current);
}

/** `users` for `users get`: what the name is one of. What is made anew has no name yet. */
function subject(command: Command, program: Command): string {
  if (command.name() === 'create') return '';
  return command.parent === null || command.parent === program ? command.name() : command.parent.name();
}

interface Walk {
  readonly command: Command;
  readonly args: readonly string[];
  /** An option whose value is the word to complete. */
  readonly pendingOption: string | undefined;
  readonly options: ReadonlyMap<string, string>;
}

function walk(program: Command, words: readonly string[]): Walk {
  let command = program;
  const args: string[] = [];
  const options = new Map<string, string>();
  let pendingOption: string | undefined;
  for (const word of words) {
    if (pendingOption !== undefined) {
      options.set(pendingOption, word);
      pendingOption = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const [flag = '', value] = word.split('=', 2);
      const option = command.options.find(({ long, short }) => flag === long || flag === short);
      const name = option?.long;
      if (name && value !== undefined) options.set(name, value);
      else if (name && (option.required || option.optional)) pendingOption = name;
      continue;
    }
    const next = args.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (next) command = next;
    else args.push(word);
  }
  return { command, args, pendingOption, options };
}

async function completeOption(io: ProgramIo, name: string, options: ReadonlyMap<string, string>): Promise<string[]> {
  switch (name) {
    case '--filename':
    case '--cache':
      return [FILES];
    case '--project':
      return withApi(io, options, async (connection) => (await listOwnProjects(connection)).map((one) => one.name));
    case '--client':
      return withScope(io, options, async (scope) => (await listClients(scope)).map((one) => one.name));
    case '--service':
      return withScope(io, options, async (scope) => (await listServices(scope)).map((one) => one.name));
    default:
      return [];
  }
}

async function namesFor(
  io: ProgramIo,
  command: string,
  args: readonly string[],
  options: ReadonlyMap<string, string>,
): Promise<string[]> {
  const kind = command === 'get' || command === 'delete' ? args[0] : command;
  return withScope(io, options, async (scope) => {
    switch (kind) {
      case 'services':
      case 'deploy':
      case 'undeploy':
        return (await listServices(scope)).map(({ name }) => name);
      case 'clients':
        return (await listClients(scope)).map(({ name }) => name);
      case 'policies':
        return (await listPolicies(scope)).map(({ name }) => name);
      case 'users':
        return (await listUsers(scope)).map(({ username }) => username);
      case 'settings':
        return (await listSettingKinds(scope)).map(({ key }) => key);
      case 'groups':
        return (await listGroups(scope)).map(({ name }) => name);
      case 'tokens':
        return (await listTokens(scope)).map(({ name }) => name);
      case 'backup':
        return (await listBackups(scope)).map(({ id }) => id);
      case 'jobs':
        return (await listJobs(scope)).map(({ number }) => String(number));
      case 'projects':
      case 'use':
        return (await listOwnProjects(scope.connection)).map(({ name }) => name);
      default: {
        const collection = COLLECTIONS.find((one) => one === kind) as Collection | undefined;
        if (!collection) return [];
        const found = await listDocuments(scope, collection, { version: options.get('--version') });
        return [...new Set(found.map(({ name }) => name))];
      }
    }
  });
}

function withScope(
  io: ProgramIo,
  options: ReadonlyMap<string, string>,
  list: (scope: Scope) => Promise<string[]>,
): Promise<string[]> {
  return withApi(io, options, async (connection) => {
    const project = await findProject(connection, options.get('--project') ?? (io.env.SVC_PROJECT || undefined));
    return list({ connection, project });
  });
}

async function withApi(
  io: ProgramIo,
  options: ReadonlyMap<string, string>,
  list: (connection: Connection) => Promise<string[]>,
): Promise<string[]> {
  try {
    return await list(await Connection.open(io, { url: options.get('--url'), timeoutMs: TIMEOUT_MS }));
  } catch {
    // Pressing Tab must never print an error into the line that is being typed.
    return [];
  }
}

function keep(candidates: readonly string[], prefix: string): string[] {
  return candidates.filter((one) => one === FILES || (one.startsWith(prefix) && HARMLESS.test(one)));
}
