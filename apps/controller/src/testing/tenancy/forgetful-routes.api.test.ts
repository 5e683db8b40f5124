import { ADMINS, defineRoute, idSchema, type RouteContract } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { implement, type Route } from '../../platform/http/route.ts';
import { createTestController, type TestCaller, type TestController } from '../controller.ts';

/**
 * Routes whose handlers have no conditions: they read, count, change, delete and insert rows by ids of another project.
 * Row-level security must hide and refuse everything foreign in the scope of each declaration.
 */
type Work = (db: Db | Tx) => Promise<unknown>;
const works = new Map<string, Work>();

const query = z.strictObject({ project: idSchema.optional(), work: z.string() });
const body = z.strictObject({ project: idSchema.optional() });
const shared = {
  summary: 'Forgets to ask',
  tag: 'Jobs',
  family: 'jobs',
  audit: null,
  status: 200,
  response: z.unknown(),
} as const;

async function run(name: string, db: Db | Tx): Promise<{ value: unknown }> {
  const work = works.get(name);
  if (!work) throw new Error(`no work ${name}`);
  return { value: await work(db) };
}

/** Two routes with the same declaration: one reads with `ctx.db`, one writes inside `ctx.write`. */
function createForgetful(
  name: string,
  declared: Pick<RouteContract, 'access' | 'project'>,
): readonly [reads: Route, writes: Route] {
  const path = `/api/v3/forgetful/${name}`;
  return [
    implement(
      defineRoute({ ...shared, ...declared, id: `${name}Reads`, method: 'GET', path, query }),
      async (ctx, input) => ({ body: await run(input.query.work, ctx.db) }),
    ),
    implement(
      defineRoute({ ...shared, ...declared, id: `${name}Writes`, method: 'POST', path, query, body }),
      async (ctx, input) =>
        ctx.write(async (tx) => ({
          reply: { body: await run(input.query.work, tx) },
          audit: { type: 'nothing' },
        })),
    ),
  ];
}

const routes = [
  createForgetful('guarded', { access: { kind: 'roles', roles: ADMINS }, project: 'query' }),
  createForgetful('own', { access: { kind: 'authenticated' }, project: 'none' }),
  createForgetful('open', { access: { kind: 'public' }, project: 'none' }),
].flat();

/** Every guarded table with rows that a handler could read without naming a project. */
const TABLES = [
  'projects',
  'memberships',
  'documents',
  'policies',
  'api_tokens',
  'groups',
  'permissions',
  'settings',
  'clients',
  'services',
  'jobs',
  'audit_log',
  'shield_events',
] as const;

let t: TestController;
let member: TestCaller;
let token: string;
let theirs: string;
let [theirPolicy, theirGroup]: string[] = [];
const now = new Date();

beforeAll(async () => {
  t = await createTestController({}, { moreRoutes: routes });
  theirs = await t.createProject('theirs');
  member = await t.createMember('admin');
  const stranger = await t.createMember('editor', theirs);
  const make = async (project: string, path: string, given: object) => {
    const answer = await t.owner.call('POST', `${path}?project=${project}`, given);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body;
  };
  for (const project of [t.project, theirs]) {
    theirGroup = (await make(project, '/api/v3/setting/groups', { name: 'team' })).id;
    const made = await make(project, '/api/v3/setting/tokens', { name: 'ci', role: 'admin' });
    if (project === t.project) token = made.token;
    const policy = { name: 'www', description: null, text: '', files: '[]', digest: '', created_at: now };
    theirPolicy = createId();
    await t.database.db
      .insertInto('policies')
      .values({ ...policy, id: theirPolicy, project_id: project, updated_at: now, updated_by: 'test' })
      .execute();
  }
  await t.owner.call('PUT', `/api/v3/setting/groups/${theirGroup}/members/${stranger.userId}?project=${theirs}`, {});
});
afterAll(() => t?.close());

interface Caller {
  readonly path: string;
  readonly headers: Record<string, string>;
}
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const CALLERS: Readonly<Record<string, () => Caller>> = {
  'a member, in their project': () => ({ path: `guarded?project=${t.project}&`, headers: bearer(member.token) }),
  'an owner of the installation, in the project': () => ({
    path: `guarded?project=${t.project}&`,
    headers: bearer(t.owner.token),
  }),
  'a token, in its project': () => ({ path: `guarded?project=${t.project}&`, headers: bearer(token) }),
  'a member, where no project is named': () => ({ path: 'own?', headers: bearer(member.token) }),
  'a token, where no project is named': () => ({ path: 'own?', headers: bearer(token) }),
  'anybody, on a public route': () => ({ path: 'open?', headers: {} }),
};

async function ask(caller: Caller, method: 'GET' | 'POST', work: Work): Promise<{ status: number; value: unknown }> {
  const name = createId();
  works.set(name, work);
  const { path, headers } = caller;
  const url = `/api/v3/forgetful/${path}work=${name}`;
  const response = await t.app.inject({ method, url, headers, ...(method === 'POST' && { payload: {} }) });
  return { status: response.statusCode, value: response.json().value };
}

const countTheirs = async (db: Db | Tx, table: (typeof TABLES)[number]) => {
  const column = table === 'projects' ? 'id' : 'project_id';
  const { dynamic } = t.database.db;
  const row = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where(dynamic.ref<string>(column), '=', theirs)
    .executeTakeFirstOrThrow();
  return Number(row.n);
};
const snapshot = async () => {
  const { db } = t.database;
  const of = { project_id: theirs };
  return {
    policies: await db.selectFrom('policies').selectAll().where('project_id', '=', of.project_id).execute(),
    groups: await db.selectFrom('groups').selectAll().where('project_id', '=', of.project_id).execute(),
    members: await db.selectFrom('group_members').selectAll().where('project_id', '=', of.project_id).execute(),
    memberships: await db.selectFrom('memberships').selectAll().where('project_id', '=', of.project_id).execute(),
    projects: await db.selectFrom('projects').selectAll().where('id', '=', theirs).execute(),
  };
};

it('foreign rows exist, and a handler in the scope of everything sees them', async () => {
  const counts = await Promise.all(
    (['projects', 'memberships', 'policies', 'api_tokens', 'groups', 'audit_log'] as const).map((table) =>
      countTheirs(t.database.db, table),
    ),
  );
  expect(
    counts.every((n) => n > 0),
    String(counts),
  ).toBe(true);
});

describe.each(Object.keys(CALLERS))('%s', (kind) => {
  const caller = (): Caller => CALLERS[kind]?.() ?? { path: '', headers: {} };

  it.each(['GET', 'POST'] as const)('reads and counts no row of another project (%s)', async (method) => {
    for (const table of TABLES) {
      expect(await ask(caller(), method, (db) => countTheirs(db, table)), table).toEqual({ status: 200, value: 0 });
    }
    const read = (db: Db | Tx) =>
      db
        .selectFrom('policies')
        .selectAll()
        .where('id', '=', theirPolicy ?? '')
        .execute();
    expect(await ask(caller(), method, read)).toEqual({ status: 200, value: [] });
    const members = (db: Db | Tx) =>
      db.selectFrom('group_members').selectAll().where('project_id', '=', theirs).execute();
    expect(await ask(caller(), method, members)).toEqual({ status: 200, value: [] });
  });

  it.each(['GET', 'POST'] as const)('changes, deletes and inserts nothing in another project (%s)', async (method) => {
    const before = await snapshot();
    const changed = (result: { numUpdatedRows?: bigint; numDeletedRows?: bigint }) =>
      Number(result.numUpdatedRows ?? result.numDeletedRows ?? -1);
    const harmless: Work[] = [
      async (db) =>
        changed(
          await db
            .updateTable('policies')
            .set({ text: 'x' })
            .where('id', '=', theirPolicy ?? '')
            .executeTakeFirstOrThrow(),
        ),
      async (db) =>
        changed(await db.updateTable('projects').set({ name: 'x' }).where('id', '=', theirs).executeTakeFirstOrThrow()),
      async (db) =>
        changed(
          await db
            .updateTable('memberships')
            .set({ role: 'owner' })
            .where('project_id', '=', theirs)
            .executeTakeFirstOrThrow(),
        ),
      async (db) =>
        changed(
          await db
            .deleteFrom('policies')
            .where('id', '=', theirPolicy ?? '')
            .executeTakeFirstOrThrow(),
        ),
      async (db) =>
        changed(
          await db
            .deleteFrom('groups')
            .where('id', '=', theirGroup ?? '')
            .executeTakeFirstOrThrow(),
        ),
      async (db) => changed(await db.deleteFrom('projects').where('id', '=', theirs).executeTakeFirstOrThrow()),
    ];
    for (const [i, work] of harmless.entries())
      expect(await ask(caller(), method, work), `change ${i}`).toEqual({ status: 200, value: 0 });
    const stamps = { created_at: now, updated_at: now };
    const refused: Work[] = [
      (db) =>
        db
          .insertInto('groups')
          .values({ id: createId(), project_id: theirs, name: 'planted', description: null, ...stamps })
          .execute(),
      (db) =>
        db
          .insertInto('memberships')
          .values({ project_id: theirs, user_id: member.userId, role: 'owner', created_at: now })
          .execute(),
      (db) =>
        db
          .insertInto('group_members')
          .values({ project_id: theirs, group_id: theirGroup ?? '', user_id: member.userId, added_at: now })
          .execute(),
    ];
    for (const [i, work] of refused.entries())
      expect((await ask(caller(), method, work)).status, `insert ${i}`).toBe(500);
    expect(await snapshot()).toEqual(before);
  });
});

it('a member cannot move their rows into another project', async () => {
  const move: Work = (db) => db.updateTable('policies').set({ project_id: theirs }).where('name', '=', 'www').execute();
  const before = await snapshot();
  const { path, headers } = CALLERS['a member, in their project']?.() ?? { path: '', headers: {} };
  expect((await ask({ path, headers }, 'POST', move)).status).toBe(500);
  expect(await snapshot()).toEqual(before);
});

it('without a project, a person sees their own rows, a token its project, and an anonymous caller nothing', async () => {
  const names: Work = async (db) =>
    (await db.selectFrom('projects').select('id').orderBy('id').execute()).map(({ id }) => id);
  const seen = async (kind: string) => (await ask(CALLERS[kind]?.() ?? { path: '', headers: {} }, 'GET', names)).value;
  expect(await seen('a member, where no project is named')).toEqual([t.project]);
  expect(await seen('a token, where no project is named')).toEqual([t.project]);
  expect(await seen('anybody, on a public route')).toEqual([]);
  expect((await ask({ path: 'own?', headers: bearer(t.owner.token) }, 'GET', names)).value).toEqual(
    [t.project, theirs].toSorted(),
  );
});
