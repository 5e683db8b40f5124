import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { up } from './0031-jobs-order.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('jobs keep their numbers, and the next of each project goes on from its own', async () => {
  const { owner, db } = database;
  // As the migrations before it leave things.
  await sql`
    drop trigger projects_number_jobs on projects;
    drop trigger jobs_numbered on jobs;
    drop function keep_job_sequence, number_job;
    drop index jobs_number, jobs_troubled;
    drop sequence job_numbers;
    drop function job_sequence;
    alter table jobs drop column resource_type, drop column resource_name,
      alter column number add generated always as identity;
    create unique index jobs_number on jobs (number);
    alter table job_schedules drop column failures, drop column error;
    insert into projects (id, name, created_at, updated_at)
      select gen_random_uuid(), name, now(), now() from unnest(array['busy', 'idle']) as name;
    insert into jobs (id, project_id, type, params, run_at, attempts_max, steps_total, actor, created_at)
      select gen_random_uuid(), case when n % 4 = 0 then null else (select id from projects where name = 'busy') end,
        'old', '{}', now(), 1, 1, '{}', now() from generate_series(1, 8) n;
  `.execute(owner);
  // A migration knows no tables: theirs are of another time.
  await up(owner as unknown as Kysely<unknown>);
  const insert = async (project: string | null) => {
    const { rows } = await sql<{ number: number }>`
      insert into jobs (id, project_id, type, params, run_at, attempts_max, steps_total, actor, created_at)
      select gen_random_uuid(), (select id from projects where name = ${project}), 'new', '{}', now(), 1, 1, '{}', now()
      returning number`.execute(db);
    return rows[0]?.number;
  };
  const old = await db.selectFrom('jobs').select('number').orderBy('number').execute();
  expect(old.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect([await insert('busy'), await insert('busy'), await insert('idle'), await insert(null)]).toEqual([8, 9, 1, 9]);
});
