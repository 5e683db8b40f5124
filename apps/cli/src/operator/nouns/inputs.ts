import { describeFields, type RouteContract, type RouteField } from '@flotilla/contract';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { Lookup } from './lookup.ts';
import { FREE, type Source, setSource } from './sources.ts';

/** An argument or option of a command. */
export interface Input<Member extends string = string> {
  /** As commander takes it: `<group>`, `[session]`, `--name <text>`, `--force`. */
  readonly flags: string;
  readonly help?: string;
  /** The member of the route's params, body or query that it sets. Its schema says which values it takes and how many. */
  readonly to?: Member;
  /** What an option without a value sets; `true` by default. */
  readonly value?: unknown;
  /** Turns the typed text into the value, or throws CliFailure. */
  readonly read?: (text: string) => unknown;
  /** It names a record of this kind; the value is its id. */
  readonly lookup?: Lookup;
  /** What it takes, for an input that sets no member of a schema. */
  readonly choices?: readonly string[];
  /** It may be given several times, for an input that sets no member of a schema. */
  readonly isList?: true;
  readonly source?: Source;
  readonly default?: string;
  readonly isRequired?: true;
  readonly conflicts?: string;
  /** The option has no value of its own: it says that standard input holds the value. */
  readonly isStdin?: true;
}

export type RequestPart = 'params' | 'body' | 'query';
const PARTS: readonly RequestPart[] = ['params', 'body', 'query'];

/** Where a route takes a member of its requests. */
export function findMember(
  route: RouteContract | undefined,
  member: string | undefined,
): { readonly part: RequestPart; readonly field: RouteField } | undefined {
  if (!route || member === undefined) return undefined;
  for (const part of PARTS) {
    const field = describeFields(route[part]).get(member);
    if (field) return { part, field };
  }
  return undefined;
}

/** Adds the input to a command. Returns the name of its value in what commander hands to the action. */
export function declareInput(command: Command, input: Input, route: RouteContract | undefined): string {
  const isArgument = /^[<[]/.test(input.flags);
  const made = isArgument ? new Argument(input.flags, input.help) : new Option(input.flags, input.help);
  const field = input.lookup || input.read ? undefined : findMember(route, input.to)?.field;
  const choices = input.choices ?? (takesValue(made) ? field?.values : undefined);
  const isVariadic = input.flags.includes('...');
  const isList = isVariadic || (input.isList ?? findMember(route, input.to)?.field.isList ?? false);
  if (choices) made.argChoices = [...choices];
  if (takesValue(made)) made.argParser(createParser(input, choices, isList && (isVariadic || !isArgument)));
  if (isList && made instanceof Option) made.description += made.description ? '; may be repeated' : 'may be repeated';
  if (input.default !== undefined) made.default(input.read ? input.read(input.default) : input.default, input.default);
  setSource(made, input.lookup?.source ?? input.source ?? FREE);
  if (made instanceof Argument) {
    command.addArgument(made);
    return made.name();
  }
  if (input.isRequired) made.makeOptionMandatory();
  if (input.conflicts) made.conflicts(input.conflicts);
  command.addOption(made);
  return made.attributeName();
}

function takesValue(made: Argument | Option): boolean {
  return made instanceof Argument || made.required || made.optional;
}

function createParser({ read }: Input, choices: readonly string[] | undefined, isList: boolean) {
  return (text: string, before: unknown): unknown => {
    if (choices && !choices.includes(text))
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    const value = read ? read(text) : text;
    return isList ? [...(Array.isArray(before) ? before : []), value] : value;
  };
}
