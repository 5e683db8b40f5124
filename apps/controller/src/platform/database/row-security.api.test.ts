import { type DbScope, openDatabase, requireHeldByPolicies } from '@flotilla/db';
import { createId, createSilentLogger } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import fc from 'fast-check';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createControllerDatabase } from '../../testing/database.ts';

let database: TestDatabase;
const [A, B] = [createId(), createId()];

beforeAll(async () => {
  database = await createControllerDatabase();
  const now = new Date();
  const project = { description: null, created_at: now, updated_at: now };
  await database.db
    .insertInto('projects')
    .values([
      { ...project, id: A, name: 'a' },
      { ...project, id: B, name: 'b' },
    ])
    .execute();
});
afterAll(() => database.close());

it('the application works as a role that is neither owner nor superuser, and cannot become one', async () => {
  const { rows } = await sql`select current_user::text as name, rolsuper, rolbypassrls, rolcreaterole,
    (select count(*)::int from pg_class where relowner = pg_roles.oid) as owned
    from pg_roles where rolname = current_user`.execute(database.db);
  expect(rows).toEqual([
    { name: 'flotilla_app', rolsuper: false, rolbypassrls: false, rolcreaterole: false, owned: 0 },
  ]);
  const attempts = [
    'set role flotilla',
    'set session authorization flotilla',
    'alter role flotilla_app superuser',
    'alter role flotilla_app bypassrls',
    'alter table services disable row level security',
    'alter table services no force row level security',
    'alter table services owner to flotilla_app',
    'drop policy in_scope on services',
    'create policy mine on services using (true)',
    'create or replace function scope_all() returns boolean language sql as $$ select true $$',
    'create function mine() returns int language sql as $$ select 1 $$',
    'truncate services',
    "copy services to '/tmp/services'",
    'select name from kysely_migration',
  ];
  for (const attempt of attempts) {
    const refusal = sql.raw(attempt).execute(database.scoped({ kind: 'project', projectId: A }));
    await expect(refusal, attempt).rejects.toThrow(/permission denied|must be (owner|able)|only roles with/i);
  }
  const free = database
    .scoped({ kind: 'project', projectId: A })
    .transaction()
    .execute(async (tx) => {
      await sql`set local row_security = off`.execute(tx);
      return tx.selectFrom('projects').select('id').execute();
    });
  await expect(free).rejects.toThrow('row-level security');
});

it('the start is refused with the name of an unsuitable user', async () => {
  await expect(requireHeldByPolicies(database.owner)).rejects.toThrow(
    /user flotilla is not held by row-level security.*SVC_DATABASE_OWNER_URL/,
  );
  const asRole = openDatabase(database.server.connection(database.name), createSilentLogger(), {
    maxConnections: 2,
    role: 'flotilla_app',
  });
  try {
    await requireHeldByPolicies(asRole.db);
    const seen = await asRole.scoped({ kind: 'project', projectId: B }).selectFrom('projects').select('name').execute();
    expect(seen).toEqual([{ name: 'b' }]);
  } finally {
    await asRole.close();
  }
});

it('a connection without a scope sees nothing', async () => {
  const client = new pg.Client(database.server.appConnection(database.name));
  await client.connect();
  try {
    expect((await client.query('select id from projects')).rows).toEqual([]);
    await client.query("select set_config('flotilla.scope', 'project:', false)").catch(() => undefined);
    await expect(client.query('select id from projects')).rejects.toThrow('invalid input syntax for type uuid');
  } finally {
    await client.end();
  }
});

it('a connection sees only the rows of the requested scope, after any failure or rollback on it', async () => {
  const pool = openDatabase(database.server.appConnection(database.name), createSilentLogger(), { maxConnections: 2 });
  const scopes: readonly [DbScope, string[]][] = [
    [{ kind: 'project', projectId: A }, ['a']],
    [{ kind: 'project', projectId: B }, ['b']],
    [{ kind: 'user', userId: A }, []],
    [{ kind: 'nothing' }, []],
    [{ kind: 'everything' }, ['a', 'b']],
  ];
  const names = async ([scope]: readonly [DbScope, string[]], end: 'read' | 'commit' | 'rollback' | 'error') => {
    const db = pool.scoped(scope);
    if (end === 'read') return db.selectFrom('projects').select('name').orderBy('name').execute();
    const seen: { name: string }[] = [];
    await db
      .transaction()
      .execute(async (tx) => {
        seen.push(...(await tx.selectFrom('projects').select('name').orderBy('name').execute()));
        if (end === 'error') await sql`select 1 / 0`.execute(tx);
        if (end === 'rollback') throw new Error('rolled back');
      })
      .catch((error: unknown) => expect(String(error)).toMatch(/rolled back|division by zero/));
    return seen;
  };
  const step = fc.record({
    which: fc.nat(scopes.length - 1),
    end: fc.constantFrom('read', 'commit', 'rollback', 'error'),
  });
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 20 }), async (steps) => {
        await Promise.all(
          steps.map(async ({ which, end }) => {
            const scope = scopes[which] ?? scopes[0];
            if (!scope) return;
            expect((await names(scope, end)).map(({ name }) => name)).toEqual(scope[1]);
          }),
        );
      }),
      { numRuns: 40 },
    );
  } finally {
    await pool.close();
  }
});
