import { JOB_STUCK_AFTER_S } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { listJobs, listStuckJobs } from '../../modules/operations/jobs/views.ts';
import { createTestController, type TestCaller, type TestController } from '../../testing/controller.ts';
import { explain, recordQueries } from '../../testing/queries.ts';
import type { JobType } from './model.ts';
import { SYSTEM } from './testing/jobs.ts';

const type: JobType<{ thing: string }> = {
  type: 'test.listed',
  title: 'Is looked for',
  params: z.object({ thing: z.string() }),
  route: null,
  about: ({ thing }) => ({ type: 'thing', name: thing }),
  steps: [{ name: 'only', effects: 'repeatable', run: async () => ({ kind: 'done' }) }],
};

let t: TestController;
let anna: TestCaller;
/** Job ids by the name of the resource that each job is about. */
const ids = new Map<string, string>();

async function make(thing: string, by: TestCaller, change: object): Promise<void> {
  const { db } = t.database;
  const order = {
    params: { thing },
    project: t.project,
    actor: { kind: 'user', id: by.userId, name: by.username },
  } as const;
  const runAt = new Date(Date.now() + 86_400_000);
  const { id } = await db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, type, { ...order, runAt }));
  ids.set(thing, id);
  await db.updateTable('jobs').set(change).where('id', '=', id).execute();
}

beforeAll(async () => {
  t = await createTestController();
  t.controller.jobs.register(type);
  anna = await t.createMember('editor');
  const at = (day: string) => new Date(`2026-03-${day}Z`);
  const over = (status: string, day: string) => ({ status, created_at: at(day), ended_at: at(day), run_at: at(day) });
  await make('first-day', t.owner, over('done', '01T00:00:00'));
  await make('last-moment', t.owner, over('failed', '02T23:59:59.999'));
  await make('next-day', anna, over('dead', '03T00:00:00'));
  await make('half', anna, over('done_with_errors', '04T12:00:00'));
  await make('to-come', t.owner, { created_at: at('05T12:00:00') });
});
afterAll(() => t.close());

const url = (rest: string) =>
  `/api/v3/jobs${rest}${rest.includes('?') ? '&' : '?'}project=${t.project}&type=test.listed`;
async function namesOf(query: string, caller = t.owner): Promise<string[]> {
  const { status, body } = await caller.call('GET', url(`?${query}`));
  expect(status, JSON.stringify(body)).toBe(200);
  return body.items.map(({ resource }: { resource: { name: string } }) => resource.name);
}

describe('jobs can be found', () => {
  it.each<[string, string[]]>([
    ['start_date=2026-03-02&end_date=2026-03-03', ['next-day', 'last-moment']],
    ['end_date=2026-03-02', ['last-moment', 'first-day']],
    ['start_date=2026-03-04', ['to-come', 'half']],
    ['statuses=failed&statuses=dead', ['next-day', 'last-moment']],
    ['status=done_with_errors', ['half']],
    ['status=waiting', ['to-come']],
    ['status=pending', []],
    ['status=pending&status=waiting&status=done', ['to-come', 'first-day']],
    ['resource_name=DAY', ['next-day', 'first-day']],
    ['resource_name=%25', []],
    ['q=half', ['half']],
    ['offset=1&limit=2', ['half', 'next-day']],
    ['offset=4', ['first-day']],
    ['offset=5', []],
  ])('by %s', async (query, names) => {
    expect(await namesOf(query)).toEqual(names);
  });

  it('by a part of the name of their starter', async () => {
    expect(await namesOf(`username=${anna.username.slice(2).toUpperCase()}`)).toEqual(['half', 'next-day']);
    expect(await namesOf('username=nobody-of-that-name')).toEqual([]);
  });
});

it('the jobs of the installation are separate from those of projects', async () => {
  const order = { params: { thing: 'everything' }, project: null, actor: SYSTEM } as const;
  const runAt = new Date(Date.now() + 86_400_000);
  await t.database.db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, type, { ...order, runAt }));
  const projectsOf = async (query: string, caller = t.owner): Promise<(string | null)[]> => {
    const { body } = await caller.call('GET', `/api/v3/jobs?type=test.listed&${query}`);
    return [...new Set<string | null>(body.items.map(({ project }: { project: string | null }) => project))];
  };
  expect(await projectsOf('installation=true')).toEqual([null]);
  expect(await projectsOf('installation=false')).toEqual([t.project]);
  expect(await projectsOf(`installation=true&project=${t.project}`)).toEqual([]);
  expect((await anna.call('GET', '/api/v3/jobs?installation=true')).body.code).toBe('project.missing');
  expect((await t.owner.call('GET', '/api/v3/jobs/stats?installation=true&type=test.listed')).body.total_jobs).toBe(1);
});

it('pages by offset match those by cursor; both at once, and invalid days, are refused', async () => {
  const first = await t.owner.call('GET', url('?limit=2'));
  const next = await t.owner.call('GET', url(`?limit=2&cursor=${first.body.next_cursor}`));
  expect(next.body.items).toEqual((await t.owner.call('GET', url('?limit=2&offset=2'))).body.items);
  for (const query of [
    `offset=1&cursor=${first.body.next_cursor}`,
    'offset=-1',
    'start_date=2026-02-30',
    'end_date=3.3.2026',
  ])
    expect((await t.owner.call('GET', url(`?${query}`))).body.code, query).toBe('request.invalid');
});

it('the statistics count what the list shows, by status, type, resource and person', async () => {
  const { body } = await t.owner.call('GET', url('/stats'));
  expect(body).toMatchObject({
    total_jobs: 5,
    jobs_by_status: { done: 1, failed: 1, dead: 1, done_with_errors: 1, waiting: 1 },
    jobs_by_type: { 'test.listed': 5 },
    jobs_by_resource: { thing: 5 },
    jobs_by_user: { [t.owner.username]: 3, [anna.username]: 2 },
    recent_jobs: 0,
    queue_size: 1,
    processing_jobs: 0,
    active_workers: 0,
  });
  expect(Date.parse(body.last_updated)).toBeLessThanOrEqual(Date.now());
  const own = await anna.call('GET', url('/stats?end_date=2026-03-03'));
  expect(own.body).toMatchObject({ total_jobs: 1, jobs_by_user: { [anna.username]: 1 } });
});

it('every role sees stuck jobs and workers, as far as it sees the jobs', async () => {
  const viewer = await t.createMember('viewer');
  const { controllerId } = t.controller.presence;
  for (const caller of [t.owner, anna, viewer]) {
    const ask = async (rest: string) => (await caller.call('GET', `/api/v3/jobs${rest}?project=${t.project}`)).body;
    expect(await ask('/stuck')).toEqual({ items: [], stuck_after_s: JOB_STUCK_AFTER_S });
    const workers = (await ask('/workers')).items;
    expect(workers.map(({ controller }: { controller: string }) => controller)).toEqual([controllerId]);
  }
  const stuckOf = async (tx: Tx, madeBy: string | undefined) => {
    const stuck = await listStuckJobs(tx, t.controller.jobs.types, { projectId: t.project, madeBy });
    return stuck.map(({ resource }) => resource?.name).toSorted();
  };
  // The transaction is rolled back; otherwise a worker would claim the jobs at once.
  const look = t.database.db.transaction().execute(async (tx) => {
    await tx
      .updateTable('jobs')
      .set({ status: 'running', leased_by: createId(), leased_until: sql<Date>`clock_timestamp() - interval '1 hour'` })
      .where('id', 'in', [ids.get('half') ?? '', ids.get('first-day') ?? ''])
      .execute();
    expect(await stuckOf(tx, undefined)).toEqual(['first-day', 'half']);
    expect(await stuckOf(tx, anna.userId)).toEqual(['half']);
    expect(await stuckOf(tx, viewer.userId)).toEqual([]);
    throw new TakenBack();
  });
  await expect(look).rejects.toThrow(TakenBack);
});

class TakenBack extends Error {}

it('unsuccessful jobs are found by an index of their own, however many others there are', async () => {
  const { db } = t.database;
  await sql`insert into jobs (id, project_id, type, params, run_at, attempts_max, steps_total, actor, created_at, status, ended_at)
    select gen_random_uuid(), ${t.project}, 'test.many', '{}', now(), 1, 1, '{}', now() - n * interval '1 s',
      case when n % 4000 = 0 then 'failed' else 'done' end, now() from generate_series(1, 20000) n`.execute(db);
  await sql`analyze jobs`.execute(t.database.owner);
  const { types } = t.controller.jobs;
  const scope = { projectId: t.project, madeBy: undefined };
  const filter = { status: ['failed', 'dead'] } as const;
  const queries = await recordQueries(db, () => listJobs(db, types, scope, filter));
  const [query] = queries.filter(({ sql: text }) => text.includes('"jobs"'));
  expect(query && (await explain(db, query))).toContain('jobs_troubled');
});
