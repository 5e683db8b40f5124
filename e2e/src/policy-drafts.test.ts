import { createHash } from 'node:crypto';
import { request } from 'node:http';
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

/** Waits where a route that counts much refuses to be asked again at once. */
async function send(method: string, path: string, body?: unknown) {
  let answer = await fleet.api(method, path, body);
  await fleet.until(async () => {
    if (answer.status === 429) answer = await fleet.api(method, path, body);
    return answer.status !== 429;
  }, `${path} answers`);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const ask = (n: number, headers: Record<string, string> = {}) => fleet.request(`/api/orders/${1000 + n}`, headers);
const findOperation = async (path = PATH) => {
  const { items } = await send('GET', `${INVENTORY}?normalized_path=/api/`);
  return items.find((one: { normalized_path: string }) => one.normalized_path === path);
};
const attach = (policies: readonly string[]) => send('PATCH', `/api/op/services/${service.id}`, { policies });
/** Each thread of Envoy learns it by itself. */
const untilOpen = () =>
  fleet.until(async () => {
    for (let n = 0; n < 20; n += 1) if ((await ask(n)).status !== 200) return false;
    return true;
  }, 'requests need no key');

it('anonymous traffic becomes a draft, a policy that detects, and one that blocks', async () => {
  // Requests with keys show which credentials the path accepts.
  await fleet.until(async () => {
    await fleet.request('/api/hello', KEY);
    return (await send('GET', `${INVENTORY}?normalized_path=/api/`)).items.length > 0;
  }, 'the first operation is listed');
  for (let n = 0; n < 5; n += 1) await ask(n, KEY);
  await attach([]);
  await untilOpen();
  for (let n = 0; n < 40; n += 1) expect((await ask(n)).status).toBe(200);
  // The list also counts the requests that the first policy refused: they say nothing about what the path accepts.
  await fleet.until(async () => {
    const found = await findOperation();
    return found?.noauth_observed && found.status_dist['2xx'] >= 45;
  }, 'the anonymous requests are counted');

  const { id } = await findOperation();
  const draft = await send('POST', `${INVENTORY}/suggest-policy`, { operation_ids: [id], name: 'orders' });
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
  await attach(['orders']);

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

/** A request from another loopback address, which is another source. */
function askFrom(localAddress: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { proxy: port } = fleet.ports;
    const asked = request({ host: '127.0.0.1', port, path, localAddress }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    asked.once('error', reject).end();
  });
}

it('the usual rates of sources become a limit, whose trial names who would exceed it, and which refuses them alone', async () => {
  const [usual, heavy] = [Array.from({ length: 40 }, (_, index) => `127.0.1.${index + 1}`), '127.0.2.1'];
  await attach([]);
  await untilOpen();
  for (const source of usual) for (let n = 0; n < 3; n += 1) expect(await askFrom(source, '/api/prices')).toBe(200);
  await fleet.until(
    async () => (await findOperation('/api/prices'))?.status_dist['2xx'] === 120,
    'the usual requests are counted',
  );
  const { id, host } = await findOperation('/api/prices');
  const draft = await send('POST', `${INVENTORY}/suggest-policy`, {
    operation_ids: [id],
    parts: ['rate_limits'],
    name: 'prices',
  });
  const [{ limit }] = draft.routes[0].engines;
  // The least that is suggested: the usual sources make three requests a minute.
  expect(limit).toMatchObject({ basis: 'traffic', per_minute: 10, burst: 10, over: { sources: 0 } });
  expect(limit.sources).toBe(40);

  for (let n = 0; n < 60; n += 1) expect(await askFrom(heavy, '/api/prices')).toBe(200);
  const records = { source: 'traffic', host };
  const tryDraft = () =>
    send('POST', '/api/v3/shield/replay', { candidate: { draft: { text: draft.text } }, records, enforce: true });
  let trial = await tryDraft();
  const findBlocked = () => trial.by_client.groups.filter((one: { allow_to_block: number }) => one.allow_to_block > 0);
  await fleet.until(async () => {
    trial = await tryDraft();
    return findBlocked()[0]?.requests === 60;
  }, 'the trial has the requests of the heavy source');
  expect(findBlocked()).toHaveLength(1);
  expect(trial.totals.allow_to_block).toBe(findBlocked()[0].allow_to_block);
  expect(trial.totals.allow_to_block).toBeGreaterThanOrEqual(40);
  expect(trial.totals.undetermined).toBe(0);

  await send('POST', '/api/v3/shield/policies', {
    name: 'prices',
    text: draft.text.replace('mode: detect', 'mode: block'),
  });
  await attach(['prices']);
  const statuses = new Map<number, number>();
  await fleet.until(async () => {
    const status = await askFrom(heavy, '/api/prices');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return status === 429;
  }, 'the heavy source is refused');
  expect([...statuses.keys()].toSorted()).toEqual([200, 429]);
  for (const source of usual.slice(0, 5)) expect(await askFrom(source, '/api/prices')).toBe(200);
  // The limit is that of one path.
  expect(await askFrom(heavy, '/api/orders/1')).toBe(200);
});
