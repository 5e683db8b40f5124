import { Buffer } from 'node:buffer';
import { fail, LIST_LIMIT_DEFAULT } from '@flotilla/contract';
import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';

/** A column (`documents.name`) or an SQL expression. Must never be null: wrap nullable columns in `coalesce`. */
export type SortTarget = string | RawBuilder<unknown>;

export interface ListRules {
  /**
   * Maps field names of the API to sort targets. Other names are refused. Several targets are one key, the coarse ones first: they must never contradict
   * the last one, which decides.
   */
  readonly sortable: Readonly<Record<string, SortTarget | readonly SortTarget[]>>;
  /** Example: `-updated_at,name`. Used if the caller names none. */
  readonly defaultSort: string;
  /** Unique tie-breaker, so that no row is skipped or repeated. */
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

/** One page of a list: start, order and length. */
export interface Page {
  readonly limit: number;
  readonly keys: readonly SortKey[];
  /** Key values of the last row of the previous page. */
  readonly after: readonly string[] | undefined;
}

/** Reads `limit`, `cursor` and `sort`. Throws request.invalid for an unknown field or a cursor of another list. */
export function parsePage(query: ListQuery, rules: ListRules): Page {
  const sort = query.sort ?? rules.defaultSort;
  const keys: SortKey[] = sort.split(',').flatMap((part) => {
    const descending = part.startsWith('-');
    const name = descending ? part.slice(1) : part;
    const target = Object.hasOwn(rules.sortable, name) ? rules.sortable[name] : undefined;
    if (target === undefined) {
      const known = Object.keys(rules.sortable).join(', ');
      throw invalid('sort', `"${name}" cannot be sorted by; choose from ${known}`);
    }
    return [target].flat().map((one) => ({ target: toSql(one), descending }));
  });
  keys.push({ target: toSql(rules.id), descending: keys.at(-1)?.descending ?? false });
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, keys.length);
  return { limit: query.limit ?? LIST_LIMIT_DEFAULT, keys, after };
}

export interface Listed<Row> {
  readonly rows: Row[];
  readonly next_cursor: string | null;
}

/** Column of the key values that `executePage` adds to the rows and removes from the result. */
const KEY_COLUMN = 'page_key';

/** Runs `query` for one page: it adds order, start and length, so the query must have none of its own. */
export async function executePage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<Listed<Row>> {
  return readPage(inOrder(query, page, page.limit + 1), page);
}

/** Returns at most `rows` rows after the previous page, in the order of the list. */
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

/** Runs `query`, which is ordered and fetches one row more than the page to detect a next page. */
export async function readPage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<Listed<Row>> {
  // Cast to text, since a Date would lose the microseconds that distinguish two rows.
  const keyValues = sql`json_build_array(${sql.join(page.keys.map(({ target }) => sql`(${target})::text`))})`;
  const rows = (await readAfter(page, () => query.select(keyValues.as(KEY_COLUMN)).execute())) as Row[];
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const next = rows.length > page.limit && last ? cursorAt((last as Record<string, string[]>)[KEY_COLUMN] ?? []) : null;
  for (const row of shown) delete (row as Record<string, unknown>)[KEY_COLUMN];
  return { rows: shown, next_cursor: next };
}

/**
 * Reads the rows after `page.after`. Throws request.invalid if the cursor's values do not have the types of the
 * columns.
 */
export async function readAfter<T>({ after }: Page, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (after && isMalformedValue(error)) throw invalid('cursor', 'is not a cursor of this list');
    throw error;
  }
}

/** The position after a row, from the values of its keys as text. cursors.ts adds the digest of the list. */
export function cursorAt(values: readonly string[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** Rows in which one of `columns` contains `text`, ignoring case. */
export function matchesText(columns: readonly string[], text: string): Expression<SqlBool> {
  const pattern = containing(text);
  return sql<SqlBool>`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} ilike ${pattern}`),
    sql` or `,
  )})`;
}

/** A pattern of `like` that matches what contains `text`. */
export function containing(text: string): string {
  return `%${escapeLike(text)}%`;
}

/** A pattern of `like` that matches `text` alone. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

/** If all keys have one direction, a row comparison lets an index in the list's order start at the page. */
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
    const bytes = Buffer.from(cursor, 'base64url');
    decoded = bytes.toString('base64url') === cursor && JSON.parse(bytes.toString());
  } catch {
    throw invalid('cursor', 'is not a cursor of this list');
  }
  const isWhole =
    Array.isArray(decoded) && decoded.length === length && decoded.every((part) => typeof part === 'string');
  if (!isWhole) throw invalid('cursor', 'is not a cursor of this list');
  return decoded as string[];
}

/** PostgreSQL: a key value of the wrong type (class 22, data exception). */
function isMalformedValue(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code ?? '').startsWith('22');
}

function invalid(path: string, message: string): Error {
  return fail('request.invalid', { reason: `${path}: ${message}` }, { details: [{ path, rule: 'invalid', message }] });
}
