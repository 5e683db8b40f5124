import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, hostFacts, registerClient, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

const set = (id: string, labels: unknown, by: TestCaller = t.owner, query = '') =>
  by.call('PATCH', `/api/op/clients/${id}/labels?project=${t.project}${query}`, { labels });
const read = async (id: string) => (await t.owner.call('GET', `/api/op/clients/${id}?project=${t.project}`)).body;
const valuesOf = async (id: string) =>
  Object.fromEntries((await read(id)).labels.map(({ key, value }: { key: string; value: string }) => [key, value]));

describe('labels of a client', () => {
  it('are set and removed one by one, with who did it', async () => {
    const id = await t.createClient();
    const first = await set(id, { site: 'fra', env: 'prod', team: '' });
    expect(first.status).toBe(200);
    expect(first.body.labels).toMatchObject([
      { key: 'env', value: 'prod', origin: 'operator', set_by: t.owner.username, set_at: expect.any(String) },
      { key: 'site', value: 'fra' },
      { key: 'team', value: '' },
    ]);
    await set(id, { site: 'ams', env: null, absent: null });
    expect(await valuesOf(id)).toEqual({ site: 'ams', team: '' });
    const [entry] = (await t.owner.call('GET', `/api/v3/audit/logs?project=${t.project}&action=client.label`)).body
      .items;
    expect(entry).toMatchObject({ action: 'client.label', outcome: 'done' });
  });

  it('that were given at enrolment keep their origin until somebody changes them', async () => {
    const id = await registerClient(t, hostFacts({ labels: { site: 'fra', rack: '7' } }));
    const admin = await t.createMember('admin');
    const { body } = await set(id, { site: 'fra', rack: '8' }, admin);
    expect(body.labels).toMatchObject([
      { key: 'rack', value: '8', origin: 'operator', set_by: admin.username },
      { key: 'site', value: 'fra', origin: 'host', set_by: null },
    ]);
  });

  it('stay when the agent reconnects with other ones', async () => {
    const id = await registerClient(t, hostFacts({ labels: { site: 'fra' } }));
    await t.controller.fleet.clients.recordFacts(id, hostFacts({ labels: { site: 'evil', more: '1' } }), new Date());
    expect(await valuesOf(id)).toEqual({ site: 'fra' });
  });

  it('are not lost when several people change them at once', async () => {
    const id = await t.createClient();
    const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`);
    await Promise.all(keys.map((key) => set(id, { [key]: 'x' })));
    expect(Object.keys(await valuesOf(id)).toSorted()).toEqual(keys.toSorted());
  });

  it('are unchanged by a dry run', async () => {
    const id = await t.createClient();
    const dry = await set(id, { env: 'prod' }, t.owner, '&dry_run=true');
    expect(dry.status).toBe(200);
    expect(await valuesOf(id)).toEqual({});
  });

  it('may be set by owners and admins of the project only', async () => {
    const id = await t.createClient();
    for (const role of ['editor', 'viewer'] as const) {
      const member = await t.createMember(role);
      expect((await set(id, { env: role }, member)).body.code, role).toBe('role.forbidden');
      const list = `/api/op/client-labels?project=${t.project}`;
      expect((await member.call('GET', list)).body.code, role).toBe('role.forbidden');
    }
    expect((await set(id, { env: 'admin' }, await t.createMember('admin'))).status).toBe(200);
    const other = await t.createProject(`other-${createId()}`);
    const stranger = await t.createMember('admin', other);
    expect((await set(id, { env: 'stranger' }, stranger)).status).toBe(403);
    const own = await stranger.call('PATCH', `/api/op/clients/${id}/labels?project=${other}`, { labels: { a: 'b' } });
    expect(own.body.code).toBe('record.not_found');
    expect(await valuesOf(id)).toEqual({ env: 'admin' });
  });
});

describe('hostile labels', () => {
  it.each<[string, unknown]>([
    ['a key with a blank', { 'a b': '1' }],
    ['a key with an equals sign', { 'a=b': '1' }],
    ['a key in capitals', { Env: '1' }],
    ['an empty key', { '': '1' }],
    ['a key with markup', { '<b>': '1' }],
    ['a key with a trailing newline', { 'env\n': '1' }],
    ['a key of 64 characters', { ['k'.repeat(64)]: '1' }],
    ['a value of 129 characters', { env: 'v'.repeat(129) }],
    ['a value with a newline', { env: 'a\nb' }],
    ['a value with an escape sequence', { env: '\u001b[31m' }],
    ['a value that turns the direction of text', { env: '\u202Egnp' }],
    ['a value with an invisible character', { env: 'pro\u200Bd' }],
    ['a value with a line separator', { env: 'a\u2028b' }],
    ['a value with a trailing blank', { env: 'a ' }],
    ['a value that is no text', { env: 7 }],
    ['a value that is an object', { env: { a: 1 } }],
    ['a list', ['env']],
    ['too many at once', Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, 'v']))],
  ])('are refused with the field: %s', async (_, labels) => {
    const id = await t.createClient();
    const answer = await set(id, labels);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'request.invalid',
      details: [{ path: expect.stringMatching(/labels/) }],
    });
    expect(await valuesOf(id)).toEqual({});
  });

  it('with text that the database cannot store are refused, too', async () => {
    const id = await t.createClient();
    for (const value of ['a\u0000b', '\ud800']) expect((await set(id, { env: value })).status).toBe(400);
    expect(await valuesOf(id)).toEqual({});
  });

  it('of the names of built-in members are labels like all others', async () => {
    const id = await t.createClient();
    const raw = '{"labels":{"constructor":"x","valueof":"y"}}';
    expect((await set(id, JSON.parse(raw).labels)).status).toBe(200);
    expect(await valuesOf(id)).toEqual({ constructor: 'x', valueof: 'y' });
    await set(id, JSON.parse('{"__proto__":"z"}'));
    expect(await valuesOf(id)).toEqual({ constructor: 'x', valueof: 'y' });
  });

  it('with markup are kept as they are', async () => {
    const id = await t.createClient();
    const value = `<img src=x onerror="alert(1)"> '; drop table clients; -- $(id) =`;
    await set(id, { note: value });
    expect(await valuesOf(id)).toEqual({ note: value });
    const url = `/api/op/clients?project=${t.project}&label=${encodeURIComponent(`note=${value}`)}`;
    expect((await t.owner.call('GET', url)).body.items).toMatchObject([{ client_id: id, labels: { note: value } }]);
  });

  it('do not grow beyond the limit over several requests', async () => {
    const id = await t.createClient();
    const many = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${from + n}`, 'v']));
    expect((await set(id, many(0, 60))).status).toBe(200);
    const refused = await set(id, many(60, 5));
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'client.labels_full', message: expect.stringContaining('65') });
    expect((await set(id, { ...many(60, 5), k0: null })).status).toBe(200);
    expect(Object.keys(await valuesOf(id))).toHaveLength(64);
  });

  it('of an agent are left out', async () => {
    const labels = {
      ok: 'yes',
      'NOT OK': 'no',
      bad: 'a\nb',
      long: 'v'.repeat(1000),
      ...Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, 'v'])),
    };
    const given = await valuesOf(await registerClient(t, hostFacts({ labels })));
    expect(Object.keys(given)).toHaveLength(64);
    expect(given).toMatchObject({ ok: 'yes' });
    expect(Object.keys(given)).not.toEqual(expect.arrayContaining(['bad']));
    expect(Object.keys(given)).not.toEqual(expect.arrayContaining(['long']));
  });
});

describe('the list of clients', () => {
  it('is narrowed by labels, which all have to match', async () => {
    const project = await t.createProject(`labels-${createId()}`);
    const create = (name: string, labels: Record<string, string>) =>
      registerClient(t, hostFacts({ name, labels }), project);
    await create('a', { env: 'prod', site: 'fra' });
    await create('b', { env: 'prod', site: 'ams', 'note.x': 'k=v' });
    await create('c', { env: 'test' });
    const find = async (query: string) => {
      const { body } = await t.owner.call('GET', `/api/op/clients?project=${project}&with_total=true${query}`);
      return [body.total, body.items.map(({ name }: { name: string }) => name).join('')];
    };
    expect(await find('&label=env%3Dprod')).toEqual([2, 'ab']);
    expect(await find('&label=env%3Dprod&label=site%3Dams')).toEqual([1, 'b']);
    expect(await find('&label=env%3Dprod&label=env%3Dtest')).toEqual([0, '']);
    expect(await find('&label=site')).toEqual([2, 'ab']);
    expect(await find('&label=note.x%3Dk%3Dv')).toEqual([1, 'b']);
    expect(await find('&label=env%3Dpro')).toEqual([0, '']);
    expect(await find('&label=env%3D')).toEqual([0, '']);
    expect(await find('&q=site%3Df')).toEqual([1, 'a']);
    expect(await find('&q=AMS')).toEqual([1, 'b']);
    for (const bad of ['%3Dprod', 'a+b%3Dc', 'env%3Da%00b', "'%3B--"]) {
      const answer = await t.owner.call('GET', `/api/op/clients?project=${project}&label=${bad}`);
      expect(answer.body.code, bad).toBe('request.invalid');
    }
    const { body } = await t.owner.call('GET', `/api/op/client-labels?project=${project}`);
    expect(body.items.slice(0, 2)).toEqual([
      { key: 'env', value: 'prod', clients: 2 },
      { key: 'env', value: 'test', clients: 1 },
    ]);
    expect(body.items).toHaveLength(5);
  });
});

describe('an enrolment token', () => {
  const url = () => `/api/v3/setting/enrolment-tokens?project=${t.project}`;

  it('has labels for the client that it admits', async () => {
    const created = await t.owner.call('POST', url(), { labels: { env: 'prod' } });
    expect(created.body).toMatchObject({ labels: { env: 'prod' } });
    const one = await t.owner.call('GET', url().replace('?', `/${created.body.id}?`));
    expect(one.body.labels).toEqual({ env: 'prod' });
    expect((await t.owner.call('POST', url(), {})).body.labels).toEqual({});
  });

  it('is refused with labels that are not valid', async () => {
    for (const labels of [{ 'a b': 'c' }, { a: 'b\n' }, { a: null }, { a: 'x'.repeat(200) }]) {
      expect((await t.owner.call('POST', url(), { labels })).body.code).toBe('request.invalid');
    }
  });
});
