import { createId } from '@flotilla/kit';
import { isRunning } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openController, type TestCaller } from '../../testing/controller.ts';
import { createTestFleet, TEST_FLEET_ENV, TEST_VERSION, type TestFleet } from '../../testing/fleet.ts';
import type { LargeRequestLimits } from './large-requests.ts';

let t: TestFleet;
/** A controller of the same installation that handles everything in its own process. */
let here: Awaited<ReturnType<typeof openController>>;
let viewer: TestCaller;
let editor: TestCaller;

beforeAll(async () => {
  t = await createTestFleet();
  here = await openController(t.database, TEST_FLEET_ENV, { largeRequests: false });
  viewer = await t.createMember('viewer');
  editor = await t.createMember('editor');
});
afterAll(async () => {
  await here.close();
  await t.close();
});

const PAD = 'x'.repeat(70_000);
const endpoints = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    endpoint: { address: { socket_address: { address: `10.0.${i >> 8}.${i & 255}`, port_value: 8080 } } },
  }));
const cluster = (count: number, more: object = {}) => ({
  type: 'STATIC',
  load_assignment: { cluster_name: 'c', endpoints: [{ lb_endpoints: endpoints(count) }] },
  ...more,
});
const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));

async function post(app: TestFleet['app'], url: string, payload: string, caller: TestCaller) {
  const headers = {
    authorization: `Bearer ${caller.token}`,
    'content-type': 'application/json',
    'x-request-id': 'the-same-for-both',
  };
  const response = await app.inject({ method: 'POST', url, headers, payload });
  const { date: _, connection: __, ...rest } = response.headers;
  return { status: response.statusCode, headers: rest, body: response.body };
}

describe('a large request (attack 8, fault H1)', () => {
  const inCheck = (resource: unknown, more: object = {}) =>
    JSON.stringify({ project: t.project, version: TEST_VERSION, collection: 'clusters', name: 'c', resource, ...more });
  const check = '/api/v3/schema/check';
  const create = () => `/api/v3/xds/clusters?project=${t.project}`;

  it.each<[string, () => [string, string, TestCaller?]]>([
    ['a good document', () => [check, inCheck(cluster(2000))]],
    ['a document with unknown fields', () => [check, inCheck({ ...cluster(1), ...unknown(20_000) })]],
    ['a document with mistakes everywhere', () => [check, inCheck(cluster(1, { outlier_detection: PAD, name: 7 }))]],
    ['a document in no list of documents', () => [check, inCheck(cluster(2000), { collection: 'clsters' })]],
    ['an unknown member', () => [check, inCheck(cluster(1), { colection: PAD })]],
    ['the project at the end', () => [check, `{"resource":{"a":"${PAD}"},"version":"1","project":"${t.project}"}`]],
    ['no project', () => [check, JSON.stringify({ resource: { a: PAD } })]],
    ['a project of others', () => [check, JSON.stringify({ project: createId(), resource: { a: PAD } })]],
    ['text that is not JSON', () => [check, `{"project":"${t.project}","a":${PAD}}`]],
    ['a member twice', () => [check, `{"project":"${t.project}","a":1,"a":"${PAD}"}`]],
    ['a list', () => [check, JSON.stringify([PAD])]],
    [
      'a write that is refused',
      () => [create(), JSON.stringify({ name: 'c', version: TEST_VERSION, resource: unknown(9000) }), editor],
    ],
    [
      'a write by a viewer',
      () => [create(), JSON.stringify({ name: 'c', version: TEST_VERSION, resource: cluster(2000) })],
    ],
    [
      'an empty batch',
      () => ['/api/v3/xds/apply', JSON.stringify({ project: t.project, documents: [], pad: PAD }), editor],
    ],
    [
      'an invalid policy',
      () => [`/api/v3/shield/policies?project=${t.project}`, JSON.stringify({ text: `a: ${PAD}` }), t.owner],
    ],
    ['a service', () => [`/api/op/services?project=${t.project}`, JSON.stringify({ name: PAD }), editor]],
  ])('is answered like in this process: %s', async (_, make) => {
    const [url, payload, caller = viewer] = make();
    const elsewhere = await post(t.app, url, payload, caller);
    expect(elsewhere).toEqual(await post(here.controller.app, url, payload, caller));
    expect(elsewhere.body).not.toContain('internal.failure');
  });

  it('writes the document, its revision and its audit entry, and notifies others', async () => {
    const name = 'large-1';
    const body = { name, version: TEST_VERSION, resource: cluster(3000) };
    const key = { 'idempotency-key': createId() };
    const made = await editor.call('POST', create(), body, key);
    expect(made.status).toBe(201);
    expect(made.headers.location).toContain(`/api/v3/xds/clusters/${name}`);
    expect((await editor.call('POST', create(), body, key)).body).toEqual(made.body);
    const url = `/api/v3/xds/clusters/${name}?project=${t.project}&version=${TEST_VERSION}`;
    const read = await viewer.call('GET', url);
    expect(read).toMatchObject({ status: 200, body: made.body, headers: { etag: made.headers.etag } });
    // A small request about a large document.
    const stale = await editor.call('PATCH', url, { description: 'new' }, { 'if-match': '"7"' });
    expect(stale).toMatchObject({ status: 412, body: { code: 'record.stale' } });
    const changed = await editor.call('PATCH', url, { resource: { connect_timeout: '3s' } });
    expect(changed).toMatchObject({ status: 200, body: { revision: 2, resource: { connect_timeout: '3s' } } });
    const old = await viewer.call('GET', url.replace('?', '/revisions/1?'));
    expect(old.body.resource).toEqual(made.body.resource);
    const restored = await editor.call('POST', url.replace('?', '/restore?'), { revision: 1 });
    expect(restored).toMatchObject({ status: 200, body: { revision: 3, resource: made.body.resource } });
    const records = await t.owner.call('GET', `/api/v3/audit/logs?project=${t.project}&resource_id=${made.body.id}`);
    expect(records.body.items.map(({ action }: { action: string }) => action)).toEqual([
      'document.restore',
      'document.patch',
      'document.create',
    ]);
    expect(records.body.items[0]).toMatchObject({ outcome: 'done', request: { client_ip: '127.0.0.1' } });
  });
});

// These start processes from the sources, which is slow on a busy machine.
describe('large requests (attack 8)', { timeout: 300_000 }, () => {
  async function open(largeRequests: Partial<LargeRequestLimits>) {
    const { controller, close } = await openController(t.database, TEST_FLEET_ENV, { largeRequests });
    onTestFinished(close);
    return controller.app;
  }
  const body = () =>
    JSON.stringify({ project: t.project, version: TEST_VERSION, collection: 'clusters', resource: cluster(2000) });
  const check = '/api/v3/schema/check';

  it('are limited per caller, who learns when to retry, and others are answered', async () => {
    const app = await open({ processes: 1, perCallerMax: 1 });
    const answers = await Promise.all([viewer, viewer, editor].map((caller) => post(app, check, body(), caller)));
    const refused = answers.find(({ status }) => status === 429);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429]);
    expect(answers[2]?.status).toBe(200);
    expect(refused?.headers['retry-after']).toBe('2');
    expect(JSON.parse(refused?.body ?? '')).toMatchObject({ code: 'request.too_many_large', retry_after: 2 });
    expect((await post(app, check, body(), viewer)).status).toBe(200);
  });

  it('are limited per project, and in total', async () => {
    const ofProject = await open({ processes: 1, perProjectMax: 2 });
    const callers = [viewer, editor, t.owner];
    const answers = await Promise.all(callers.map((caller) => post(ofProject, check, body(), caller)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429]);
    const ofAll = await open({ processes: 1, jobsMax: 1 });
    const codes = await Promise.all(callers.map((caller) => post(ofAll, check, body(), caller)));
    expect(codes.map(({ status }) => status).toSorted()).toEqual([200, 503, 503]);
    expect(codes.find(({ status }) => status === 503)?.headers['retry-after']).toBe('2');
  });

  it('are cancelled if they take too long or too much memory, and the next one is handled', async () => {
    const slow = await open({ deadlineMs: 1 });
    expect(JSON.parse((await post(slow, check, body(), viewer)).body)).toMatchObject({ code: 'request.too_slow' });
    const heavy = await open({ memoryMb: 200 });
    const many = body().replace('"type":"STATIC"', `"a":[${'{},'.repeat(2_600_000)}1]`);
    expect(JSON.parse((await post(heavy, check, many, viewer)).body)).toMatchObject({ code: 'request.too_heavy' });
    expect((await post(heavy, check, body(), viewer)).status).toBe(200);
  });

  it('of one project do not delay those of another', async () => {
    const other = await t.createProject('other');
    const outsider = await t.createMember('viewer', other);
    const app = await open({ processes: 2, perCallerMax: 8 });
    // Waits until both processes run.
    await Promise.all([post(app, check, body(), viewer), post(app, check, body().replace(t.project, other), outsider)]);
    const done: string[] = [];
    const many = Array.from({ length: 8 }, async () => {
      await post(app, check, body(), viewer);
      done.push('viewer');
    });
    const one = post(app, check, body().replace(t.project, other), outsider).then(() => done.push('outsider'));
    await Promise.all([...many, one]);
    // In the order of arrival it would be one of the last two.
    expect(done.indexOf('outsider')).toBeLessThan(5);
  });

  it('run in processes that end with the controller', async () => {
    const { controller, close } = await openController(t.database, TEST_FLEET_ENV);
    const { largeRequests } = controller;
    expect(largeRequests?.pid).toBeUndefined();
    expect((await post(controller.app, check, body(), viewer)).status).toBe(200);
    const pid = largeRequests?.pid ?? 0;
    expect(await isRunning(pid)).toBe(true);
    await close();
    expect(await isRunning(pid)).toBe(false);
  });
});
