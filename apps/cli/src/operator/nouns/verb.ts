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

/** What a command prints: with `--json` the value, else the text, or `raw` byte for byte. The note goes to standard error. */
export interface Output {
  readonly json: unknown;
  readonly text?: string | undefined;
  readonly raw?: string | undefined;
  readonly note?: string | undefined;
  readonly exit?: ExitCode | undefined;
}

/** What was typed, checked and resolved. */
export interface Given {
  readonly io: ProgramIo;
  readonly reach: Reach;
  /** The same with its project. Throws if the command acts beyond one. */
  readonly scope: Scope;
  /** Values of arguments and options by their names, as read from the command line. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The id of the record that an argument or option named; of one that names no record, its text. */
  id(input: string): string;
  /** The name of that record. */
  name(input: string): string;
  /** The request that the inputs make up. */
  readonly request: { readonly params: object; readonly query: object; readonly body: object | undefined };
}

/** One command. */
export interface Verb {
  readonly help: string;
  readonly place?: Place | undefined;
  /** The route that the inputs set members of. */
  readonly route?: RouteContract | undefined;
  readonly inputs: readonly Input[];
  /** At least one member of the body must be given. */
  readonly isChange?: boolean | undefined;
  /** It decides itself which requests it sends. */
  readonly isOwn?: boolean | undefined;
  /** It has formats of its own and no `--json`. */
  readonly isRaw?: boolean | undefined;
  /** The command for callers whose role may not read what this one reads. */
  readonly instead?: string | undefined;
  run(given: Given): Promise<Output | ExitCode>;
}

type KeyOf<T> = T extends object ? keyof T & string : never;
type AllKeys<T> = T extends unknown ? KeyOf<T> : never;
/** Any word for a command without a route of its own, whose inputs are shared with one that has a route. */
type MemberOf<R extends RouteContract> = RouteContract extends R
  ? string
  : AllKeys<
      NonNullable<CallInput<R>['params']> | NonNullable<CallInput<R>['query']> | NonNullable<CallInput<R>['body']>
    >;

interface Spec<R extends RouteContract> {
  /** The summary of the route by default. */
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

/** A table of rows. Takes all pages, or as many rows as an option `limit` says. */
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

/** One record, as YAML unless `text` says otherwise. */
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
  /** The answer by default. */
  readonly json?: (body: CallOutput<R>, given: Given) => unknown;
}

/** The JSON of a command whose route answers nothing: `{ "deleted": id }`. */
export const idAs =
  (word: string, input: string) =>
  (_: unknown, { id }: Given): Record<string, string> => ({ [word]: id(input) });

/** Sends what the inputs make up and says what came of it. */
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

/** A `send` of which at least one member of the body must be given. */
export function change<R extends RouteContract>(route: R, spec: SendSpec<R>): Verb {
  return { ...send(route, spec), isChange: true };
}

/** A command that does more than one request. Its options are handed over with their names. */
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
