import type { Argument, Command, Option } from 'commander';
import { PROGRAMS, type ProgramIo } from '../../programs.ts';
import { Connection } from '../connection.ts';
import { type Source, sourceOf, type Typed } from '../nouns/sources.ts';
import { findProject, listOwnProjects } from '../project.ts';
import { findSource, type HandSource } from './sources.ts';

/** A shell should not block longer for candidates. */
const TIMEOUT_MS = 1500;
const FILES = ':files';
/** Only these names are offered, because a shell might interpret others. */
const SAFE = /^[\p{L}\p{N}._@:/*[\]+-]+$/u;

/** Returns the candidates for the last word. Names come from the API and are left out if it does not respond. */
export async function complete(program: Command, io: ProgramIo, words: readonly string[]): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const { command, args, pendingOption, options } = walk(program, words.slice(0, -1));
  const find = (input: Argument | Option) =>
    input.argChoices ?? candidatesOf(io, findInputSource(command, program, input), { args, options });
  if (pendingOption !== undefined) return keep(await find(pendingOption), current);
  const flags = () => command.options.flatMap(({ long }) => (long ? [long] : []));
  if (current.startsWith('-')) return keep([...flags(), '--help'], current);
  const subcommands = command.commands.map((one) => one.name()).filter((name) => !name.startsWith('__'));
  const programs = command === program ? Object.keys(PROGRAMS) : [];
  const argument = command.registeredArguments[args.length];
  const values = argument ? await find(argument) : [];
  // A program may have commands, too.
  const names = args.length === 0 ? [...new Set([...subcommands, ...programs])] : [];
  return keep([...names, ...values], current);
}

export function findInputSource(command: Command, program: Command, input: Argument | Option): HandSource | undefined {
  const name = 'long' in input ? (input.long ?? '') : input.name();
  return sourceOf(input) ?? findSource(pathOf(command, program), name);
}

interface Walk {
  readonly command: Command;
  readonly args: readonly string[];
  /** The option whose value is being completed. */
  readonly pendingOption: Option | undefined;
  readonly options: ReadonlyMap<string, string>;
}

function walk(program: Command, words: readonly string[]): Walk {
  let command = program;
  const args: string[] = [];
  const options = new Map<string, string>();
  let pendingOption: Option | undefined;
  for (const word of words) {
    if (pendingOption?.long) {
      options.set(pendingOption.long, word);
      pendingOption = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const [flag = '', value] = word.split('=', 2);
      const option = command.options.find(({ long, short }) => flag === long || flag === short);
      if (option?.long && value !== undefined) options.set(option.long, value);
      else if (option && (option.required || option.optional)) pendingOption = option;
      continue;
    }
    const next = args.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (next) command = next;
    else args.push(word);
  }
  return { command, args, pendingOption, options };
}

/** Returns the words of a command, such as `tokens create`. */
function pathOf(command: Command, program: Command): string {
  const parent = command.parent;
  return parent === null || parent === program ? command.name() : `${pathOf(parent, program)} ${command.name()}`;
}

async function candidatesOf(io: ProgramIo, source: HandSource | undefined, typed: Typed): Promise<readonly string[]> {
  switch (source?.kind) {
    case 'choices':
      return source.values;
    case 'files':
      return [FILES];
    case 'projects':
      return withApi(io, typed.options, async (connection) =>
        (await listOwnProjects(connection)).map(({ name }) => name),
      );
    case 'names':
      return withApi(io, typed.options, (connection) => listNames(io, connection, { source, typed }));
    default:
      return [];
  }
}

async function listNames(
  io: ProgramIo,
  connection: Connection,
  { source, typed }: { source: Extract<Source, { kind: 'names' }>; typed: Typed },
): Promise<readonly string[]> {
  if (!source.needsProject) return source.list({ connection }, typed);
  const project = typed.options.get('--project') ?? (io.env.SVC_PROJECT || undefined);
  return source.list({ connection, project: await findProject(connection, project) }, typed);
}

async function withApi(
  io: ProgramIo,
  options: ReadonlyMap<string, string>,
  list: (connection: Connection) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await list(await Connection.open(io, { url: options.get('--url'), timeoutMs: TIMEOUT_MS }));
  } catch {
    // The Tab key must never print an error into the command line.
    return [];
  }
}

function keep(candidates: readonly string[], prefix: string): string[] {
  return candidates.filter((one) => one === FILES || (one.startsWith(prefix) && SAFE.test(one)));
}
