import { createId } from '@flotilla/kit';
import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { type Kysely, sql, type Transaction } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DbScope } from './scope.ts';

const A = createId();
const B = createId();

interface Things {
  things: { project_id: string | null; name: string };
}

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({});
  await sql`
    create table things (project_id uuid, name text not null);
    select guard_project_table('things');
    grant select, insert, update, delete on things to flotilla_app;
  `.execute(database.owner);
  await as({ kind: 'everything' }, (db) =>
    db
      .insertInto('things')
      .values([
        { project_id: A, name: 'of a' },
        { project_id: B, name: 'of b' },
        { project_id: null, name: 'of the installation' },
      ])
      .execute(),
  );
});
afterAll(() => database.close());

async function as<T>(scope: DbScope, work: (db: Transaction<Things>) => Promise<T>): Promise<T> {
  const db = database.scoped(scope) as unknown as Kysely<Things>;
  return db.transaction().execute(work);
}

async function namesIn(scope: DbScope): Promise<string[]> {
  const rows = await as(scope, (db) => db.selectFrom('things').select('name').orderBy('name').execute());
  return rows.map(({ name }) => name);
}

it('a protected table shows the rows of the scope, and nothing without one', async () => {
  expect(await namesIn({ kind: 'project', projectId: A })).toEqual(['of a']);
  expect(await namesIn({ kind: 'project', projectId: B })).toEqual(['of b']);
  expect(await namesIn({ kind: 'user', userId: A })).toEqual([]);
  expect(await namesIn({ kind: 'nothing' })).toEqual([]);
  expect(await namesIn({ kind: 'everything' })).toEqual(['of a', 'of b', 'of the installation']);
});

it('writing into another project, or moving a row there, is refused', async () => {
  const scope: DbScope = { kind: 'project', projectId: A };
  const refusal = /row-level security/;
  await expect(
    as(scope, (db) => db.insertInto('things').values({ project_id: B, name: 'planted' }).execute()),
  ).rejects.toThrow(refusal);
  await expect(as(scope, (db) => db.updateTable('things').set({ project_id: B }).execute())).rejects.toThrow(refusal);
  const { numDeletedRows } = await as(scope, (db) =>
    db.deleteFrom('things').where('project_id', '=', B).executeTakeFirstOrThrow(),
  );
  expect(numDeletedRows).toBe(0n);
});

it('scopes stay separate on shared connections, also after failures and rollbacks', async () => {
  const scopes: DbScope[] = [{ kind: 'project', projectId: A }, { kind: 'project', projectId: B }, { kind: 'nothing' }];
  const seen = await Promise.all(
    Array.from({ length: 120 }, async (_, i) => {
      const scope = scopes[i % 3] ?? { kind: 'nothing' };
      if (i % 5 === 0) await expect(as(scope, (db) => sql`select 1 / 0`.execute(db))).rejects.toThrow('zero');
      return (await namesIn(scope)).join();
    }),
  );
  expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => ['of a', 'of b', ''][i % 3]));
});

it('equal scopes give the same handle, which still works after a thousand others', async () => {
  const first = database.scoped({ kind: 'project', projectId: A });
  expect(database.scoped({ kind: 'project', projectId: A })).toBe(first);
  for (let i = 0; i < 1100; i += 1) database.scoped({ kind: 'user', userId: createId() });
  const { rows } = await sql<{ scope: string }>`select current_setting('flotilla.scope') as scope`.execute(first);
  expect(rows).toEqual([{ scope: `project:${A}` }]);
});
