import type { CallInput, CallOutput, RouteContract } from '@flotilla/contract';
import type { Reach } from '../commands/scope-options.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { isId } from '../project.ts';
import { type RowOf, readRows } from './rows.ts';
import type { Source, Typed } from './sources.ts';

export interface Found {
  readonly id: string;
  readonly name: string;
}

/** Finds one record by the text that was typed, and lists the names for completion. */
export interface Lookup {
  find(reach: Reach, text: string): Promise<Found>;
  readonly source: Source;
}

interface LookupOptions<R extends RouteContract, Row> {
  /** Noun for one record, in messages. */
  readonly one: string;
  /** The name that people type; null if the row has none. */
  readonly name: (row: Row) => string | null;
  /** The id that the API takes. If it is missing, the API takes the name. */
  readonly id?: (row: Row) => string;
  readonly rows?: (body: CallOutput<R>) => readonly Row[];
  readonly query?: CallInput<R>['query'];
  /** Distinguishes rows with the same name. */
  readonly hint?: (row: Row) => string;
}

/** Finds records by name or id with the route that lists them. */
export function createLookup<R extends RouteContract, Row = RowOf<R>>(
  route: R,
  { one, name, id, rows, query, hint }: LookupOptions<R, Row>,
): Lookup & { readonly list: (reach: Reach) => Promise<readonly Row[]> } {
  const list = (reach: Reach, q?: string) =>
    readRows<R, Row>(reach, route, { query: { ...(query as object), q } as CallInput<R>['query'], rows });
  const find = async (reach: Reach, text: string): Promise<Found> => {
    if (!id) return { id: text, name: text };
    if (isId(text)) return { id: text.toLowerCase(), name: text };
    const found = chooseNamed(await list(reach, text), text, name);
    const [only, ...others] = found;
    if (!only) throw new CliFailure(EXIT.notFound, `There is no ${one} ${text}${describeProject(reach)}.`);
    if (others.length === 0) return { id: id(only), name: name(only) ?? text };
    const ids = found.map((row) => `${id(row)}${hint ? ` (${hint(row)})` : ''}`).join(', ');
    throw new CliFailure(EXIT.usage, `More than one ${one} is called ${text}. Use the id: ${ids}`);
  };
  const names = async (reach: Reach, _typed: Typed) =>
    (await list(reach)).flatMap((row) => name(row) ?? id?.(row) ?? []);
  return {
    find,
    list: (reach) => list(reach),
    source: { kind: 'names', needsProject: route.project !== 'none', list: names },
  };
}

/** Returns the rows with exactly this name, or else those whose name differs only in case. */
export function chooseNamed<Row>(rows: readonly Row[], text: string, name: (row: Row) => string | null): Row[] {
  const exact = rows.filter((row) => name(row) === text);
  return exact.length > 0 ? exact : rows.filter((row) => name(row)?.toLowerCase() === text.toLowerCase());
}

function describeProject({ project }: Reach): string {
  return project === undefined ? '' : ' in this project';
}
