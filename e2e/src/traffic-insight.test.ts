import { once } from 'node:events';
import { connect } from 'node:net';
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

/** Every request of a path that no policy covers has a number. Returns how many were answered. */
async function askNumbered(prefix: string, { from, to }: { from: number; to: number }): Promise<number> {
  let answered = 0;
  for (let n = from; n < to; n += 1) {
    const answer = await fleet.request(`${prefix}/${n}`).catch(() => undefined);
    if (answer !== undefined && answer.status < 500) answered += 1;
  }
  return answered;
}

/** How often the operations below a path were seen; undefined while the controller does not answer. */
async function countSeen(prefix: string): Promise<number | undefined> {
  const { status, body } = await fleet.api('GET', `${INVENTORY}?normalized_path=${prefix}/`);
  if (status !== 200) return undefined;
  return body.items.reduce((sum: number, one: Operation) => sum + one.seen_count, 0);
}

async function countEvents(prefix: string): Promise<number | undefined> {
  const { status, body } = await fleet.api('GET', `${INVENTORY}/stats?normalized_path=${prefix}/`);
  return status === 200 ? body.totals.events : undefined;
}

const listGaps = async () => (await fleet.api('GET', `${INVENTORY}/gaps`)).body;

it('a request is shown as allowed, detected or blocked only if a policy inspected it', async () => {
  const url = '/api/v3/shield/policies/demo-policy';
  const { body, etag } = await fleet.api('GET', url);
  const watched = `        - match: { path_prefix: /watched/ }
          policy:
            mode: detect
            engines:
              api_key:
                keys:
                  - key: another-key-for-loopback-only
                    subject: nobody
`;
  const saved = await fleet.api('PUT', url, { text: `${body.text.trimEnd()}\n${watched}` }, { 'if-match': etag ?? '' });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  const actionsOf = async (path: string) => {
    const { body: list } = await fleet.api('GET', `${INVENTORY}/events?path_is=${path}`);
    return list.items.map(({ action, engine }: { action: string; engine: string }) => `${action} ${engine}`.trim());
  };
  await fleet.until(async () => {
    await fleet.request('/watched/one');
    return (await actionsOf('/watched/one')).includes('detect api_key');
  }, 'the detection is listed');
  expect((await fleet.request('/watched/two')).status).toBe(200);
  await fleet.request('/api/inspected', KEY);
  await fleet.request('/api/inspected', { 'x-api-key': 'wrong' });
  await fleet.request('/uninspected');
  const wanted: [string, string[]][] = [
    ['/watched/two', ['detect api_key']],
    ['/api/inspected', ['allow', 'block api_key']],
    ['/uninspected', ['']],
  ];
  for (const [path, actions] of wanted) {
    // Each thread of Envoy sends its own requests.
    await fleet.until(async () => (await actionsOf(path)).length === actions.length, `${path} is listed`);
    expect((await actionsOf(path)).toSorted(), path).toEqual(actions);
  }
});

it('an opaque token makes a consumer, and is stored nowhere', async () => {
  const token = 'opaque-token-of-a-robot-4711';
  for (let n = 0; n < 3; n += 1) await fleet.request('/robots/tokens', { authorization: `Bearer ${token}` });
  await fleet.request('/robots/tokens', { authorization: 'Bearer short' });
  const list = () => fleet.api('GET', `${INVENTORY}/events?normalized_path=/robots/`);
  await fleet.until(async () => (await list()).body.items.length === 4, 'the requests are listed');
  const { body } = await list();
  const consumers = body.items.map(({ consumer }: { consumer: string }) => consumer).toSorted();
  expect(consumers[0]).toBe('');
  expect(consumers[1]).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(consumers.slice(1)).size).toBe(1);
  expect(JSON.stringify(body)).not.toContain('robot-4711');
});

it('kill -9 of Envoy loses at most what it had not sent, and counts nothing twice', async () => {
  const prefix = '/envoy-killed';
  const sent = await askNumbered(prefix, { from: 0, to: 40 });
  await fleet.until(async () => (await countSeen(prefix)) === sent, 'what Envoy had sent is stored');
  const load = askNumbered(prefix, { from: 40, to: 140 });
  await askNumbered(prefix, { from: 140, to: 160 });
  await fleet.kill('envoy');
  await load;
  await fleet.until(async () => (await askNumbered('/envoy-back', { from: 0, to: 1 })) === 1, 'Envoy is back');
  const after = await askNumbered(prefix, { from: 160, to: 200 });
  const least = sent + after;
  await fleet.until(async () => {
    const [seen = 0, events] = [await countSeen(prefix), await countEvents(prefix)];
    return seen >= least && seen === events;
  }, 'requests are counted again');
  expect(await countSeen(prefix)).toBeLessThanOrEqual(200);
  // No batch is missing: what was lost with Envoy never had a number.
  expect((await listGaps()).items).toEqual([]);
});

it('kill -9 of PostgreSQL loses no request and counts none twice', async () => {
  const prefix = '/database-killed';
  const first = await askNumbered(prefix, { from: 0, to: 60 });
  const load = askNumbered(prefix, { from: 60, to: 200 });
  await fleet.kill('postgres');
  const total = first + (await load);
  expect(total).toBe(200);
  await fleet.until(async () => (await countSeen(prefix).catch(() => undefined)) === total, 'every request is counted');
  await askNumbered('/database-marker', { from: 0, to: 1 });
  await fleet.until(async () => (await countSeen('/database-marker')) === 1, 'later requests are counted');
  expect([await countSeen(prefix), await countEvents(prefix)]).toEqual([total, total]);
  const { items, waiting } = await listGaps();
  expect(items).toEqual([]);
  for (const { batches } of waiting) expect(batches).toBeLessThan(20);
});

/** Bytes that no client library would send. Resolves when the connection has ended. */
async function sendRaw(bytes: Buffer): Promise<void> {
  const socket = connect(fleet.ports.proxy, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(bytes);
  await once(socket, 'close');
}

it('hostile requests stop nothing, and nothing of them is shown as it came', async () => {
  const head = (path: Buffer | string, more = '') =>
    Buffer.concat([
      Buffer.from('GET '),
      Buffer.from(path),
      Buffer.from(` HTTP/1.1\r\nhost: hostile.example\r\n${more}connection: close\r\n\r\n`),
    ]);
  const bomb = Array.from({ length: 99 }, (_, index) => `x-${index}: ${'v'.repeat(500)}\r\n`).join('');
  const requests = [
    head(Buffer.from([...Buffer.from('/hostile/'), 0xff, 0xfe, 0xc3, 0x28])),
    head('/hostile/%00%1b%5b2J'),
    head(`/hostile/${'a'.repeat(20_000)}`),
    head(`/hostile/${'b'.repeat(64 * 1024)}`),
    head('/hostile/bomb', bomb),
    head('/hostile/agent', 'user-agent: \x1b[31m=cmd|1\r\nx-api-key: secret-of-hostile\r\n'),
    head('/hostile/<script>alert(1)</script>'),
    head('/hostile/=HYPERLINK()', 'authorization: Bearer \r\ncookie: session=secret-of-hostile\r\n'),
    Buffer.from('\x16\x03\x01\x02\x00\x01\x00'),
  ];
  for (const request of requests) await sendRaw(request);
  const list = () => fleet.api('GET', `${INVENTORY}/events?host=hostile.example&limit=500`);
  // Envoy itself refuses some of them.
  await fleet.until(async () => (await list()).body.items.length > 0, 'some of them are listed');
  await sendRaw(Buffer.from('GET /after HTTP/1.1\r\nhost: marker.example\r\nconnection: close\r\n\r\n'));
  const countMarkers = async () =>
    (await fleet.api('GET', `${INVENTORY}/events?host=marker.example`)).body.items.length;
  await fleet.until(async () => (await countMarkers()) === 1, 'the request after them is counted');
  const { status, body } = await list();
  expect(status).toBe(200);
  const shown = JSON.stringify([body, (await fleet.api('GET', `${INVENTORY}?host=hostile.example`)).body]);
  expect(shown).not.toContain('secret-of-hostile');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals run them
  expect(shown).not.toMatch(/[\u0000-\u001f]|\\u00[01]/);
});
