import type { CallInput, CallOutput, RouteContract } from '@flotilla/contract';
import { stringify } from 'yaml';
import type { ProgramIo } from '../../programs.ts';
import type { Reach } from '../commands/scope-options.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type Columns, renderTable, type Settled } from '../output.ts';
import type { Scope } from '../records.ts';
import type { Input } from './inputs.ts';
import type { Place } from './place.ts';
import { type RowOf, readRows } from './rows.ts';

/** Output of a command: `json` with `--json`, otherwise `text`, or `raw` unchanged. The note is printed to standard error. */
export interface Output {
  readonly json: unknown;
  readonly text?: string | undefined;
  readonly raw?: string | undefined;
  readonly note?: string | undefined;
  readonly exit?: ExitCode | undefined;
}

/** The validated arguments of a command and its connection. */
export interface Given {
  readonly io: ProgramIo;
  readonly reach: Reach;
  /** The connection with its project. Throws if the command has no project. */
  readonly scope: Scope;
  /** Parsed values of arguments and options by name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Returns the id of the record that an argument or option names, or the text if it names no record. */
  id(input: string): string;
  /** Returns the name of that record. */
  name(input: string): string;
  /** The request with the values of the inputs. */
  readonly request: { readonly params: object; readonly query: object; readonly body: object | undefined };
}

export interface Verb {
  readonly help: string;
  readonly place?: Place | undefined;
  /** Route whose fields the inputs set. */
  readonly route?: RouteContract | undefined;
  readonly inputs: readonly Input[];
  /** Requires at least one field of the body. */
  readonly isChange?: boolean | undefined;
  /** The command sends its own requests. */
  readonly isOwn?: boolean | undefined;
  /** The command has other formats and no `--json`. */
  readonly isRaw?: boolean | undefined;
  /** Command for callers whose role may not use this one. */
  readonly instead?: string | undefined;
  run(given: Given): Promise<Output | ExitCode>;
}

type KeyOf<T> = T extends object ? keyof T & string : never;
type AllKeys<T> = T extends unknown ? KeyOf<T> : never;
/** Any string for a command without a route, which may share inputs with commands that have one. */
type MemberOf<R extends RouteContract> = RouteContract extends R
  ? string
  : AllKeys<
      NonNullable<CallInput<R>['params']> | NonNullable<CallInput<R>['query']> | NonNullable<CallInput<R>['body']>
    >;

interface Spec<R extends RouteContract> {
  /** Default: the summary of the route. */
  readonly help?: string;
  readonly place?: Place;
  readonly isRaw?: boolean;
  readonly instead?: string;
  readonly inputs?: readonly Input<MemberOf<R>>[];
}

interface ListSpec<R extends RouteContract, Row> extends Spec<R> {
  readonly columns: Columns<Settled<Row>>;
  readonly rows?: (body: CallOutput<R>) => readonly Row[];
}

/** Declares a command that prints a table. Reads all pages, or up to `--limit` rows. */
export function list<R extends RouteContract, Row = RowOf<R>>(route: R, spec: ListSpec<R, Row>): Verb {
  return declare(route, spec, async ({ reach, request, values }) => {
    const limit = values.limit as number | undefined;
    const { params, query } = request as { params: CallInput<R>['params']; query: CallInput<R>['query'] };
    return toTable(await readRows<R, Row>(reach, route, { params, query, rows: spec.rows, limit }), spec.columns);
  });
}

export function toTable<Row>(rows: readonly Row[], columns: Columns<Settled<Row>>): Output {
  const json = { items: rows };
  return rows.length === 0 ? { json, note: 'Nothing found.' } : { json, text: renderTable(columns, rows) };
}

/** Declares a command that prints one record, as YAML unless `text` is given. */
export function get<R extends RouteContract>(
  route: R,
  spec: Spec<R> & { readonly text?: (body: CallOutput<R>, given: Given) => string } = {},
): Verb {
  return declare(route, spec, async (given) => {
    const { body } = await given.reach.connection.call(route, given.request as CallInput<R>);
    return { json: body, text: spec.text ? spec.text(body, given) : stringify(body) };
  });
}

interface SendSpec<R extends RouteContract> extends Spec<R> {
  readonly text: (body: CallOutput<R>, given: Given) => string;
  readonly note?: (body: CallOutput<R>, given: Given) => string;
  /** Default: the body of the response. */
  readonly json?: (body: CallOutput<R>, given: Given) => unknown;
}

/** Creates the JSON of a command whose response is empty: `{ "deleted": id }`. */
export const idAs =
  (word: string, input: string) =>
  (_: unknown, { id }: Given): Record<string, string> => ({ [word]: id(input) });

/** Declares a command that sends one request and prints its outcome. */
export function send<R extends RouteContract>(route: R, spec: SendSpec<R>): Verb {
  return declare(route, spec, async (given) => {
    const { body } = await given.reach.connection.call(route, given.request as CallInput<R>);
    return {
      json: spec.json ? spec.json(body, given) : body,
      text: spec.text(body, given),
      note: spec.note?.(body, given),
    };
  });
}

/** Declares a `send` command that requires at least one field of the body. */
export function change<R extends RouteContract>(route: R, spec: SendSpec<R>): Verb {
  return { ...send(route, spec), isChange: true };
}

/** Declares a command that sends its own requests. */
export function act<Options extends object = Record<string, unknown>, R extends RouteContract = RouteContract>(
  spec: Spec<R> & { readonly help: string; readonly route?: R },
  run: (given: Given, values: Options) => Promise<Output | ExitCode>,
): Verb {
  return { ...spec, isOwn: true, inputs: spec.inputs ?? [], run: (given) => run(given, given.values as Options) };
}

function declare<R extends RouteContract>(route: R, spec: Spec<R>, run: Verb['run']): Verb {
  const { help = uncapitalize(route.summary), place, instead, inputs = [] } = spec;
  return { help, place, instead, route, inputs, run };
}

function uncapitalize(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
