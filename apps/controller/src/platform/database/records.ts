import { fail } from '@flotilla/contract';
import { uniqueViolationOf } from '@flotilla/db';
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { executePage, type ListQuery, type ListRules, matchesText, parsePage, type SortTarget } from './paging.ts';

type Identity<Row, View> = Pick<RecordRules<Row, View>, 'kind' | 'table' | 'toView'>;

export interface SearchQuery extends ListQuery {
  readonly q?: string | undefined;
}

/** How records of one kind are listed, found and shown. Queries select from `table`, whose primary key is `id`. */
export interface RecordRules<Row, View, Query extends SearchQuery = SearchQuery> extends Omit<ListRules, 'id'> {
  /** In error messages: `API token`. */
  readonly kind: string;
  readonly table: string;
  /** The columns that `q` searches. */
  readonly searched: readonly string[];
  /** Parameters whose value, or one of whose values, the column must have. */
  readonly filters?: { readonly [Name in keyof Query]?: SortTarget };
  readonly toView: (row: Row) => View;
}

/** One page of the rows of `select` that `query` asks for. Throws request.invalid like `parsePage`. */
export async function listRecords<DB, TB extends keyof DB, Row, View, Query extends SearchQuery>(
  select: SelectQueryBuilder<DB, TB, Row>,
  query: Query,
  rules: Omit<RecordRules<Row, View, Query>, 'kind'>,
): Promise<{ items: View[]; next_cursor: string | null }> {
  const page = parsePage(query, { ...rules, id: `${rules.table}.id` });
  const { rows, next_cursor } = await executePage(narrow(select, query, rules), page);
  return { items: rows.map(rules.toView), next_cursor };
}

/** The rows of `select` on all pages. */
export function narrow<DB, TB extends keyof DB, Row, View, Query extends SearchQuery>(
  select: SelectQueryBuilder<DB, TB, Row>,
  query: Query,
  { searched, filters = {} }: Omit<RecordRules<Row, View, Query>, 'kind' | 'table'>,
): SelectQueryBuilder<DB, TB, Row> {
  let narrowed = query.q ? select.where(matchesText(searched, query.q)) : select;
  for (const [name, target] of Object.entries<SortTarget | undefined>(filters)) {
    const value = query[name as keyof Query];
    if (value === undefined || target === undefined) continue;
    const column = typeof target === 'string' ? sql.ref(target) : target;
    narrowed = narrowed.where(
      Array.isArray(value) ? sql<SqlBool>`${column} = any(${value})` : sql<SqlBool>`${column} = ${value}`,
    );
  }
  return narrowed;
}

/** Throws record.not_found, also for a record that `select` leaves out, such as one of another project. */
export async function findRecord<DB, TB extends keyof DB, Row, View>(
  select: SelectQueryBuilder<DB, TB, Row>,
  id: string,
  { kind, table, toView }: Identity<Row, View>,
): Promise<View> {
  const row = await select.where(sql<SqlBool>`${sql.ref(`${table}.id`)} = ${id}`).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind, name: id });
  return toView(row);
}

/**
 * Like `findRecord`, with a lock until the transaction ends. It reads once the lock is held: one statement would show the
 * other tables as they were before it waited.
 */
export async function lockRecord<DB, TB extends keyof DB, Row, View>(
  select: SelectQueryBuilder<DB, TB, Row>,
  id: string,
  rules: Identity<Row, View>,
): Promise<View> {
  const locked = select.clearSelect().select(sql`1`.as('locked'));
  await locked
    .where(sql<SqlBool>`${sql.ref(`${rules.table}.id`)} = ${id}`)
    .forUpdate(rules.table as TB & string)
    .execute();
  return findRecord(select, id, rules);
}

/** Throws record.exists if `write` violates a unique index. */
export async function refuseSameName<T>(kind: string, name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (uniqueViolationOf(error) === undefined) throw error;
    throw fail('record.exists', { kind, name }, { cause: error });
  }
}
