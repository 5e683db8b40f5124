import { FleetOfOne } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

let fleet: FleetOfOne;

beforeAll(async () => {
  fleet = await FleetOfOne.start();
  const [service] = (await fleet.api('GET', '/api/op/services')).body.items;
  const turnedOn = await fleet.api('PATCH', `/api/op/services/${service.id}`, { api_discovery: true });
  expect(turnedOn.status, JSON.stringify(turnedOn.body)).toBe(200);
});
afterAll(() => fleet?.close());

interface Operation {
  readonly normalized_path: string;
  readonly seen_count: number;
}

const INVENTORY = '/api/v3/inventory';
const KEY = { 'x-api-key': 'demo-key-for-loopback-only' };

it('requests through a real Envoy become operations, events and findings of the project', async () => {
  const ask = (path: string, headers: Record<string, string> = KEY) => fleet.request(path, headers);
  const list = async () => (await fleet.api('GET', `${INVENTORY}?normalized_path=/api/`)).body.items;
  // The new listener serves when its log arrives.
  await fleet.until(async () => {
    await ask('/api/hello');
    return (await list()).some((one: Operation) => one.normalized_path === '/api/hello');
  }, 'the first operation is listed');

  for (let n = 0; n < 40; n += 1) await ask(`/api/orders/${1000 + n}?token=not-to-be-seen-${n}&page=2`);
  const blocked = await ask('/api/hello', { 'x-api-key': 'not-to-be-seen-either' });
  expect(blocked.status).toBe(403);
  const listOrders = async () =>
    (await list()).filter((one: Operation) => one.normalized_path.startsWith('/api/orders'));
  const count = (all: readonly Operation[]) => all.reduce((sum, one) => sum + one.seen_count, 0);
  await fleet.until(async () => count(await listOrders()) === 40, 'every request is counted');
  const orders = (await listOrders()).find((one: Operation) => one.normalized_path === '/api/orders/{id}');
  expect(orders).toMatchObject({ method: 'GET', confirmed: true });
  const { body: operation } = await fleet.api('GET', `${INVENTORY}/${orders.id}`);
  expect(JSON.stringify(operation)).not.toContain('not-to-be-seen');
  expect(operation.query_names).toEqual(expect.arrayContaining(['page', 'token']));

  const { body: events } = await fleet.api('GET', `${INVENTORY}/${orders.id}/events?limit=500`);
  expect(events.items).toHaveLength(orders.seen_count);
  expect(JSON.stringify(events)).not.toContain('not-to-be-seen');
  const listBlocked = () => fleet.api('GET', `${INVENTORY}/events?action=block`);
  await fleet.until(async () => (await listBlocked()).body.items.length > 0, 'the blocked request is listed');
  const { body: stopped } = await listBlocked();
  expect(stopped.items).toMatchObject([{ status: 403, action: 'block', normalized_path: '/api/hello' }]);
});
