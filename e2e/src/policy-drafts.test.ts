import { createHash } from 'node:crypto';
import { FleetOfOne } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const INVENTORY = '/api/v3/inventory';
const SECRET = 'demo-key-for-loopback-only';
const KEY = { 'x-api-key': SECRET };
const PATH = '/api/orders/{id}';

let fleet: FleetOfOne;
let service: { readonly id: string };

beforeAll(async () => {
  fleet = await FleetOfOne.start();
  [service] = (await fleet.api('GET', '/api/op/services')).body.items;
  await send('PATCH', `/api/op/services/${service.id}`, { api_discovery: true });
});
afterAll(() => fleet?.close());

async function send(method: string, path: string, body?: unknown) {
  const answer = await fleet.api(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const ask = (n: number, headers: Record<string, string> = {}) => fleet.request(`/api/orders/${1000 + n}`, headers);
const findOperation = async () => {
  const { items } = await send('GET', `${INVENTORY}?normalized_path=/api/`);
  return items.find((one: { normalized_path: string }) => one.normalized_path === PATH);
};

it('anonymous traffic becomes a draft, a policy that detects, and one that blocks', async () => {
  // Requests with keys show which credentials the path accepts.
  await fleet.until(async () => {
    await fleet.request('/api/hello', KEY);
    return (await send('GET', `${INVENTORY}?normalized_path=/api/`)).items.length > 0;
  }, 'the first operation is listed');
  for (let n = 0; n < 5; n += 1) await ask(n, KEY);
  await send('PATCH', `/api/op/services/${service.id}`, { policies: [] });
  // Each thread of Envoy learns it by itself.
  await fleet.until(async () => {
    for (let n = 0; n < 20; n += 1) if ((await ask(n)).status !== 200) return false;
    return true;
  }, 'requests need no key');
  for (let n = 0; n < 40; n += 1) expect((await ask(n)).status).toBe(200);
  await fleet.until(async () => (await findOperation())?.seen_count >= 40, 'the anonymous requests are counted');

  const { id } = await findOperation();
  const draft = await send('POST', `${INVENTORY}/suggest-policy`, { operation_ids: [id] });
  expect(draft.routes).toMatchObject([{ normalized_path: PATH, engines: [{ engine: 'api_key' }] }]);
  expect(draft.routes[0].traffic.anonymous).toBeGreaterThanOrEqual(40);
  const trial = await send('POST', '/api/v3/shield/replay', {
    candidate: { draft: { text: draft.text } },
    records: { source: 'traffic' },
    enforce: true,
  });
  // The first policy refused some of the anonymous requests.
  expect(trial.totals.allow_to_block).toBeGreaterThanOrEqual(40);
  expect(trial.totals.allow_to_block).toBeLessThanOrEqual(draft.routes[0].traffic.anonymous);

  const incomplete = await fleet.api('POST', '/api/v3/shield/policies', { name: 'orders', text: draft.text });
  expect(incomplete.status).toBe(400);
  expect(incomplete.body.problems.map(({ rule }: { rule: string }) => rule)).toContain('draft.placeholder');
  const digest = createHash('sha256').update(SECRET).digest('hex');
  const text = draft.text
    .replace(/sha256: .*REPLACE: .*/, `sha256: ${digest}`)
    .replace(/subject: .*REPLACE: .*/, 'subject: demo')
    .replace('mode: detect', 'mode: detect\n    block_response: { unauthorized_status: 401 }');
  await send('POST', '/api/v3/shield/policies', { name: 'orders', text });
  await send('PATCH', `/api/op/services/${service.id}`, { policies: ['orders'] });

  const follow = () => send('GET', `${INVENTORY}/policy-detections?policy=orders&min_requests=1`);
  await fleet.until(async () => {
    expect((await ask(100)).status).toBe(200);
    return (await follow()).requests?.found > 0;
  }, 'an anonymous request is detected and passes');
  const detections = await follow();
  expect(detections).toMatchObject({ blocked: 0, policy: { detect_parts: 1 }, requests: { authenticated: 0 } });
  expect(detections.by_reason).toMatchObject([{ name: 'apikey.missing' }]);
  expect(detections.requests.succeeded).toBe(detections.requests.found);
  expect(detections.inspected).toBeGreaterThan(0);

  await send('PATCH', '/api/v3/shield/policies/orders', { text: detections.block_text });
  await fleet.until(async () => (await ask(200)).status === 401, 'an anonymous request is refused');
  expect((await ask(201, KEY)).status).toBe(200);
  expect((await fleet.request('/api/orders/1/items')).status).not.toBe(401);
});
