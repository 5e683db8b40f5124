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

const INVENTORY = '/api/v3/inventory';
const KEY = { 'x-api-key': 'demo-key-for-loopback-only' };

it('requests through a real Envoy become operations, events and findings of the project', async () => {
  const ask = (path: string, headers: Record<string, string> = KEY) => fleet.request(path, headers);
  const list = async () => (await fleet.api('GET', `${INVENTORY}?normalized_path=/api/`)).body.items;
  // The new listener serves when its log arrives.
  await fleet.until(async () => {
    await ask('/api/hello');
    return (await list()).some((one: { normalized_path: string }) => one.normalized_path === '/api/hello');
  }, 'the first operation is listed');

  const before = (await list()).find((one: { normalized_path: string }) => one.normalized_path === '/api/hello');
  for (let n = 0; n < 40; n += 1) await ask(`/api/orders/${1000 + n}?token=not-to-be-seen-${n}&page=2`);
  for (let n = 0; n < 10; n += 1) await ask('/api/hello');
  const blocked = await ask('/api/hello', { 'x-api-key': 'not-to-be-seen-either' });
  expect(blocked.status).toBe(403);

  await fleet.until(async () => {
    const hello = (await list()).find((one: { id: string }) => one.id === before.id);
    return hello.seen_count >= before.seen_count + 11;
  }, 'every request is counted');
  const operations = await list();
  const orders = operations.find((one: { normalized_path: string }) => one.normalized_path.startsWith('/api/orders'));
  expect(orders).toMatchObject({ method: 'GET', normalized_path: '/api/orders/{id}', seen_count: 40 });
  const { body: operation } = await fleet.api('GET', `${INVENTORY}/${orders.id}`);
  expect(JSON.stringify(operation)).not.toContain('not-to-be-seen');
  expect(operation.query_names).toEqual(expect.arrayContaining(['page', 'token']));

  const { body: events } = await fleet.api('GET', `${INVENTORY}/${orders.id}/events?limit=500`);
  expect(events.items).toHaveLength(40);
  expect(JSON.stringify(events)).not.toContain('not-to-be-seen');
  const { body: stopped } = await fleet.api('GET', `${INVENTORY}/events?action=block`);
  expect(stopped.items).toMatchObject([{ status: 403, action: 'block', normalized_path: '/api/hello' }]);
});
