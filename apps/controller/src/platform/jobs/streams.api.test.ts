import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createTestController, type TestCaller, type TestController } from '../../testing/controller.ts';
import type { JobType } from './model.ts';

let t: TestController;
let gate: PromiseWithResolvers<void>;
const type: JobType<object> = {
  type: 'test.watched',
  title: 'Continues on demand',
  params: z.object({}),
  route: null,
  steps: [
    {
      name: 'only',
      effects: 'repeatable',
      run: async (ctx) => {
        await ctx.note({ word: 'begun' });
        await gate.promise;
        await ctx.note({ word: 'gone on' });
        return { kind: 'done' };
      },
    },
  ],
};

beforeAll(async () => {
  t = await createTestController();
  t.controller.jobs.register(type);
});
afterAll(() => t.close());

async function start(): Promise<string> {
  gate = Promise.withResolvers<void>();
  const actor = { kind: 'system', id: null, name: 'test' } as const;
  const order = { params: {}, project: t.project, actor };
  return (await t.database.db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, type, order))).id;
}

/** Opens a stream of events and returns what has arrived so far. */
async function watch(caller: TestCaller, id: string, lastEventId?: number) {
  const response = await t.app.inject({
    method: 'GET',
    url: `/api/v3/jobs/${id}/events?project=${t.project}`,
    headers: {
      authorization: `Bearer ${caller.token}`,
      ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
    },
    payloadAsStream: true,
  });
  const stream = response.stream();
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = new Promise<void>((resolve) => stream.once('close', resolve));
  const frames = () =>
    text
      .split('\n\n')
      .filter((frame) => frame !== '')
      .map((frame) =>
        Object.fromEntries(
          frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        ),
      );
  return {
    status: response.statusCode,
    ended,
    jobs: () =>
      frames().flatMap(({ event, id: seq, data = '' }) =>
        event === 'job' ? [{ seq: Number(seq), ...JSON.parse(data) }] : [],
      ),
    last: () => frames().at(-1),
    stop: () => stream.destroy(),
  };
}

const words = (events: readonly { data: { word?: string } }[]) => events.flatMap(({ data }) => data.word ?? []);

it('a listener that reconnects receives what it missed, once, and the stream ends with the job', async () => {
  const id = await start();
  const first = await watch(t.owner, id);
  expect(first.status).toBe(200);
  await vi.waitFor(() => expect(words(first.jobs())).toEqual(['begun']));
  first.stop();
  const seen = first.jobs();
  gate.resolve();
  const second = await watch(t.owner, id, seen.at(-1)?.seq);
  await second.ended;
  const all = [...seen, ...second.jobs()];
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, i) => i + 1));
  expect(words(all)).toEqual(['begun', 'gone on']);
  expect(all.at(-1)).toMatchObject({ kind: 'ended', data: { status: 'done' } });
  expect(second.last()).toMatchObject({ event: 'end', data: '{"reason":"done"}' });
  const late = await watch(t.owner, id, all.length);
  await late.ended;
  expect(late.jobs()).toEqual([]);
  const whole = await watch(t.owner, id);
  await whole.ended;
  expect(whole.jobs()).toEqual(all);
});

it('the stream ends for a caller who is not admitted any more', async () => {
  const admin = await t.createMember('admin');
  const id = await start();
  const stream = await watch(admin, id);
  expect(stream.status).toBe(200);
  await t.database.db.deleteFrom('memberships').where('user_id', '=', admin.userId).execute();
  await stream.ended;
  expect(stream.last()).toMatchObject({ event: 'end', data: '{"reason":"session"}' });
  gate.resolve();
  expect((await watch(admin, id)).status).toBe(403);
});

it('the stream continues for a token with the scope of jobs, and ends for one that lost it', async () => {
  const make = async (name: string) => {
    const body = { name, role: 'admin', families: ['jobs'] };
    const made = await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, body);
    return { ...t.owner, token: made.body.token as string };
  };
  const [kept, narrowed] = [await make('kept'), await make('narrowed')];
  const id = await start();
  const [stays, ends] = [await watch(kept, id), await watch(narrowed, id)];
  expect([stays.status, ends.status]).toEqual([200, 200]);
  await t.database.db
    .updateTable('api_tokens')
    .set({ families: ['audit'] })
    .where('name', '=', 'narrowed')
    .execute();
  // The same check ends both streams.
  await ends.ended;
  expect(ends.last()).toMatchObject({ event: 'end', data: '{"reason":"session"}' });
  gate.resolve();
  await stays.ended;
  expect(words(stays.jobs())).toEqual(['begun', 'gone on']);
  expect(stays.last()).toMatchObject({ event: 'end', data: '{"reason":"done"}' });
});

it('the stream is refused for an invalid event number, and for an unknown job', async () => {
  expect((await watch(t.owner, createId())).status).toBe(404);
  const id = await start();
  gate.resolve();
  const stream = await watch(t.owner, id, Number.NaN);
  await stream.ended;
  expect(stream.jobs().at(-1)).toMatchObject({ kind: 'ended' });
});

/** Opens the project's event stream and returns the job events. */
async function listen(caller: TestCaller, project: string) {
  const response = await t.app.inject({
    method: 'GET',
    url: `/api/v3/events?project=${project}`,
    headers: { authorization: `Bearer ${caller.token}` },
    payloadAsStream: true,
  });
  expect(response.statusCode).toBe(200);
  let text = '';
  const stream = response.stream().on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const count = () => text.split('data: {"topic":"job"}').length - 1;
  return { count, stop: () => stream.destroy() };
}

it('listeners of the list learn that it has changed, in their own project only', async () => {
  const other = await t.createProject('elsewhere');
  const viewer = await t.createMember('viewer');
  const [mine, theirs] = [await listen(viewer, t.project), await listen(t.owner, other)];
  const id = await start();
  await vi.waitFor(() => expect(mine.count()).toBeGreaterThan(0));
  const stream = await watch(t.owner, id);
  const before = mine.count();
  gate.resolve();
  await stream.ended;
  await vi.waitFor(() => expect(mine.count()).toBeGreaterThan(before));
  expect(theirs.count()).toBe(0);
  mine.stop();
  theirs.stop();
});
