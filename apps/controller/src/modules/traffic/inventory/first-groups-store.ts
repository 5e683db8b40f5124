import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Listed, type Page, readAfter } from '../../../platform/database/paging.ts';
import { seenUntil } from './filter-store.ts';
import { isConfirmed, type OperationQuery, readFirst } from './list-store.ts';

/** Operations with the same host and path are a group. */
export interface GroupKey {
  readonly host: string;
  readonly path: string;
}

/**
 * Orders of groups that are orders of operations, too: the first operation of a group has the place of the group. The columns are those of the indexes
 * of operations.
 */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  '-last_seen': ['o.seen_slot', 'o.last_seen'],
  first_seen: ['o.first_seen'],
  '-max_risk_score': ['o.risk'],
  '-max_posture_score': ['o.posture_risk'],
  '-active_risk_score': ['o.active_risk'],
  '-active_posture_score': ['o.active_posture_risk'],
  host: ['o.host'],
  '-host': ['o.host'],
  normalized_path: ['o.path'],
  '-normalized_path': ['o.path'],
};

/** Operations that are read at first for each group of a page. */
const OPERATIONS_PER_GROUP = 4;
const OPERATIONS_MAX = 20_000;

interface FirstGroups<Row> extends Pick<OperationQuery, 'filter' | 'now'> {
  readonly sort: string;
  readonly page: Page;
  readonly readPage: (among: readonly GroupKey[]) => Promise<Listed<Row>>;
}

/**
 * Reads a page of groups from the operations that come first in its order, so that the others are not summed. Undefined if the order is that of sums, or
 * if the page needs too many operations.
 */
export async function readFirstGroups<Row>(
  db: Db,
  projectId: string,
  { filter, now, sort, page, readPage }: FirstGroups<Row>,
): Promise<Listed<Row> | undefined> {
  const columns = ORDERS[sort];
  if (columns === undefined) return undefined;
  const descending = sort.startsWith('-');
  const key = sql`o.host || chr(10) || o.path`;
  const keys = [...columns.map((column) => sql.ref(column)), key].map((target) => ({ target, descending }));
  const also = sql<SqlBool>`${isConfirmed} and ${isAfterPage(columns, key, page)}`;
  for (let limit = OPERATIONS_PER_GROUP * page.limit; limit <= OPERATIONS_MAX; limit *= 4) {
    const order = { keys, limit: limit - 1, after: undefined };
    const operations = await readAfter(page, () => readFirst(db, projectId, { filter, also, now }, order));
    const found = await readPage(operations);
    if (operations.length < limit || found.next_cursor !== null) return found;
  }
  return undefined;
}

/** Whether the operation comes after the last group of the previous page. */
function isAfterPage(columns: readonly string[], key: RawBuilder<unknown>, { after, keys }: Page): RawBuilder<SqlBool> {
  if (after === undefined) return sql<SqlBool>`true`;
  const row = sql`(${sql.ref(columns.at(-1) ?? '')}, ${key})`;
  const isAfter = sql<SqlBool>`${row} ${keys[0]?.descending ? sql`<` : sql`>`} (${sql.join([...after])})`;
  return columns.includes('o.seen_slot') ? sql<SqlBool>`${seenUntil(after[0] ?? '')} and ${isAfter}` : isAfter;
}

/** Whether the operation is of one of the groups. */
export function isOneOf(groups: readonly GroupKey[]): RawBuilder<SqlBool> {
  const [hosts, paths] = [groups.map(({ host }) => host), groups.map(({ path }) => path)];
  return sql<SqlBool>`(o.host, o.path) in (select * from unnest(${hosts}::text[], ${paths}::text[]))`;
}
