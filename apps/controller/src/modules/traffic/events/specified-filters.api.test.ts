import { INVENTORY_ENDPOINT_CATEGORIES, INVENTORY_METHODS } from '@flotilla/contract';
import { type OperationDelta, toOperationId } from '@flotilla/inventory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyBatches } from '../inventory/index.ts';
import { createDelta, daysAgo } from '../inventory/testing/deltas.ts';
import { createEventWorld, type EventWorld, hashOf } from './testing/event-world.ts';

const DAY_MS = 86_400_000;
const ADDRESS = '2001:db8::7';
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64)';

let w: EventWorld;

interface Item {
  readonly method: string;
  readonly host: string;
  readonly normalized_path: string;
}

const nameOf = ({ method, host, normalized_path: path }: Item) => `${method} ${host}${path}`;

/** Names of what a list has, sorted. */
async function list(query: string | Record<string, string | readonly string[]> = {}, view = ''): Promise<string[]> {
  const given = typeof query === 'string' ? Object.fromEntries(new URLSearchParams(query)) : query;
  const { items } = await w.get(view, given);
  return items.map(nameOf).toSorted();
}

async function apply(deltas: readonly OperationDelta[]): Promise<void> {
  const { db } = w.t.database;
  const place = { projectId: w.t.project, clientId: w.client, serviceId: w.service.id };
  await applyBatches(db, [{ ...place, epoch: 'e', sequence: 1, deltas, now: new Date() }]);
}

/** An event of an operation in the catalogue. */
function eventOf(delta: OperationDelta, changes: Parameters<EventWorld['event']>[0]) {
  return w.event({ operationId: toOperationId(w.t.project, delta.key), ...changes });
}

beforeAll(async () => {
  w = await createEventWorld();
  const orders = createDelta('GET shop.example/orders', { seen: 40 });
  const carts = createDelta('PUT shop.example/carts/{id}', { seen: 4 });
  const old = createDelta('DELETE shop.example/orders', { seen: 5, atMs: daysAgo(20) });
  await apply([
    orders,
    carts,
    old,
    ...INVENTORY_METHODS.map((method) => createDelta(`${method} methods.example/`)),
    ...INVENTORY_ENDPOINT_CATEGORIES.map((category) =>
      createDelta(`GET categories.example/${category}`, { categories: [category] }),
    ),
    createDelta('POST categories.example/two', { categories: ['auth_endpoint', 'account_management'] }),
    createDelta('GET shop.example/.env', { confirmed: false, seen: 9 }),
  ]);
  await w.append([
    eventOf(orders, { country: 'BR', asn: 64_500, source: hashOf(w.t.project, ADDRESS) }),
    eventOf(carts, { country: 'NL', asn: 64_501, userAgent: hashOf(w.t.project, AGENT, 'key-1') }),
    eventOf(old, { country: 'BR', asn: 64_501, timeMs: w.nowMs - 8 * DAY_MS, source: hashOf(w.t.project, ADDRESS) }),
  ]);
}, 120_000);
afterAll(() => w?.close());

describe('a filter of the inventory', () => {
  it('chooses the confirmed operations or the attack surface', async () => {
    expect(await list({ host: 'shop.example' })).toEqual([
      'DELETE shop.example/orders',
      'GET shop.example/orders',
      'PUT shop.example/carts/{id}',
    ]);
    expect(await list({ host: 'shop.example' }, '/attack-surface')).toEqual(['GET shop.example/.env']);
  });

  it('lists one row for each operation, or one for each path, of confirmed operations only', async () => {
    const { items } = await w.get('/operations', { host: 'shop.example', sort: 'normalized_path' });
    const rows = items.map((row: { normalized_path: string; operation_count: number; total_seen: number }) => [
      row.normalized_path,
      row.operation_count,
      row.total_seen,
    ]);
    expect(rows).toEqual([
      ['/carts/{id}', 1, 4],
      ['/orders', 2, 45],
    ]);
  });

  it('hides operations that were seen fewer than five times', async () => {
    expect(await list({ host: 'shop.example', min_seen: '5' })).toEqual([
      'DELETE shop.example/orders',
      'GET shop.example/orders',
    ]);
  });

  it('finds operations by the range of their last request', async () => {
    const between = (from: number, to: number) =>
      list({
        host: 'shop.example',
        last_seen_from: new Date(daysAgo(from)).toISOString(),
        last_seen_to: new Date(daysAgo(to)).toISOString(),
      });
    expect(await between(21, 19)).toEqual(['DELETE shop.example/orders']);
    expect(await between(1, -1)).toEqual(['GET shop.example/orders', 'PUT shop.example/carts/{id}']);
    expect(await between(19, 1)).toEqual([]);
  });

  it('finds operations by one or several of the nine methods, and all others under one name', async () => {
    for (const method of INVENTORY_METHODS)
      expect(await list({ host: 'methods', method })).toEqual([`${method} methods.example/`]);
    expect(INVENTORY_METHODS.filter((method) => method !== 'OTHER').toSorted()).toEqual(
      ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'].toSorted(),
    );
    expect(await list({ host: 'methods', method: ['TRACE', 'HEAD'] })).toEqual([
      'HEAD methods.example/',
      'TRACE methods.example/',
    ]);
    for (const method of ['get', 'PROPFIND']) expect((await w.call('', { method })).status).toBe(400);
  });

  it('finds operations by each of the seven categories, of which one operation may have several', async () => {
    for (const category of INVENTORY_ENDPOINT_CATEGORIES) {
      const both = ['auth_endpoint', 'account_management'].includes(category);
      expect(await list({ host: 'categories', endpoint_category: category })).toEqual([
        `GET categories.example/${category}`,
        ...(both ? ['POST categories.example/two'] : []),
      ]);
    }
    expect(await list({ host: 'categories', endpoint_category: ['data_export', 'api_docs'] })).toHaveLength(2);
    expect((await w.call('', { endpoint_category: 'other' })).status).toBe(400);
  });

  it('finds operations that served a country in the last seven days, and others in another window', async () => {
    expect(await list({ country: 'BR' })).toEqual(['GET shop.example/orders']);
    expect(await list({ country: ['BR', 'NL'] })).toEqual(['GET shop.example/orders', 'PUT shop.example/carts/{id}']);
    const window = {
      traffic_from: new Date(w.nowMs - 9 * DAY_MS).toISOString(),
      traffic_to: new Date(w.nowMs - 7 * DAY_MS).toISOString(),
    };
    expect(await list({ country: 'BR', ...window })).toEqual(['DELETE shop.example/orders']);
    expect((await w.call('', { country: 'Brazil' })).status).toBe(400);
    const { applied } = await w.get('', { country: 'BR' });
    const length = Date.parse(applied.traffic_to) - Date.parse(applied.traffic_from);
    expect(length).toBe(7 * DAY_MS);
  });

  it('finds operations that served a network, by its number', async () => {
    expect(await list({ asn: '64500' })).toEqual(['GET shop.example/orders']);
    expect(await list({ asn: '64501' })).toEqual(['PUT shop.example/carts/{id}']);
    expect(await list({ asn: '64501', country: 'BR' })).toEqual([]);
    expect((await w.call('', { asn: 'AS64500' })).status).toBe(400);
  });

  it('finds operations that served a whole address, although only its hash is stored', async () => {
    expect(await list({ source_ip: ADDRESS })).toEqual(['GET shop.example/orders']);
    expect(await list({ source_ip: '2001:db8::' })).toEqual([]);
    expect(await list({ source_ip: ['192.0.2.1', ADDRESS] })).toEqual(['GET shop.example/orders']);
    for (const source of ['2001:db8::/32', 'shop.example'])
      expect((await w.call('', { source_ip: source })).status).toBe(400);
  });

  it('finds operations that served a whole user agent, although only its hash is stored', async () => {
    expect(await list({ user_agent: AGENT })).toEqual(['PUT shop.example/carts/{id}']);
    expect(await list({ user_agent: AGENT.slice(0, 11) })).toEqual([]);
    expect(await list({ user_agent: AGENT.toLowerCase() })).toEqual([]);
  });

  it('is not the status code, which only the list of requests has', async () => {
    for (const name of ['status', 'status_class', 'status_min'])
      expect((await w.call('', { [name]: name === 'status_class' ? '2xx' : '200' })).status).toBe(400);
    expect((await w.call('/events', { status: '200' })).status).toBe(200);
  });
});
