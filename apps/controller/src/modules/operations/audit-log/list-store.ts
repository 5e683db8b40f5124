import type { Db } from '@flotilla/db';
import { type Expression, type SqlBool, sql } from 'kysely';
import {
  cursorAt,
  inOrder,
  type ListQuery,
  type ListRules,
  type Page,
  parsePage,
  readAfter,
  readPage,
} from '../../../platform/database/paging.ts';
import { type AuditFilter, type AuditRow, containsText, isId, isInText, selectEntries, toView } from './store.ts';

const RULES: ListRules = { sortable: { at: 'audit_log.at' }, defaultSort: '-at', id: 'audit_log.id' };

/**
 * Entries that a search scans one by one: `first` before it uses an index, to find frequent text; `short` and `next` if
 * no index knows the text, on the first page and on later ones.
 */
const LOOKED_THROUGH = { first: 15_000, short: 15_000, next: 100_000 };

/** If the index matches more entries, they are scanned instead: sorting them all would take longer. */
const MATCHES_MAX = 20_000;

/**
 * Sample of the newest entries. From `matching` matches on, a page of them is expected nearby; from `frequent` on, a
 * word is too common to help the index, where it costs a long list.
 */
const SAMPLE = { entries: 1000, matching: 4, frequent: 20, words: 8 };

/** Filters with more values are not walked separately. */
const WALKS_MAX = 16;

/** Over all projects, this many pages of entries are scanned before each project is queried. */
const GLANCE_PAGES = 4;

export async function listEntries(db: Db, filter: AuditFilter & ListQuery) {
  const page = parsePage(filter, RULES);
  if (containsText(filter)) return readAfter(page, () => searchEntries(db, filter, page));
  const isOfAll = isOfValues(filter) && filter.projectId === undefined;
  const near = isOfAll ? await readPage(glance(db, filter, page), page) : undefined;
  const isFull = near !== undefined && near.next_cursor !== null;
  const walked = isOfAll ? walkEachProject : walk;
  const { rows, next_cursor } = isFull ? near : await readPage(walked(db, filter, page, page.limit + 1), page);
  return { items: rows.map(toView), next_cursor, searched_to: null };
}

/**
 * Looks for a page among the next entries of all projects, for frequent values: by project, each of thousands would
 * contribute a page. Not full if the values are rarer.
 */
function glance(db: Db, filter: AuditFilter, page: Page) {
  const { from, to } = filter;
  const next = walk(db, { projectId: undefined, from, to }, page, GLANCE_PAGES * (page.limit + 1));
  const isNext = sql<SqlBool>`id = any(array(${next.clearSelect().select('id')}))`;
  const matching = selectEntries(db, filter).selectAll().where(isNext);
  return inOrder(matching, { ...page, after: undefined }, page.limit + 1);
}

/**
 * The first `rows` matching entries after the previous page, in order. If filters have several values and none has just
 * one, each value is walked separately and the results are merged: each walk uses an index, and none depends on the
 * frequency of its value.
 */
function walk(db: Db, filter: AuditFilter, page: Page, rows: number) {
  const walks = toWalks(filter).map((one) => inOrder(selectWalked(db, one), page, rows));
  return merge(db, walks, page, rows);
}

/**
 * The same over all projects: each value index is per project, so it is walked for every project and for entries
 * without one. By time alone, a rare value would be searched for in the whole log.
 */
function walkEachProject(db: Db, filter: AuditFilter, page: Page, rows: number) {
  const walks = toWalks(filter).flatMap((one) => {
    const ofEach = inOrder(selectWalked(db, one).where(sql<SqlBool>`project_id = logged.project_id`), page, rows);
    const ofNone = inOrder(selectWalked(db, one).where('project_id', 'is', null), page, rows);
    return [sql`(select entry.* from ${LOGGED_PROJECTS} as logged cross join lateral ${ofEach} as entry)`, ofNone];
  });
  return merge(db, walks, page, rows);
}

/** The projects with entries, including deleted ones, with one index step each. */
const LOGGED_PROJECTS = sql`(
  with recursive found as (
    (select project_id from audit_log where project_id is not null order by project_id limit 1)
    union all
    select (select project_id from audit_log where project_id > found.project_id order by project_id limit 1)
    from found where project_id is not null
  ) select project_id from found where project_id is not null)`;

function merge(db: Db, walks: readonly Expression<unknown>[], page: Page, rows: number) {
  const merged = sql<AuditRow>`(${sql.join(walks, sql` union all `)})`.as('audit_log');
  return inOrder(db.selectFrom(merged).selectAll(), { ...page, after: undefined }, rows);
}

function selectWalked(db: Db, { filter, by }: Walk) {
  const query = selectEntries(db, filter).selectAll();
  return by ? query.where(by) : query;
}

interface Walk {
  readonly filter: AuditFilter;
  readonly by?: Expression<SqlBool>;
}

/** Filters with an index in list order, besides `user`. If none has just one value, the first is split. */
const SPLIT = ['user_id', 'resource_id', 'action', 'resource_type', 'outcome'] as const;

function isOfValues(filter: AuditFilter): boolean {
  return filter.user !== undefined || SPLIT.some((name) => filter[name] !== undefined);
}

/** The walks are disjoint. */
function toWalks(filter: AuditFilter): Walk[] {
  const { user, ...rest } = filter;
  const users = [...new Set(user)];
  const ids = users.filter(isId);
  if (users.length > 0 && users.length + ids.length <= WALKS_MAX) {
    const byId = ids.map((id) => ({ filter: rest, by: sql<SqlBool>`actor_id = ${id}` }));
    const others = ids.length > 0 ? sql`and (actor_id is null or actor_id not in (${sql.join(ids)}))` : sql``;
    return [...byId, ...users.map((name) => ({ filter: rest, by: sql<SqlBool>`actor_name = ${name} ${others}` }))];
  }
  const given = SPLIT.filter((name) => filter[name] !== undefined);
  if (given.some((name) => filter[name]?.length === 1)) return [{ filter }];
  const [split] = given;
  const values = split ? [...new Set(filter[split])] : [];
  if (!split || values.length > WALKS_MAX) return [{ filter }];
  return values.map((value) => ({ filter: { ...filter, [split]: [value] } }));
}

/**
 * Frequent text is among the newest entries; the trigram index finds rare or missing text. Anything else, or text too
 * short for the index, is scanned piece by piece, and the answer says how far: no query reads the whole log.
 */
async function searchEntries(db: Db, filter: AuditFilter, page: Page) {
  if (isTooShort(filter)) return lookThrough(db, filter, page, LOOKED_THROUGH[page.after ? 'next' : 'short']);
  const { isFrequent, telling } = await sampleNewest(db, filter, page);
  if (isFrequent) {
    const newest = await lookThrough(db, filter, page, LOOKED_THROUGH.first);
    if (newest.searched_to === null) return newest;
  }
  return (await collectMatches(db, { ...filter, telling }, page)) ?? lookThrough(db, filter, page, LOOKED_THROUGH.next);
}

/** Returns whether a page of matches is likely nearby, and the rare words of the text, if some are rare. */
async function sampleNewest(db: Db, filter: AuditFilter, page: Page) {
  const { q = '', username: _, ...rest } = filter;
  const words = [...new Set(q.toLowerCase().match(/[a-z\d]{3,}/g))].slice(0, SAMPLE.words);
  const count = (condition: Expression<SqlBool>, as: string) =>
    sql<number>`count(*) filter (where ${condition})::int`.as(as);
  const row: Readonly<Record<string, number>> = await db
    .selectFrom(walk(db, { ...rest, q: undefined }, page, SAMPLE.entries).as('audit_log'))
    .select([
      count(sql`true`, 'seen'),
      count(containsText(filter) ?? sql`true`, 'matching'),
      ...words.map((word, i) => count(isInText(word), `w${i}`)),
    ])
    .executeTakeFirstOrThrow();
  const telling = words.filter((_word, i) => (row[`w${i}`] ?? 0) <= SAMPLE.frequent);
  const { seen = 0, matching = 0 } = row;
  return {
    isFrequent: seen < SAMPLE.entries || matching >= SAMPLE.matching,
    telling: telling.length === 0 || telling.length === words.length ? undefined : telling,
  };
}

/** Whether the text has no three letters in a row, the minimum of the trigram index. */
function isTooShort({ q, username }: AuditFilter): boolean {
  return ![q ?? '', username ?? ''].some((text) => /[a-z\d]{3}/i.test(text));
}

/**
 * A page of the matches among the next `count` entries. `searched_to`: the last scanned entry, if the page is not full.
 */
async function lookThrough(db: Db, filter: AuditFilter, page: Page, count: number) {
  const { q: _, username: __, ...rest } = filter;
  const looked = walk(db, rest, page, count).as('audit_log');
  const matching = db
    .selectFrom(looked)
    .selectAll()
    .where(containsText(filter) ?? sql<SqlBool>`true`);
  const { rows, next_cursor } = await readPage(inOrder(matching, { ...page, after: undefined }, page.limit + 1), page);
  const items = rows.map(toView);
  if (next_cursor !== null) return { items, next_cursor, searched_to: null };
  const end = await walk(db, rest, page, count)
    .clearSelect()
    .select(['at', sql<string>`at::text`.as('key'), 'id'])
    .offset(count - 1)
    .executeTakeFirst();
  if (!end) return { items, next_cursor: null, searched_to: null };
  return { items, next_cursor: cursorAt([end.key, end.id]), searched_to: end.at.toISOString() };
}

/** A page of all matches, sorted. undefined: there are too many. */
async function collectMatches(db: Db, filter: AuditFilter, page: Page) {
  const matches = inOrder(selectEntries(db, filter).select(['id', 'at']), page, MATCHES_MAX + 1).clearOrderBy();
  const counted = sql<Pick<AuditRow, 'id' | 'at'> & { matches: number }>`(
    with found as materialized (${matches}) select *, (select count(*)::int from found) as matches from found)`;
  const fromStart = { ...page, after: undefined };
  const places = inOrder(db.selectFrom(counted.as('audit_log')).select(['id', 'matches']), fromStart, page.limit + 1);
  const entries = db
    .selectFrom('audit_log')
    .innerJoin(places.as('place'), 'place.id', 'audit_log.id')
    .selectAll('audit_log')
    .select('place.matches');
  const { rows, next_cursor } = await readPage(inOrder(entries, fromStart, page.limit + 1), page);
  if ((rows[0]?.matches ?? 0) > MATCHES_MAX) return undefined;
  return { items: rows.map(toView), next_cursor, searched_to: null };
}
