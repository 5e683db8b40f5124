import { fail } from '@flotilla/contract';
import { uniqueViolationOf } from '@flotilla/db';
import { type Compilable, type Expression, type InferResult, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { executePage, type ListQuery, type ListRules, matchesText, parsePage, type SortTarget } from './paging.ts';

export interface SearchQuery extends ListQuery {
  readonly q?: string | undefined;
  /** Adds the number of rows on all pages. */
  readonly with_total?: boolean | undefined;
}

/** A column that must have the value of a parameter or one of its values, or the condition for a value. */
type Filter<Value> = SortTarget | ((value: Value) => Expression<SqlBool>);

/** How rows of one kind are listed and shown. */
export interface RowRules<Row, View, Query extends SearchQuery> extends ListRules {
  /** The columns that `q` searches, or the condition for a text. Without it, `q` has no effect. */
  readonly searched?: readonly string[] | ((text: string) => Expression<SqlBool>);
  /** By parameter. One without a value, or with an empty one, filters nothing. */
  readonly filters?: { readonly [Name in keyof Query]?: Filter<NonNullable<Query[Name]>> };
  readonly toView: (row: Row) => View;
}

interface RecordRules<Row, View, Query extends SearchQuery> extends Omit<RowRules<Row, View, Query>, 'id'> {
  /** In error messages: `API token`. */
  readonly kind: string;
  /** Queries select from this table, whose primary key is `id`. */
  readonly table: string;
}

export interface ListedPage<View> {
  readonly items: View[];
  readonly next_cursor: string | null;
  readonly total?: number;
}

/** A row of the query that the function makes. */
export type RowOf<Select extends (...args: never[]) => Compilable> = InferResult<ReturnType<Select>>[number];

type Select<DB, TB extends keyof DB, Row> = SelectQueryBuilder<DB, TB, Row>;

/** Lists rows of one kind. */
export class Rows<Row, View, Query extends SearchQuery = SearchQuery> {
  protected readonly rules: RowRules<Row, View, Query>;

  constructor(rules: RowRules<Row, View, Query>) {
    this.rules = rules;
  }

  /** One page of the rows of `select` that `query` asks for. Throws request.invalid like `parsePage`. */
  async list<DB, TB extends keyof DB, Selected extends Row>(
    select: Select<DB, TB, Selected>,
    query: Query,
  ): Promise<ListedPage<View>> {
    const found = this.narrow(select, query);
    const { rows, next_cursor } = await executePage(found, parsePage(query, this.rules));
    const page = { items: rows.map(this.rules.toView), next_cursor };
    if (!query.with_total) return page;
    const count = found.clearSelect().select(sql`count(*)::int`.as('total'));
    return { ...page, total: ((await count.executeTakeFirstOrThrow()) as { total: number }).total };
  }

  /** The rows of `select` on all pages. */
  narrow<DB, TB extends keyof DB, Selected>(select: Select<DB, TB, Selected>, query: Query): Select<DB, TB, Selected> {
    const { searched, filters = {} } = this.rules;
    let found = select;
    if (query.q && searched)
      found = found.where(typeof searched === 'function' ? searched(query.q) : matchesText(searched, query.q));
    for (const [name, filter] of Object.entries<Filter<never> | undefined>(filters)) {
      const value = query[name as keyof Query];
      if (filter === undefined || value === undefined || value === '') continue;
      found = found.where(toCondition(filter, value as never));
    }
    return found;
  }
}

function toCondition<Value>(filter: Filter<Value>, value: Value): Expression<SqlBool> {
  if (typeof filter === 'function') return filter(value);
  const column = typeof filter === 'string' ? sql.ref(filter) : filter;
  return Array.isArray(value) ? sql<SqlBool>`${column} = any(${value})` : sql<SqlBool>`${column} = ${value}`;
}

/** Lists and finds records of one kind. */
export class Records<Row, View, Query extends SearchQuery = SearchQuery> extends Rows<Row, View, Query> {
  readonly #kind: string;
  readonly #table: string;

  constructor(rules: RecordRules<Row, View, Query>) {
    super({ ...rules, id: `${rules.table}.id` });
    this.#kind = rules.kind;
    this.#table = rules.table;
  }

  /** Throws record.not_found, also for a record that `select` leaves out, such as one of another project. */
  async find<DB, TB extends keyof DB>(select: Select<DB, TB, Row>, id: string): Promise<View> {
    const row = await select.where(this.#has(id)).executeTakeFirst();
    if (!row) throw fail('record.not_found', { kind: this.#kind, name: id });
    return this.rules.toView(row);
  }

  /**
   * Like `find`, with a lock until the transaction ends. It reads once the lock is held: one statement would show the
   * other tables as they were before it waited.
   */
  async lock<DB, TB extends keyof DB>(select: Select<DB, TB, Row>, id: string): Promise<View> {
    const locked = select.clearSelect().select(sql`1`.as('locked'));
    await locked
      .where(this.#has(id))
      .forUpdate(this.#table as TB & string)
      .execute();
    return this.find(select, id);
  }

  /** Throws record.exists if `write` violates a unique index. */
  refuseSameName<T>(name: string, write: () => Promise<T>): Promise<T> {
    return refuseSameName(this.#kind, name, write);
  }

  #has(id: string): Expression<SqlBool> {
    return sql<SqlBool>`${sql.ref(`${this.#table}.id`)} = ${id}`;
  }
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
