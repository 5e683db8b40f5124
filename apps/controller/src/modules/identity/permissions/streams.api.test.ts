import * as contract from '@flotilla/contract';
import { READERS, type RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { JobActor, JobType } from '../../../platform/jobs/index.ts';
import type { TestCaller } from '../../../testing/controller.ts';
import { TEST_VERSION } from '../../../testing/fleet.ts';
import { createEventWorld, type EventWorld } from '../../traffic/events/testing/event-world.ts';
import { createRestrictedWorld, HIDDEN, type RestrictedWorld } from './testing/listed-world.ts';

const WAIT = { interval: 20 };

let w: RestrictedWorld;
let requests: EventWorld;
const opened: { stop(): void }[] = [];
beforeAll(async () => {
  requests = await createEventWorld(async (options) => {
    w = await createRestrictedWorld(options);
    return w.t;
  });
  w.t.controller.jobs.register(TELLING);
}, 120_000);
afterEach(() => {
  for (const stream of opened.splice(0)) stream.stop();
});
afterAll(() => requests?.close());

const TELLING: JobType<object> = {
  type: 'test.telling',
  title: 'Tells of what is hidden',
  params: z.object({}),
  route: null,
  steps: [
    {
      name: 'only',
      effects: 'repeatable',
      run: async (ctx) => {
        await ctx.note({ word: HIDDEN });
        return { kind: 'done' };
      },
    },
  ],
};

async function open(by: TestCaller, path: string) {
  const response = await w.t.app.inject({
    url: `${path}?project=${w.t.project}`,
    headers: { authorization: `Bearer ${by.token}` },
    payloadAsStream: true,
  });
  let text = '';
  const stream = response.stream().on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const reader = { status: response.statusCode, text: () => text, stop: () => stream.destroy() };
  opened.push(reader);
  return reader;
}

/** Every event stream for members of a project, from the route table. */
const STREAMS = Object.entries(contract)
  .flatMap(([name, routes]) => (name.endsWith('Routes') ? Object.values(routes as Record<string, RouteContract>) : []))
  .filter(({ media, access }) => media === 'text/event-stream' && access.kind === 'roles')
  .filter(({ access }) => access.kind === 'roles' && READERS.every((role) => access.roles.includes(role)));

it('the list of event streams is complete', () => {
  expect(STREAMS.map(({ id }) => id).toSorted()).toEqual([
    'streamEvents',
    'streamJobEvents',
    'streamLogs',
    'streamTrafficEvents',
  ]);
});

it('a member who may not see a resource learns that its kind has changed, but not which resource', async () => {
  const [admin, editor] = [await open(w.admin, '/api/v3/events'), await open(w.editor, '/api/v3/events')];
  const project = `project=${w.t.project}`;
  const changes = [
    ['PATCH', `/api/v3/xds/clusters/${HIDDEN}-cluster?${project}&version=${TEST_VERSION}`, { description: 'new' }],
    ['PATCH', `/api/v3/shield/policies/${HIDDEN}-policy?${project}`, { description: 'new' }],
    ['PATCH', `/api/op/services/${w.hidden.service}?${project}`, { listeners: ['one'] }],
    [
      'POST',
      `/api/op/clients?${project}&wait_ms=0`,
      { type: 'DEPLOY', clients: [{ client_id: w.hidden.client }], command: { name: `${HIDDEN}-service` } },
    ],
  ] as const;
  for (const [method, url, body] of changes) {
    const answer = await w.admin.call(method, url, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  }
  await w.t.database.db
    .updateTable('clients')
    .set({ name: `${HIDDEN}-too` })
    .where('id', '=', w.hidden.client)
    .execute();
  // Only admins are notified about services and clients.
  await vi.waitFor(() => {
    for (const topic of ['document', 'policy', 'command']) expect(editor.text()).toContain(`{"topic":"${topic}"}`);
    for (const text of [`${HIDDEN}-cluster`, `${HIDDEN}-policy`, w.hidden.service, w.hidden.client])
      expect(admin.text()).toContain(text);
  }, WAIT);
  for (const text of [HIDDEN, ...Object.values(w.hidden)]) expect(editor.text()).not.toContain(text);
});

it('the stream of a job is for its starter, and looks to others like that of an unknown job', async () => {
  const start = async (by: TestCaller) => {
    const actor: JobActor = { kind: 'user', id: by.userId, name: by.username };
    const order = { params: {}, project: w.t.project, actor };
    return (await w.t.database.db.transaction().execute((tx) => w.t.controller.jobs.enqueue(tx, TELLING, order))).id;
  };
  const [theirs, own] = [await start(w.admin), await start(w.editor)];
  const heard = await open(w.admin, `/api/v3/jobs/${theirs}/events`);
  await vi.waitFor(() => expect(heard.text()).toContain(HIDDEN), WAIT);
  for (const id of [theirs, createId()]) {
    const refused = await open(w.editor, `/api/v3/jobs/${id}/events`);
    await vi.waitFor(() => expect(refused.text()).toContain('record.not_found'), WAIT);
    expect([refused.status, refused.text().includes(HIDDEN)]).toEqual([404, false]);
  }
  expect((await open(w.editor, `/api/v3/jobs/${own}/events`)).status).toBe(200);
});

it('the requests of a hidden service are not streamed', async () => {
  const path = '/api/v3/inventory/events/live';
  const [all, own] = [await open(w.admin, path), await open(w.editor, path)];
  const append = (name: string, { service, client }: RestrictedWorld['shown'], timeMs: number) =>
    requests.append([requests.event({ service, client, host: `${name}.test`, timeMs })]);
  await append(HIDDEN, w.hidden, Date.now());
  await vi.waitFor(() => expect(all.text()).toContain(HIDDEN), WAIT);
  await append('shown', w.shown, Date.now());
  await vi.waitFor(() => expect(own.text()).toContain('shown.test'), WAIT);
  expect(own.text()).not.toContain(HIDDEN);
});
