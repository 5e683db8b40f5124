import { refOf, typeOfAny } from '../../model/any.ts';
import { isList, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { type CellProblem, listOtherKeys, readMember, writeMember } from './members.ts';
import { texts } from './texts.ts';

const words = texts.filters;

const HTTP = 'envoy.extensions.filters.http';
const ROUTER = `${HTTP}.router.v3.Router`;
/** Filters that answer requests, and filters that do so if they are configured to. */
const MAY_BE_LAST: ReadonlySet<string> = new Set([
  ROUTER,
  `${HTTP}.dynamic_modules.v3.DynamicModuleFilter`,
  `${HTTP}.mcp_router.v3.McpRouter`,
]);

export type FilterCell = 'name' | 'state';

export interface FilterRow {
  readonly name: string;
  /** Type of the configuration; undefined if there is none, or another source has it. */
  readonly type: string | undefined;
  /** A stored document in place of the filter, which has its own name and state. */
  readonly reference: string | undefined;
  readonly isDisabled: boolean;
  /** Settings that the row does not show. */
  readonly others: readonly string[];
  readonly problems: readonly CellProblem<FilterCell>[];
}

export type Filters =
  | { readonly isSimple: true; readonly rows: readonly FilterRow[] }
  | { readonly isSimple: false; readonly reason: string };

/** Reads `HttpConnectionManager.http_filters`. */
export function readFilters(value: Json | undefined): Filters {
  const items = value ?? [];
  if (!isList(items)) return { isSimple: false, reason: words.noList };
  const rows: FilterRow[] = [];
  for (const [index, item] of items.entries()) {
    const reason = refuseItem(item);
    if (reason !== undefined) return { isSimple: false, reason: words.refused(index + 1, reason) };
    rows.push(toRow(item, index === items.length - 1));
  }
  return { isSimple: true, rows };
}

export function writeName(item: Json | undefined, name: string): JsonObject {
  const filter = isObject(item) ? item : {};
  if ((readMember(filter, ['name']) ?? '') === name) return filter;
  return writeMember(filter, ['name'], name === '' ? undefined : name);
}

export function writeDisabled(item: Json | undefined, isDisabled: boolean): JsonObject {
  const filter = isObject(item) ? item : {};
  return writeMember(filter, ['disabled'], isDisabled ? true : undefined);
}

/** Returns the place of a new filter: before the router, which stays last. */
export function placeOfNew(rows: readonly FilterRow[], type: string | undefined): number {
  const isRouterLast = rows.at(-1)?.type === ROUTER;
  return isRouterLast && type !== ROUTER ? rows.length - 1 : rows.length;
}

function refuseItem(item: Json): string | undefined {
  if (!isObject(item)) return 'is not an object';
  if (refOf(item) !== undefined) return undefined;
  const config = readMember(item, ['typed_config']);
  const isShown =
    ['string', 'undefined'].includes(typeof readMember(item, ['name'])) &&
    ['boolean', 'undefined'].includes(typeof readMember(item, ['disabled'])) &&
    (config === undefined || isObject(config));
  return isShown ? undefined : 'has a value of a wrong type';
}

function toRow(item: Json, isLast: boolean): FilterRow {
  const reference = refOf(item);
  if (reference !== undefined)
    return { name: '', type: undefined, reference, isDisabled: false, others: [], problems: [] };
  const name = readMember(item, ['name']);
  const row = {
    name: typeof name === 'string' ? name : '',
    type: typeOfAny(readMember(item, ['typed_config'])),
    reference,
    isDisabled: readMember(item, ['disabled']) === true,
    others: listOtherKeys(item, ['name', 'typed_config', 'disabled']),
  };
  return { ...row, problems: findProblems(row, isLast) };
}

function findProblems(row: Omit<FilterRow, 'problems'>, isLast: boolean): FilterRow['problems'] {
  const problems: CellProblem<FilterCell>[] = [];
  if (row.name === '') problems.push({ cell: 'name', message: words.noName });
  if (!isLast && row.type === ROUTER) problems.push({ cell: 'name', message: words.routerBefore });
  if (isLast && row.type !== undefined && !MAY_BE_LAST.has(row.type))
    problems.push({ cell: 'name', message: words.noRouter });
  if (isLast && row.isDisabled) problems.push({ cell: 'state', message: words.lastIsOff });
  return problems;
}
