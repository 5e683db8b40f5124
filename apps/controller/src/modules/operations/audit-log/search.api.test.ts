import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { CompiledQuery, createQueryId, type RootOperationNode, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListQuery } from '../../../platform/database/paging.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { listEntries } from './list-store.ts';
import { countEntries } from './stats-store.ts';
import type { AuditFilter } from './store.ts';

/** Enough that reading all of them is never the cheapest way to find a few. */
const ENTRIES = 40_000;

let database: TestDatabase;
const project = createId();
const other = createId();
/** Has the 400 oldest entries. */
const leaver = createId();

beforeAll(async () => {
  database = await createControllerDatabase();
  // Only reading is tested, so sealing and notifications are disabled.
  await sql`alter table audit_log disable trigger user`.execute(database.owner);
  for (const of of [project, other]) {
    await sql`
      insert into audit_log (id, at, actor_kind, actor_id, actor_name, project_id, action, resource_type, resource_id,
        resource_name, outcome, status, path, request_id)
      select gen_random_uuid(), '2026-01-01T00:00:00Z'::timestamptz + n * interval '20 s', 'user',
        case when n <= 400 then ${leaver} else 'user-' || n % 200 end,
        case when n <= 400 then 'leaver' else 'person' || n % 200 end, ${of}::uuid, 'act.n' || n % 100, 'kind' || n % 100, 'id-' || n % 1000, 'name_' || n % 1000,
        case when n % 1000 = 1 then 'failed' else 'done' end, 200, '/api/v3/things/name_' || n % 1000, 'request-' || n
      from generate_series(1, ${sql.lit(ENTRIES)}) n`.execute(database.owner);
  }
  await sql`alter table audit_log enable trigger user`.execute(database.owner);
  await sql`vacuum analyze audit_log`.execute(database.owner);
}, 120_000);
afterAll(() => database.close());

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Lists entries like the API, as the application's role in the scope of the project or of everything. Returns also the
 * used indexes.
 */
async function look(
  filter: Omit<AuditFilter, 'projectId'> & ListQuery,
  ask: typeof listEntries = listEntries,
  of: string | null = project,
) {
  const made = new Map<string, RootOperationNode>();
  const asked: RootOperationNode[] = [];
  const projectId = of ?? undefined;
  const db = projectId === undefined ? database.db : database.scoped({ kind: 'project', projectId });
  const listening = db.withPlugin({
    transformQuery({ node, queryId }) {
      made.set(queryId.queryId, node);
      return node;
    },
    // Parts of queries are compiled as well; only executed ones have a result.
    transformResult: async ({ result, queryId }) => {
      const node = made.get(queryId.queryId);
      if (node) asked.push(node);
      return result;
    },
  });
  const { items, next_cursor } = await ask(listening, { limit: 50, ...filter, projectId });
  const plans = await Promise.all(
    asked.map(async (node) => {
      const query = db.getExecutor().compileQuery(node, createQueryId());
      const explain = CompiledQuery.raw(`explain (analyze, format json) ${query.sql}`, [...query.parameters]);
      const { rows } = await db.executeQuery<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(explain);
      return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => flatten(Plan)));
    }),
  );
  const nodes = plans.flat();
  return {
    items,
    next_cursor,
    /** The largest number of rows read from an index or table, including those filtered out. */
    read: Math.max(...nodes.map((found) => (found['Actual Rows'] ?? 0) + (found['Rows Removed by Filter'] ?? 0))),
    kinds: nodes.map((found) => found['Node Type']),
    readsAll: nodes.some((found) => found['Node Type'] === 'Seq Scan'),
    indexes: new Set(nodes.flatMap((found) => found['Index Name'] ?? [])),
    conditions: nodes.map((found) => found['Index Cond'] ?? '').join('\n'),
  };
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

it.each([
  ['rare', 'things/name_471', 40],
  ['nowhere', 'no such thing', 0],
  ['written in capitals', 'THINGS/NAME_471', 40],
])('a text that is %s is found by the trigram index, under row-level security', async (_, q, count) => {
  const { items, readsAll, indexes, conditions } = await look({ q });
  expect(items).toHaveLength(count);
  expect(items.every((item) => item.project === project)).toBe(true);
  expect(readsAll).toBe(false);
  expect(indexes).toContain('audit_log_text');
  // Uses the text too: by the project alone, the index returns every entry of it.
  expect(conditions).toContain('~~');
});

it('the index is queried with the words that are rare among the newest entries, and its results are filtered by the text', async () => {
  const { items, conditions } = await look({ q: 'things/name_471' });
  expect(items.every((item) => item.request.path === '/api/v3/things/name_471')).toBe(true);
  expect(conditions).toContain("~~ '%471%'");
  expect(conditions).not.toContain('things');
  expect((await look({ q: 'name/things_471' })).items).toEqual([]);
});

it('a complete request id is found by its own index, and its prefix is not', async () => {
  const { items, readsAll, indexes } = await look({ q: 'request-19999' });
  expect(items).toMatchObject([{ request: { id: 'request-19999' } }]);
  expect(readsAll).toBe(false);
  expect(indexes).toContain('audit_log_by_request');
  expect((await look({ q: 'request-1999' })).items).toMatchObject([{ request: { id: 'request-1999' } }]);
});

it('a text that most entries contain is found by scanning the newest, after sampling them, without collecting all matches', async () => {
  const { items, indexes, read } = await look({ q: 'things' });
  expect(items).toHaveLength(50);
  expect(indexes).toEqual(new Set(['audit_log_project_at']));
  expect(read).toBe(1000);
});

it.each<[string, Omit<AuditFilter, 'projectId'>, string]>([
  ['nothing', {}, 'audit_log_project_at'],
  ['a time', { from: '2026-01-02T00:00:00.000Z', to: '2026-01-02T01:00:00.000Z' }, 'audit_log_project_at'],
  ['a person', { user: ['person17'] }, 'audit_log_by_actor_name'],
  ['an action', { action: ['act.n7'] }, 'audit_log_by_action'],
  ['a kind of resource', { resource_type: ['kind7'] }, 'audit_log_by_type'],
  ['a resource', { resource_id: ['id-471'] }, 'audit_log_by_resource'],
  ['an outcome', { outcome: ['failed'] }, 'audit_log_by_outcome'],
])('the list by %s uses its index', async (_, filter, index) => {
  const { items, readsAll, indexes } = await look(filter);
  expect(items.length).toBeGreaterThan(0);
  expect(readsAll).toBe(false);
  expect(indexes).toEqual(new Set([index]));
});

it.each<[string, Omit<AuditFilter, 'projectId'>, readonly string[]]>([
  ['people, one of whom left long ago', { user: ['person17', 'leaver'] }, ['audit_log_by_actor_name']],
  ['the id of who left long ago', { user: [leaver] }, ['audit_log_by_actor', 'audit_log_by_actor_name']],
  ['actions, one of which was never done', { action: ['act.n7', 'act.n8', 'act.no'] }, ['audit_log_by_action']],
  ['outcomes', { outcome: ['denied', 'failed'] }, ['audit_log_by_outcome']],
])(
  'the list by several %s walks the index of each value, and reads only one page of it',
  async (_, filter, indexes) => {
    const { items, read, indexes: walked } = await look(filter);
    expect(items.length).toBeGreaterThan(0);
    expect(items.map(({ at }) => at)).toEqual(
      items
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    expect(walked).toEqual(new Set(indexes));
    expect(read).toBeLessThanOrEqual(120);
  },
);

it('an entry that matches by the id and the name of its actor is returned once', async () => {
  const { items } = await look({ user: [leaver, 'leaver', 'leaver'], limit: 1000 });
  expect(items).toHaveLength(400);
  expect(new Set(items.map(({ id }) => id)).size).toBe(400);
});

it('a late page starts where the previous one ended, without reading the pages before', async () => {
  const db = database.scoped({ kind: 'project', projectId: project });
  let cursor: string | undefined;
  for (let passed = 0; passed < 10; passed += 1)
    cursor = (await listEntries(db, { projectId: project, limit: 1000, cursor })).next_cursor ?? undefined;
  const { items, read, indexes, conditions } = await look({ cursor });
  expect(items[0]?.at).toBe(new Date(Date.UTC(2026, 0, 1) + (ENTRIES - 10_000) * 20_000).toISOString());
  expect(indexes).toEqual(new Set(['audit_log_project_at']));
  expect(conditions).toContain('ROW(at, id) <');
  expect(read).toBeLessThanOrEqual(60);
});

it('counts of a time span need one pass over the index only', async () => {
  const db = database.scoped({ kind: 'project', projectId: project });
  const filter = { projectId: project, from: '2026-01-08T00:00:00.000Z' };
  const ask = async (of: Parameters<typeof countEntries>[0]) => {
    await countEntries(of, filter);
    return { items: [], next_cursor: null, searched_to: null };
  };
  const plan = await look({}, ask);
  expect(plan.kinds.filter((kind) => kind === 'Index Only Scan')).toHaveLength(1);
  expect(plan.readsAll).toBe(false);
  expect((await countEntries(db, filter)).total_entries).toBe(ENTRIES - 7 * 24 * 180 + 1);
});

describe('a search for fewer than three letters', () => {
  const db = () => database.scoped({ kind: 'project', projectId: project });

  it('scans the newest entries piece by piece, reports how far, and eventually finds the text', async () => {
    const first = await listEntries(db(), { projectId: project, q: 'r', username: 'v', limit: 50 });
    expect(first.items).toEqual([]);
    expect(first.searched_to).toBe(new Date(Date.UTC(2026, 0, 1) + (ENTRIES - 14_999) * 20_000).toISOString());
    const then = await listEntries(db(), {
      projectId: project,
      q: 'r',
      username: 'v',
      cursor: first.next_cursor ?? '',
    });
    expect(then.items).toHaveLength(50);
    expect(then.items[0]).toMatchObject({ actor: { name: 'leaver' }, at: '2026-01-01T02:13:20.000Z' });
  });

  it('returns each entry once, and all of them, over all pages', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listEntries(db(), { projectId: project, username: 'le', limit: 70, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect([seen.length, new Set(seen).size]).toEqual([400, 400]);
  });

  it('ends when nothing is left, and says that it was complete', async () => {
    const short = { projectId: project, q: 'qz', from: '2026-01-08T00:00:00.000Z' };
    expect(await listEntries(db(), short)).toEqual({ items: [], next_cursor: null, searched_to: null });
  });

  it('for frequent text stops at a full page', async () => {
    const { items, read } = await look({ q: 'n' });
    expect(items).toHaveLength(50);
    expect(read).toBeLessThanOrEqual(60);
  });
});

describe('over all projects', () => {
  beforeAll(async () => {
    await sql`insert into audit_log (id, at, actor_kind, actor_id, actor_name, action, outcome, status)
      select gen_random_uuid(), '2026-01-01T00:00:10Z'::timestamptz + n * interval '20 s', 'user', ${leaver}, 'leaver', 'act.own',
        'done', 200 from generate_series(1, 100) n`.execute(database.owner);
  });

  it.each<[string, Omit<AuditFilter, 'projectId'>]>([
    ['who has left', { user: ['leaver'] }],
    ['who has left, by id', { user: [leaver] }],
    ['nobody', { user: ['nobody'] }],
    ['two people', { user: ['leaver', 'person17'] }],
    ['an action that is nowhere', { action: ['act.nowhere'] }],
  ])('%s is found by the indexes of each, whatever else the log contains', async (_, filter) => {
    const { read, readsAll } = await look(filter, listEntries, null);
    expect(readsAll).toBe(false);
    expect(read).toBeLessThan(500);
  });

  it('frequent values are found among the newest entries without querying each project', async () => {
    const { items, next_cursor, indexes } = await look({ outcome: ['done'] }, listEntries, null);
    expect(items).toHaveLength(50);
    expect(indexes).toEqual(new Set(['audit_log_at', 'audit_log_pkey']));
    const all = await listEntries(database.db, { projectId: undefined, limit: 50 });
    expect(items).toEqual(all.items);
    const more = await look({ outcome: ['done'], cursor: String(next_cursor) }, listEntries, null);
    expect(more.items[0]?.at.localeCompare(String(items.at(-1)?.at))).not.toBe(1);
  });

  it.each(['at', '-at'])(
    'pages by %s contain every entry once, in order, including those without a project',
    async (sort) => {
      const seen: { id: string; at: string; project: string | null }[] = [];
      let cursor: string | undefined;
      do {
        const page = await listEntries(database.db, {
          projectId: undefined,
          user: ['leaver'],
          sort,
          limit: 70,
          cursor,
        });
        seen.push(...page.items);
        cursor = page.next_cursor ?? undefined;
      } while (cursor);
      expect([seen.length, new Set(seen.map(({ id }) => id)).size]).toEqual([900, 900]);
      const counts = Map.groupBy(seen, (entry) => entry.project);
      expect([project, other, null].map((of) => counts.get(of)?.length)).toEqual([400, 400, 100]);
      const times = seen.map(({ at }) => at);
      expect(times).toEqual(sort === 'at' ? times.toSorted() : times.toSorted().toReversed());
    },
  );
});

it.each([{}, { q: 'name_1' }, { q: 'n' }, { username: 'leaver' }])(
  'a cursor with values of another list is refused for every search: %o',
  async (filter) => {
    const cursor = Buffer.from(JSON.stringify(['-at', 'not a time', 'not an id'])).toString('base64url');
    const db = database.scoped({ kind: 'project', projectId: project });
    await expect(listEntries(db, { projectId: project, cursor, ...filter })).rejects.toMatchObject({
      code: 'request.invalid',
    });
  },
);
