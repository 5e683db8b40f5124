import { createId } from '@flotilla/kit';
import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { CompiledQuery, createQueryId, type RootOperationNode, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AuditFilter, listEntries } from './store.ts';

/** Enough that reading them all is never the cheapest way to a few. */
const ENTRIES = 20_000;

let database: TestDatabase;
const project = createId();
const other = createId();

beforeAll(async () => {
  database = await createTestDatabase();
  // What is looked at is reading: nothing waits to be sealed, and nobody is told.
  await sql`alter table audit_log disable trigger user`.execute(database.owner);
  for (const of of [project, other]) {
    await sql`
      insert into audit_log (id, at, actor_kind, actor_id, actor_name, project_id, action, resource_type, resource_id,
        resource_name, outcome, status, path, request_id)
      select gen_random_uuid(), '2026-01-01T00:00:00Z'::timestamptz + n * interval '20 s', 'user', 'user-' || n % 200,
        'person' || n % 200, ${of}::uuid, 'act.n' || n % 100, 'kind' || n % 100, 'id-' || n % 1000, 'name_' || n % 1000,
        case when n % 1000 = 1 then 'failed' else 'done' end, 200, '/api/v3/things/name_' || n % 1000, 'request-' || n
      from generate_series(1, ${sql.lit(ENTRIES)}) n`.execute(database.owner);
  }
  await sql`alter table audit_log enable trigger user`.execute(database.owner);
  await sql`vacuum analyze audit_log`.execute(database.owner);
}, 60_000);
afterAll(() => database.close());

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The list as the API asks for it, by the application's role in the scope of the project, and the indexes that it went by. */
async function look(filter: Omit<AuditFilter, 'projectId'>) {
  const asked: RootOperationNode[] = [];
  const db = database.scoped({ kind: 'project', projectId: project });
  const listening = db.withPlugin({
    transformQuery({ node }) {
      asked.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const { items } = await listEntries(listening, { ...filter, projectId: project, limit: 50 });
  const [node] = asked;
  if (!node) throw new Error('nothing was asked');
  const query = db.getExecutor().compileQuery(node, createQueryId());
  const explain = CompiledQuery.raw(`explain (analyze, format json) ${query.sql}`, [...query.parameters]);
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(explain);
  const nodes = rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => flatten(Plan)));
  return {
    items,
    readsAll: nodes.some((found) => found['Node Type'] === 'Seq Scan'),
    indexes: nodes.flatMap((found) => found['Index Name'] ?? []),
    conditions: nodes.map((found) => found['Index Cond'] ?? '').join('\n'),
  };
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

it.each([
  ['rare', 'things/name_471', 20],
  ['nowhere', 'no such thing', 0],
  ['written in capitals', 'REQUEST-19999', 1],
])('a text that is %s is found by the index of trigrams, under row-level security', async (_, q, count) => {
  const { items, readsAll, indexes, conditions } = await look({ q });
  expect(items).toHaveLength(count);
  expect(items.every((item) => item.project === project)).toBe(true);
  expect(readsAll).toBe(false);
  expect(indexes).toEqual(['audit_log_text']);
  // By the text too: by the project alone, the index names each entry of it.
  expect(conditions).toContain('~~');
});

it('a text that is in most entries is found by walking the newest, not by collecting them all', async () => {
  const { items, indexes } = await look({ q: 'things' });
  expect(items).toHaveLength(50);
  expect(indexes).toEqual(['audit_log_project_at']);
});

it.each<[string, Omit<AuditFilter, 'projectId'>, string]>([
  ['nothing', {}, 'audit_log_project_at'],
  ['a time', { from: '2026-01-02T00:00:00.000Z', to: '2026-01-02T01:00:00.000Z' }, 'audit_log_project_at'],
  ['a person', { user: ['person17'] }, 'audit_log_by_actor_name'],
  ['an action', { action: ['act.n7'] }, 'audit_log_by_action'],
  ['a kind of resource', { resource_type: ['kind7'] }, 'audit_log_by_type'],
  ['a resource', { resource_id: ['id-471'] }, 'audit_log_by_resource'],
  ['an outcome', { outcome: ['failed'] }, 'audit_log_by_outcome'],
])('the list by %s goes by the index that is for it', async (_, filter, index) => {
  const { items, readsAll, indexes } = await look(filter);
  expect(items.length).toBeGreaterThan(0);
  expect(readsAll).toBe(false);
  expect(indexes).toEqual([index]);
});
