import { ApiError } from '@flotilla/contract';
import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { readSecret } from '../commands/read-secret.ts';
import type { Runner } from '../commands/runner.ts';
import { type CommonOptions, withJson } from '../commands/scope-options.ts';
import { CliFailure, EXIT, toFailure } from '../exit-codes.ts';
import { note, print, printable, printJson } from '../output.ts';
import { declareInput, findMember, type Input } from './inputs.ts';
import type { Found } from './lookup.ts';
import { PLACES, type Place } from './place.ts';
import type { Given, Output, Verb } from './verb.ts';

/** A group of commands. */
export interface Noun {
  readonly help: string;
  /** Default scope of its commands. */
  readonly place: Place;
  /** The command that runs without a further word. */
  readonly self?: Verb;
  readonly verbs: Readonly<Record<string, Verb | Noun>>;
}

/** Adds a noun with all of its commands, or one command. */
export function addEntry(
  parent: Command,
  runner: Runner,
  name: string,
  entry: Noun | Verb,
  place: Place = 'project',
): Command {
  if (!('verbs' in entry)) return addVerb(parent.command(name), runner, entry, entry.place ?? place);
  const command = parent.command(name);
  if (entry.self) addVerb(command, runner, entry.self, entry.self.place ?? entry.place);
  command.description(entry.help);
  for (const [verb, one] of Object.entries(entry.verbs)) addEntry(command, runner, verb, one, entry.place);
  return command;
}

interface Declared {
  readonly name: string;
  readonly input: Input;
}

interface FormatOptions extends CommonOptions {
  readonly output?: 'json' | 'yaml';
}

function createFormatOption(): Option {
  return new Option('-o, --output <format>', 'print the answer of the API in this format').choices(['json', 'yaml']);
}

function addVerb(command: Command, runner: Runner, verb: Verb, place: Place): Command {
  PLACES[place].declare(command).description(verb.help);
  if (!verb.isRaw) withJson(command).addOption(createFormatOption());
  const declared = verb.inputs.map((input): Declared => ({ name: declareInput(command, input, verb.route), input }));
  const args = declared.filter(({ input }) => /^[<[]/.test(input.flags));
  const { io } = runner;
  return command.action(
    runner.action(async (...all: unknown[]) => {
      const options = all[args.length] as FormatOptions;
      const values: Record<string, unknown> = { ...options, ...(options.output === 'json' && { json: true }) };
      for (const [i, { name }] of args.entries()) values[name] = all[i];
      const body = await readBody(verb, declared, values, runner);
      const reach = await PLACES[place].open(io, options);
      const found = await findNamed(declared, values, reach);
      const ids = await findListed(declared, values, reach);
      const given: Given = {
        io,
        reach,
        get scope() {
          if (reach.project === undefined) throw new Error('this command has no project');
          return { connection: reach.connection, project: reach.project };
        },
        values,
        id: (input) => found[input]?.id ?? String(values[input] ?? ''),
        name: (input) => found[input]?.name ?? String(values[input] ?? ''),
        request: toRequest(verb, declared, { values, found, ids, reach, stdin: body }),
      };
      const answer = await verb.run(given).catch((error: unknown) => {
        throw suggestAlternative(error, verb.instead);
      });
      if (typeof answer === 'number') return answer;
      show(runner, answer, options);
      return answer.exit ?? EXIT.ok;
    }),
  );
}

/** Adds a hint to a refusal: the command that every role may run instead. */
export function suggestAlternative(error: unknown, instead: string | undefined): unknown {
  if (instead === undefined || !(error instanceof ApiError && error.status === 403)) return error;
  const { exitCode, message, lines } = toFailure(error);
  return new CliFailure(exitCode, message, [...lines, `  Every role may use: flotilla ${instead}`]);
}

function show({ io }: Runner, { json, text, raw, note: hint }: Output, options: FormatOptions): void {
  if (options.json || options.output === 'json') {
    printJson(io, json);
    return;
  }
  if (options.output === 'yaml') {
    print(io, stringify(json));
    return;
  }
  if (hint !== undefined) note(io, hint.split('\n').map(printable).join('\n'));
  if (raw !== undefined) print(io, raw);
  else if (text !== undefined) print(io, text.split('\n').map(printable).join('\n'));
}

/** Reads the value of an option from standard input. Refuses a change that changes nothing. */
async function readBody(
  { isChange, route, inputs }: Verb,
  declared: readonly Declared[],
  values: Readonly<Record<string, unknown>>,
  { io }: Runner,
): Promise<string | undefined> {
  if (isChange) {
    const inBody = declared.filter(({ input }) => findMember(route, input.to)?.part === 'body');
    if (inBody.every(({ name }) => values[name] === undefined)) {
      const names = inputs
        .filter(({ to }) => findMember(route, to)?.part === 'body')
        .map(({ flags }) => flags.split(' ')[0]);
      throw new CliFailure(EXIT.usage, `Nothing to change. Give ${listOr(names)}.`);
    }
  }
  const fromStdin = declared.find(({ name, input }) => input.isStdin && values[name]);
  return fromStdin ? readSecret(io) : undefined;
}

function listOr(names: readonly (string | undefined)[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

async function findNamed(
  declared: readonly Declared[],
  values: Readonly<Record<string, unknown>>,
  reach: Given['reach'],
): Promise<Record<string, Found>> {
  const found: Record<string, Found> = {};
  for (const { name, input } of declared) {
    const text = values[name];
    if (input.lookup && typeof text === 'string') found[name] = await input.lookup.find(reach, text);
  }
  return found;
}

/** The ids of what options that may be repeated name. */
async function findListed(
  declared: readonly Declared[],
  values: Readonly<Record<string, unknown>>,
  reach: Given['reach'],
): Promise<Record<string, readonly string[]>> {
  const ids: Record<string, readonly string[]> = {};
  for (const { name, input } of declared) {
    const { lookup } = input;
    const texts = values[name];
    if (!lookup || !Array.isArray(texts)) continue;
    const own: string[] = [];
    for (const text of texts) own.push((await lookup.find(reach, String(text))).id);
    ids[name] = own;
  }
  return ids;
}

interface Resolved extends Pick<Given, 'values' | 'reach'> {
  readonly found: Readonly<Record<string, Found>>;
  /** The ids that options name which may be repeated. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
  readonly stdin: string | undefined;
}

interface Typed {
  readonly value: unknown;
  readonly found: Found | undefined;
  readonly ids: readonly string[] | undefined;
  readonly stdin: string | undefined;
}

function toRequest(
  { route }: Verb,
  declared: readonly Declared[],
  { values, found, ids, reach, stdin }: Resolved,
): Given['request'] {
  const parts: Record<'params' | 'body' | 'query', Record<string, unknown>> = { params: {}, body: {}, query: {} };
  if (findMember(route, 'project')?.part === 'query') parts.query.project = reach.project;
  if (values.installation && findMember(route, 'installation')) parts.query.installation = 'true';
  if (findMember(route, 'project_id')?.part === 'params') parts.params.project_id = reach.project;
  for (const { name, input } of declared) {
    const member = findMember(route, input.to);
    const value = values[name];
    if (!member || input.to === undefined || value === undefined) continue;
    parts[member.part][input.to] = toValue(input, member.field, { value, found: found[name], ids: ids[name], stdin });
  }
  return { params: parts.params, query: parts.query, body: route?.body ? parts.body : undefined };
}

function toValue(
  input: Input,
  field: { readonly isList: boolean; readonly isNullable: boolean },
  { value, found, ids, stdin }: Typed,
): unknown {
  if (input.isStdin) return stdin;
  if (input.collect && Array.isArray(value)) return input.collect(value);
  if (ids) return ids;
  if (found) return field.isList ? [found.id] : found.id;
  if (value === true) return input.value ?? true;
  return field.isNullable && value === '' ? null : value;
}
