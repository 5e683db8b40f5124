import { EDITORS, type Level, type ResourceKind } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { TestCaller } from '../../test-controller.ts';
import { createListedWorld, type ListedWorld } from '../permissions/test-listed-world.ts';
import type { JobActor, JobType } from './model.ts';

/** What a job may do is asked while it runs: of its actor, in a project that lists who may reach what. */
const params = z.object({
  policy: z.uuid().optional(),
  level: z.enum(['view', 'use', 'change']).optional(),
});
type Params = z.infer<typeof params>;

let world: ListedWorld;
let gate: PromiseWithResolvers<void>;
let begun: PromiseWithResolvers<void>;
/** What the second step writes. */
let write: (tx: Tx) => Promise<void>;
const WAIT = { timeout: 30_000, interval: 25 };

const type: JobType<Params> = {
  type: 'test.held',
  title: 'Waits, then writes',
  params,
  route: { tag: 'Jobs', access: { kind: 'roles', roles: EDITORS } },
  needs: ({ policy, level = 'change' }) => (policy === undefined ? [] : [{ kind: 'policy', id: policy, level }]),
  attemptsMax: 1,
  steps: [
    {
      name: 'wait',
      effects: 'repeatable',
      run: async () => {
        begun.resolve();
        await gate.promise;
        return { kind: 'done' };
      },
    },
    { name: 'write', effects: 'database', run: async () => ({ kind: 'done', write: (tx) => write(tx) }) },
  ],
};
const small: JobType<Params> = {
  ...type,
  type: 'test.held_small',
  isSmall: true,
  steps: [
    {
      name: 'only',
      effects: 'database',
      run: async (ctx) => {
        await ctx.write((tx) => write(tx));
        return { kind: 'done' };
      },
    },
  ],
};

beforeAll(async () => {
  world = await createListedWorld();
  world.t.controller.jobs.register(type);
  world.t.controller.jobs.register(small);
}, 120_000);
beforeEach(() => {
  gate = Promise.withResolvers();
  begun = Promise.withResolvers();
  write = (tx) => describePolicy(tx, world.shown.policy);
});
afterAll(() => world?.t.close());

async function describePolicy(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('policies').set({ description: 'written by a job' }).where('id', '=', id).execute();
}

const actorOf = ({ userId, username }: TestCaller): JobActor => ({ kind: 'user', id: userId, name: username });

function start(actor: JobActor, given: Params = {}, of = type) {
  const { t } = world;
  return t.database.db
    .transaction()
    .execute((tx) => t.controller.jobs.enqueue(tx, of, { params: given, project: t.project, actor }));
}

const read = async (id: string) =>
  (await world.t.owner.call('GET', `/api/v3/jobs/${id}?project=${world.t.project}`)).body;

const untilOver = (id: string) =>
  vi.waitFor(async () => {
    const job = await read(id);
    expect(job.ended_at, JSON.stringify(job)).not.toBeNull();
    return job;
  }, WAIT);

async function descriptions(): Promise<(string | null)[]> {
  const rows = await world.t.database.db.selectFrom('policies').select('description').execute();
  return rows.map(({ description }) => description);
}

/** Starts, takes something away while the first step runs, and expects that the second never writes. */
async function refusedAfter(actor: JobActor, given: Params, takeAway: () => Promise<unknown>): Promise<string> {
  const { id } = await start(actor, given);
  await Promise.race([begun.promise, untilOver(id).then((job) => Promise.reject(new Error(JSON.stringify(job))))]);
  await takeAway();
  gate.resolve();
  const job = await untilOver(id);
  expect([job.status, job.error.code]).toEqual(['failed', 'job.forbidden']);
  expect(await descriptions()).not.toContain('written by a job');
  return job.error.message;
}

const grant = (of: TestCaller, kind: ResourceKind, id: string, level: Level) =>
  world.grant({ kind: 'user', id: of.userId }, { kind, id }, level);
const revoke = (of: TestCaller) =>
  world.t.database.db.deleteFrom('permissions').where('user_id', '=', of.userId).execute();
const membershipOf = ({ userId }: TestCaller) => `/api/v3/setting/users/${userId}/memberships/${world.t.project}`;

describe('a job ends as failed, with the reason and without a word written, when its person meanwhile', () => {
  it.each<[string, string, (editor: TestCaller) => Promise<unknown>]>([
    [
      'was switched off',
      'switched off',
      ({ userId }) => world.t.owner.call('PATCH', `/api/v3/setting/users/${userId}`, { active: false }),
    ],
    ['was taken out of the project', 'no role', (editor) => world.t.owner.call('DELETE', membershipOf(editor))],
    ['became a viewer', 'viewer', (editor) => world.t.owner.call('PUT', membershipOf(editor), { role: 'viewer' })],
    ['lost the permission on what it works on', 'no permission to change this policy', (editor) => revoke(editor)],
  ])('%s', async (_, reason, takeAway) => {
    const editor = await world.member('editor');
    await grant(editor, 'policy', world.shown.policy, 'change');
    const message = await refusedAfter(actorOf(editor), { policy: world.shown.policy }, () => takeAway(editor));
    expect(message).toContain(reason);
  });
});

it('a job of a token ends likewise: with the holder’s role, the holder’s permissions and the token itself', async () => {
  const { t } = world;
  const tokenOf = async (holder: TestCaller): Promise<JobActor> => {
    const made = await holder.call('POST', `/api/v3/setting/tokens?project=${t.project}`, {
      name: createId(),
      role: 'editor',
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return { kind: 'token', id: made.body.id, name: made.body.name };
  };
  const given = { policy: world.shown.policy };
  const demoted = await world.member('admin');
  const token = await tokenOf(demoted);
  const role = (to: string) => t.owner.call('PUT', membershipOf(demoted), { role: to });
  expect(await refusedAfter(token, given, () => role('viewer'))).toContain('viewer');

  // An editor now, who was given nothing: what the token reaches is what its holder reaches.
  await role('editor');
  expect((await start(token, given).then(({ id }) => untilOver(id))).error.message).toContain('no permission');

  const whole = await world.member('admin');
  const gone = await tokenOf(whole);
  begun = Promise.withResolvers();
  gate = Promise.withResolvers();
  const remove = () => whole.call('DELETE', `/api/v3/setting/tokens/${gone.id}?project=${t.project}`);
  expect(await refusedAfter(gone, given, remove)).toContain('gone');
});

it('who holds what it needs has it done', async () => {
  const editor = await world.member('editor');
  await grant(editor, 'policy', world.shown.policy, 'change');
  gate.resolve();
  for (const of of [type, small]) {
    const { id } = await start(actorOf(editor), { policy: world.shown.policy }, of);
    expect((await untilOver(id)).status).toBe('done');
  }
  expect(await descriptions()).toContain('written by a job');
  await world.t.database.db.updateTable('policies').set({ description: null }).execute();
});

it('what a step forgot to ask for, the database does not let it change: not beyond permissions, not in another project', async () => {
  const { t } = world;
  const editor = await world.member('editor');
  await grant(editor, 'policy', world.shown.policy, 'change');
  gate.resolve();
  write = (tx) => describePolicy(tx, world.hidden.policy);
  for (const of of [type, small]) {
    const held = await untilOver((await start(actorOf(editor), {}, of)).id);
    expect([held.status, held.error.code], of.type).toEqual(['failed', 'job.forbidden']);
  }
  expect(await descriptions()).not.toContain('written by a job');

  const other = await t.createProject(`other ${createId()}`);
  const now = new Date();
  write = async (tx) => {
    // Its rows are not there to be changed, and none can be made.
    const found = await tx
      .updateTable('projects')
      .set({ description: 'taken' })
      .where('id', '=', other)
      .executeTakeFirst();
    expect(found.numUpdatedRows).toBe(0n);
    const row = { id: createId(), project_id: other, name: 'planted', created_at: now, updated_at: now };
    await sql`insert into groups (id, project_id, name, created_at, updated_at)
      values (${row.id}, ${row.project_id}, ${row.name}, ${now}, ${now})`.execute(tx);
  };
  const planted = await untilOver((await start(actorOf(t.owner))).id);
  expect([planted.status, planted.error.code]).toEqual(['failed', 'job.forbidden']);
  expect(await t.database.db.selectFrom('groups').select('id').where('project_id', '=', other).execute()).toEqual([]);
});

it('not done again by who does not reach what it works on any more', async () => {
  const { t } = world;
  const editor = await world.member('editor');
  await grant(editor, 'policy', world.shown.policy, 'change');
  gate.resolve();
  const { id } = await start(actorOf(editor), { policy: world.shown.policy });
  await untilOver(id);
  await revoke(editor);
  const again = await editor.call('POST', `/api/v3/jobs/${id}/retry?project=${t.project}`, {});
  expect([again.status, again.body.code]).toEqual([403, 'job.forbidden']);
  await t.database.db.updateTable('policies').set({ description: null }).execute();
});
