import { Buffer } from 'node:buffer';
import { fail, LIST_LIMIT_DEFAULT } from '@flotilla/contract';
import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

/** A column (`documents.name`) or an SQL expression. Must never be null: wrap nullable columns in `coalesce`. */
export type SortTarget = string | RawBuilder<unknown>;

/** What a list may be sorted by. */
export interface ListRules {
  /** Field name in the API -> what it sorts by. Only these are taken. */
  readonly sortable: Readonly<Record<string, SortTarget>>;
  /** `-updated_at,name`: used when the caller names none. */
  readonly defaultSort: string;
  /** Unique: decides between equals, so that no row is skipped or shown twice. */
  readonly id: SortTarget;
}

export interface ListQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly sort?: string | undefined;
}

interface SortKey {
  readonly target: RawBuilder<unknown>;
  readonly descending: boolean;
}

/** One page of a list: where it starts, in which order, how long it is. */
export interface Page {
  readonly limit: number;
  readonly keys: readonly SortKey[];
  /** Key values of the last row of the page before. */
  readonly after: readonly string[] | undefined;
}

/** Reads `limit`, `cursor` and `sort`. Throws request.invalid for an unknown field or a cursor that is not of this list. */
export function parsePage(query: ListQuery, rules: ListRules): Page {
  const sort = query.sort ?? rules.defaultSort;
  const keys: SortKey[] = sort.split(',').map((part) => {
    const descending = part.startsWith('-');
    const name = descending ? part.slice(1) : part;
    const target = Object.hasOwn(rules.sortable, name) ? rules.sortable[name] : undefined;
    if (target === undefined) {
      const known = Object.keys(rules.sortable).join(', ');
      throw invalid('sort', `"${name}" cannot be sorted by; choose from ${known}`);
    }
    return { target: toSql(target), descending };
  });
  keys.push({ target: toSql(rules.id), descending: keys.at(-1)?.descending ?? false });
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, keys.length);
  return { limit: query.limit ?? LIST_LIMIT_DEFAULT, keys, after };
}

export interface Listed<Row> {
  readonly rows: Row[];
  readonly next_cursor: string | null;
}

/** Column of the key values that `executePage` adds to a row and takes away again. */
const KEY_COLUMN = 'page_key';

/** Runs `query` for one page: order, start and length are added here; the query must have none of its own. */
export async function executePage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<Listed<Row>> {
  return readPage(inOrder(query, page, page.limit + 1), page);
}

/** The first `rows` of `query` that come after the page before, in the order of the list. */
export function inOrder<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { keys, after }: Page,
  rows: number,
): SelectQueryBuilder<DB, TB, Row> {
  let ordered = after ? query.where(isAfter(keys, after)) : query;
  for (const { target, descending } of keys) {
    ordered = ordered.orderBy(descending ? sql`${target} desc` : sql`${target} asc`);
  }
  return ordered.limit(rows);
}

/** Runs `query`, which is in order and, where there are more rows, one longer than the page. */
export async function readPage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<Listed<Row>> {
  // As text, since a Date would lose the microseconds that tell two rows apart.
  const keyValues = sql`json_build_array(${sql.join(page.keys.map(({ target }) => sql`(${target})::text`))})`;
  const rows = (await readAfter(page, () => query.select(keyValues.as(KEY_COLUMN)).execute())) as Row[];
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const next = rows.length > page.limit && last ? cursorAt((last as Record<string, string[]>)[KEY_COLUMN] ?? []) : null;
  for (const row of shown) delete (row as Record<string, unknown>)[KEY_COLUMN];
  return { rows: shown, next_cursor: next };
}

/** What reads after `page.after`. Throws request.invalid where the values of the cursor are none of their columns. */
export async function readAfter<T>({ after }: Page, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (after && isMalformedValue(error)) throw invalid('cursor', 'is not a cursor of this list');
    throw error;
  }
}

/** Where a list goes on after a row, by the values of its keys as text. Of which list, cursors.ts adds to it. */
export function cursorAt(values: readonly string[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** Rows in which one of `columns` contains `text`, without regard to case. */
export function matchesText(columns: readonly string[], text: string): Expression<SqlBool> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} ilike ${pattern}`),
    sql` or `,
  )})`;
}

/** Of one direction, as rows are compared: an index in the order of the list then begins where the page does. */
function isAfter(keys: readonly SortKey[], after: readonly string[]): RawBuilder<SqlBool> {
  const [first] = keys;
  if (first && keys.every(({ descending }) => descending === first.descending)) {
    const row = sql.join(keys.map(({ target }) => target));
    return sql`(${row}) ${first.descending ? sql`<` : sql`>`} (${sql.join([...after])})`;
  }
  return isAfterMixed(keys, after);
}

/** a > x, or a = x and b > y, or ...: written out because the directions differ. */
function isAfterMixed(keys: readonly SortKey[], after: readonly string[]): RawBuilder<SqlBool> {
  const arms = keys.map(({ target, descending }, i) => {
    const equal = keys.slice(0, i).map((key, j) => sql`${key.target} = ${after[j]}`);
    const beyond = descending ? sql`${target} < ${after[i]}` : sql`${target} > ${after[i]}`;
    return sql`(${sql.join([...equal, beyond], sql` and `)})`;
  });
  return sql<SqlBool>`(${sql.join(arms, sql` or `)})`;
}

function toSql(target: SortTarget): RawBuilder<unknown> {
  return typeof target === 'string' ? sql.ref(target) : target;
}

function decodeCursor(cursor: string, length: number): string[] {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw invalid('cursor', 'is not a cursor of this list');
  }
  const isWhole =
    Array.isArray(decoded) && decoded.length === length && decoded.every((part) => typeof part === 'string');
  if (!isWhole) throw invalid('cursor', 'is not a cursor of this list');
  return decoded as string[];
}

/** PostgreSQL: a key value that is not of its column's type (class 22, data exception). */
function isMalformedValue(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code ?? '').startsWith('22');
}

function invalid(path: string, message: string): Error {
  return fail('request.invalid', { reason: `${path}: ${message}` }, { details: [{ path, rule: 'invalid', message }] });
}
