import { EDITORS, type Level, type ResourceKind } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import {
  createRestrictedWorld,
  type RestrictedWorld,
} from '../../modules/identity/permissions/testing/listed-world.ts';
import type { TestCaller } from '../../testing/controller.ts';
import type { JobActor, JobType } from './model.ts';

/** The rights of a job are checked while it runs: those of its actor, in a project with restricted access. */
const params = z.object({
  policy: z.uuid().optional(),
  level: z.enum(['view', 'use', 'change']).optional(),
});
type Params = z.infer<typeof params>;

let world: RestrictedWorld;
let gate: PromiseWithResolvers<void>;
let begun: PromiseWithResolvers<void>;
/** The write of the second step. */
let write: (tx: Tx) => Promise<void>;
const WAIT = { interval: 25 };

const type: JobType<Params> = {
  type: 'test.held',
  title: 'Waits, then writes',
  params,
  route: { family: 'jobs', access: { kind: 'roles', roles: EDITORS } },
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
  world = await createRestrictedWorld();
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

/** Starts a job, removes a right during the first step, and expects that the second step writes nothing. */
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

describe('a job ends as failed, with the reason and without a write, if its actor in the meantime', () => {
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

it('a job of a token ends in the same way with the holder’s role, the holder’s permissions and the token itself', async () => {
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

  // The holder is now an editor without permissions; the token may access only what its holder may.
  await role('editor');
  expect((await start(token, given).then(({ id }) => untilOver(id))).error.message).toContain('no permission');

  const whole = await world.member('admin');
  const gone = await tokenOf(whole);
  begun = Promise.withResolvers();
  gate = Promise.withResolvers();
  const remove = () => whole.call('DELETE', `/api/v3/setting/tokens/${gone.id}?project=${t.project}`);
  expect(await refusedAfter(gone, given, remove)).toContain('gone');
});

it('a job of an actor with the needed rights succeeds', async () => {
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

it('the database refuses what a step forgot to check: beyond permissions, and in another project', async () => {
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
    // Rows of the project are invisible to it, and it cannot insert any.
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

it('an actor who lost access to the resource cannot run the job again', async () => {
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
