import type { RouteContract } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../testing/fleet.ts';
import { fillAddresses, type TestAddresses } from './testing/addresses.ts';
import { name } from './testing/matrix.ts';

/** Rules for all lists: cursors bound to the list, time spans in order, several values per field. */
let t: TestFleet;
let addresses: TestAddresses;

beforeAll(async () => {
  t = await createTestFleet();
  addresses = await fillAddresses(t);
}, 120_000);
afterAll(() => t?.close());

const groups = (more = '', project = t.project) => `/api/v3/setting/groups?project=${project}&limit=1${more}`;
const make = async (path: string, names: readonly string[], project = t.project) => {
  for (const one of names) await t.owner.call('POST', `${path}?project=${project}`, { name: one });
};

/** Every list with pages. */
const lists = () =>
  t.controller.routes.flatMap(({ contract }) => {
    const shape: Record<string, unknown> = contract.query instanceof z.ZodObject ? contract.query.shape : {};
    return contract.method === 'GET' && 'cursor' in shape ? [{ contract, shape }] : [];
  });

const addressOf = (contract: RouteContract, more: Record<string, string>) => {
  const inQuery = contract.project === 'query' || contract.project === 'query_or_all';
  return addresses.of(contract, { ...(inQuery && { project: t.project }), ...more });
};

describe('the cursor of a list', () => {
  it('continues after the previous page, whatever the size of the next', async () => {
    await make('/api/v3/setting/groups', ['a', 'b', 'c']);
    const first = await t.owner.call('GET', groups('&sort=-name'));
    const second = await t.owner.call(
      'GET',
      groups(`&sort=-name&cursor=${first.body.next_cursor}`).replace('limit=1', 'limit=2'),
    );
    expect(second.status, JSON.stringify(second.body)).toBe(200);
    expect(second.body.items).toHaveLength(2);
    expect(second.body.items[0].id).not.toBe(first.body.items[0].id);
  });

  it('is refused by another list, in another project, with another sort, filter or search', async () => {
    const other = await t.createProject('elsewhere');
    await make('/api/v3/setting/groups', ['x', 'y'], other);
    const cursor = (await t.owner.call('GET', groups('&sort=name'))).body.next_cursor;
    expect(cursor).toEqual(expect.any(String));
    for (const url of [
      groups('&sort=name', other),
      groups('&sort=-name'),
      groups(),
      groups('&sort=name&q=team'),
      `/api/v3/setting/tokens?project=${t.project}&sort=name`,
    ]) {
      const refused = await t.owner.call('GET', `${url}&cursor=${cursor}`);
      expect([refused.status, refused.body.code], url).toEqual([400, 'request.invalid']);
      expect(refused.body.details, url).toMatchObject([{ path: 'cursor', rule: 'cursor' }]);
      expect(refused.body.message).toContain('begin without a cursor');
    }
  });

  it('is bound to one collection, and to the history of one document', async () => {
    const secrets = `/api/v3/xds/secrets?project=${t.project}`;
    const resource = { generic_secret: { secret: { inline_string: 'x' } } };
    for (const one of ['one', 'two']) {
      const made = await t.owner.call('POST', secrets, { name: one, version: TEST_VERSION, resource });
      expect(made.status).toBe(201);
      const url = `/api/v3/xds/secrets/${one}?project=${t.project}&version=${TEST_VERSION}`;
      await t.owner.call('PATCH', url, { description: 'other' });
    }
    const { next_cursor: cursor } = (await t.owner.call('GET', `${secrets}&limit=1`)).body;
    const listeners = await t.owner.call('GET', `/api/v3/xds/listeners?project=${t.project}&cursor=${cursor}`);
    expect(listeners.status).toBe(400);
    const history = (one: string) =>
      `/api/v3/xds/secrets/${one}/revisions?project=${t.project}&version=${TEST_VERSION}`;
    const { next_cursor: place } = (await t.owner.call('GET', `${history('one')}&limit=1`)).body;
    expect((await t.owner.call('GET', `${history('one')}&cursor=${place}`)).body.items).toHaveLength(1);
    expect((await t.owner.call('GET', `${history('two')}&cursor=${place}`)).status).toBe(400);
  });

  it('works with sort names of any length', async () => {
    const hosts = `/api/v3/xds/virtual_hosts?project=${t.project}`;
    const long = 'h'.repeat(250);
    await t.owner.call('POST', `/api/v3/xds/routes?project=${t.project}`, {
      name: 'r'.repeat(128),
      version: TEST_VERSION,
      resource: {},
    });
    for (const end of ['a', 'b']) {
      const body = {
        name: `${'r'.repeat(128)}/${long}${end}`,
        version: TEST_VERSION,
        resource: { domains: [`${end}.example.com`] },
      };
      const made = await t.owner.call('POST', hosts, body);
      expect(made.status, JSON.stringify(made.body)).toBe(201);
    }
    const first = await t.owner.call('GET', `${hosts}&limit=1`);
    const second = await t.owner.call('GET', `${hosts}&limit=1&cursor=${first.body.next_cursor}`);
    expect(second.body.items, JSON.stringify(second.body)).toHaveLength(1);
  });

  it('works with the same values of a filter in any order', async () => {
    const list = (more: string) => t.owner.call('GET', `/api/v3/xds/secrets?project=${t.project}&limit=1${more}`);
    const resource = { generic_secret: { secret: { inline_string: 'x' } } };
    for (const name of ['red', 'blue'])
      await t.owner.call('POST', `/api/v3/xds/secrets?project=${t.project}`, { name, version: TEST_VERSION, resource });
    const { next_cursor: cursor } = (await list('&name=red&name=blue')).body;
    const second = await list(`&name=blue&name=red&cursor=${cursor}`);
    expect(second.body.items, JSON.stringify(second.body)).toMatchObject([{ name: 'red' }]);
    expect((await list(`&name=red&cursor=${cursor}`)).status).toBe(400);
  });

  it('is refused by every paged list if it is malformed', async () => {
    const problems: string[] = [];
    for (const { contract } of lists()) {
      const answer = await t.owner.call('GET', addressOf(contract, { cursor: 'AAAAAAAAAAA.WyJhIl0' }));
      const isRefused = answer.status === 400 && JSON.stringify(answer.body.details).includes('"cursor"');
      if (!isRefused) problems.push(`${name(contract)}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    expect(problems).toEqual([]);
    expect(lists().length).toBeGreaterThan(20);
  });
});

it('a time span that ends before it starts is refused by all lists in the same way', async () => {
  const problems: string[] = [];
  let asked = 0;
  for (const { contract } of t.controller.routes) {
    const shape: Record<string, unknown> = contract.query instanceof z.ZodObject ? contract.query.shape : {};
    for (const [from, to, early, late] of [
      ['from', 'to', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
      ['start_time', 'end_time', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
      ['start_date', 'end_date', '2026-01-01', '2026-01-02'],
    ] as const) {
      if (!(from in shape)) continue;
      asked += 1;
      const answer = await t.owner.call('GET', addressOf(contract, { [from]: late, [to]: early }));
      const [detail] = answer.body.details ?? [];
      if (answer.status !== 400 || detail?.path !== to || detail?.rule !== 'range')
        problems.push(`${name(contract)} ${from}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }
  expect(problems).toEqual([]);
  expect(asked).toBeGreaterThan(8);
});

it('lists are filtered by several values of a field like by one', async () => {
  const clients = [await t.createClient('one'), await t.createClient('two')];
  const [first = '', second = ''] = clients;
  for (const [name, client_id] of [
    ['on-one', first],
    ['on-two', second],
    ['on-three', await t.createClient('three')],
  ] as const)
    await t.createService({ name, clients: [{ client_id }] });
  const url = `/api/op/services?project=${t.project}&sort=name`;
  const both = await t.owner.call('GET', `${url}&client_id=${first}&client_id=${second}`);
  expect(both.body.items.map(({ name: one }: { name: string }) => one)).toEqual(['on-one', 'on-two']);
  const tokens = `/api/v3/setting/enrolment-tokens?project=${t.project}`;
  const open = await t.owner.call('GET', `${tokens}&status=open`);
  const either = await t.owner.call('GET', `${tokens}&status=open&status=used`);
  expect(either.body.items).toEqual(open.body.items);
  expect(open.body.items).toHaveLength(1);
  expect((await t.owner.call('GET', `${tokens}&status=void&status=expired`)).body.items).toEqual([]);
});
