import { describeFields, type RouteContract, type RouteField } from '@flotilla/contract';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { Lookup } from './lookup.ts';
import { FREE, type Source, setSource } from './sources.ts';

/** An argument or option of a command. */
export interface Input<Member extends string = string> {
  /** In the syntax of commander: `<group>`, `[session]`, `--name <text>`, `--force`. */
  readonly flags: string;
  readonly help?: string;
  /** Field of the route's params, body or query that it sets. The schema defines the accepted values and their number. */
  readonly to?: Member;
  /** Value that an option without an argument sets; `true` by default. */
  readonly value?: unknown;
  /** Parses the text, or throws `CliFailure`. */
  readonly read?: (text: string) => unknown;
  /** Finds the record that the text names; the value is its id. */
  readonly lookup?: Lookup;
  /** Accepted values, for an input that sets no field of a schema. */
  readonly choices?: readonly string[];
  /** May be repeated, for an input that sets no field of a schema. */
  readonly isList?: true;
  /** Turns the texts of an input that may be repeated into the value of the field, or throws `CliFailure`. */
  readonly collect?: (texts: readonly string[]) => unknown;
  readonly source?: Source;
  readonly default?: string;
  readonly isRequired?: true;
  readonly conflicts?: string;
  /** The option has no argument: its value is read from standard input. */
  readonly isStdin?: true;
}

export type RequestPart = 'params' | 'body' | 'query';
const PARTS: readonly RequestPart[] = ['params', 'body', 'query'];

/** Finds a field in the requests of a route. */
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

/** Adds the input to a command. Returns the name under which commander passes its value to the action. */
export function declareInput(command: Command, input: Input, route: RouteContract | undefined): string {
  const isArgument = /^[<[]/.test(input.flags);
  const parameter = isArgument ? new Argument(input.flags, input.help) : new Option(input.flags, input.help);
  const field = input.lookup || input.read ? undefined : findMember(route, input.to)?.field;
  const choices = input.choices ?? (takesValue(parameter) ? field?.values : undefined);
  const isVariadic = input.flags.includes('...');
  const isList = isVariadic || (input.isList ?? findMember(route, input.to)?.field.isList ?? false);
  if (choices) parameter.argChoices = [...choices];
  if (takesValue(parameter)) parameter.argParser(createParser(input, choices, isList && (isVariadic || !isArgument)));
  if (isList && parameter instanceof Option)
    parameter.description += parameter.description ? '; may be repeated' : 'may be repeated';
  if (input.default !== undefined)
    parameter.default(input.read ? input.read(input.default) : input.default, input.default);
  setSource(parameter, input.lookup?.source ?? input.source ?? FREE);
  if (parameter instanceof Argument) {
    command.addArgument(parameter);
    return parameter.name();
  }
  if (input.isRequired) parameter.makeOptionMandatory();
  if (input.conflicts) parameter.conflicts(input.conflicts);
  command.addOption(parameter);
  return parameter.attributeName();
}

function takesValue(parameter: Argument | Option): boolean {
  return parameter instanceof Argument || parameter.required || parameter.optional;
}

function createParser({ read }: Input, choices: readonly string[] | undefined, isList: boolean) {
  return (text: string, previous: unknown): unknown => {
    if (choices && !choices.includes(text))
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    const value = read ? read(text) : text;
    return isList ? [...(Array.isArray(previous) ? previous : []), value] : value;
  };
}
