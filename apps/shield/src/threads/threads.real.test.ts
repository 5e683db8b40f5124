import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ExchangeClient } from '../testing/exchange-client.ts';
import { FilterProcess } from '../testing/filter-process.ts';

const THREADS = 3;

let folder: string;
let filter: FilterProcess;
let clients: ExchangeClient[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'st-'));
  clients = [];
});

afterEach(async () => {
  for (const client of clients) client.close();
  await filter.end('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const socketOf = (thread: number) => join(folder, thread === 0 ? 's' : `s.${thread}`);
const file = () => join(folder, 'p.yaml');

function policy(engines: object, more: object = {}): string {
  const spec = { domains: [{ hosts: ['api.example.com'], policy: { engines }, ...more }] };
  return JSON.stringify({ apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec });
}

async function write(text: string): Promise<void> {
  await writeFile(`${file()}.tmp`, text);
  await rename(`${file()}.tmp`, file());
}

async function start(text: string, argv: readonly string[] = []): Promise<ExchangeClient[]> {
  await write(text);
  filter = new FilterProcess(
    ['--policy', file(), '--listen', `unix:${socketOf(0)}`, '--threads', String(THREADS), ...argv],
    join(folder, 'a'),
  );
  await filter.start();
  clients = Array.from({ length: THREADS }, (_, thread) => new ExchangeClient(socketOf(thread)));
  return clients;
}

const from = (address: string) => ({ 'x-forwarded-for': address });

test('threads share one limiter, and their counts, findings and metrics are merged', async () => {
  const [first, ...others] = await start(policy({ rate_limit: { requests_per_second: 0.001, burst: 30 } }));
  if (first === undefined) throw new Error('no thread');
  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, n) => (clients[n % THREADS] ?? first).ask(from('192.0.2.1'))),
  );
  expect(answers.filter((status) => status === 0).length).toBe(30);
  expect(answers.filter((status) => status === 429).length).toBe(60);
  expect(await others[0]?.ask(from('192.0.2.2'))).toBe(0);

  const { counters } = JSON.parse((await filter.admin('/countersz')).text);
  expect(counters).toEqual([
    expect.objectContaining({ policy: 'p', verdict: 'allowed', total: 31 }),
    expect.objectContaining({ policy: 'p', verdict: 'blocked', reason: 'ratelimit.exceeded', total: 60 }),
  ]);
  expect(await filter.counter('requests_total')).toBe(91);
  expect(await filter.counter('blocked_total', 'ratelimit.exceeded')).toBe(60);
  expect(await filter.counter('rate_limit_keys')).toBe(2);
  await expect.poll(async () => JSON.parse((await filter.admin('/events?limit=1000')).text).events.length).toBe(60);
});

test('threads share the limits of keys, through a reload that does not change their block', async () => {
  const keys = [
    { key: 'one', requests_per_second: 0.001, burst: 30 },
    { key: 'two', requests_per_second: 1000, burst: 20 },
    { key: 'three' },
  ];
  const [first] = await start(policy({ api_key: { keys } }));
  if (first === undefined) throw new Error('no thread');
  const askAll = (key: string, times: number) =>
    Promise.all(Array.from({ length: times }, (_, n) => (clients[n % THREADS] ?? first).ask({ 'x-api-key': key })));
  const answers = await askAll('one', 90);
  expect([0, 429].map((status) => answers.filter((answer) => answer === status).length)).toEqual([30, 60]);
  expect(await askAll('three', 6)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await askAll('two', 3)).toEqual([0, 0, 0]);
  expect(await filter.counter('blocked_total', 'apikey.rate')).toBe(60);
  expect([await filter.counter('rate_limiters'), await filter.counter('rate_limit_keys')]).toEqual([1, 2]);

  const { version } = await filter.configz();
  await write(policy({ api_key: { keys } }, { routes: [{ match: { path_prefix: '/new' }, policy: {} }] }));
  await expect.poll(async () => (await filter.configz()).version).not.toBe(version);
  expect(await askAll('one', THREADS)).toEqual(Array.from({ length: THREADS }, () => 429));
});

test('a bundle is in effect in every thread once /configz shows it, and limiters of unchanged blocks keep their state', async () => {
  const limit = { rate_limit: { requests_per_second: 0.001, burst: 1 } };
  await start(policy(limit));
  expect(await clients[1]?.ask(from('192.0.2.1'))).toBe(0);
  for (let round = 0; round < 5; round++) {
    const key = `key-${round}`;
    const before = (await filter.configz()).version;
    await write(
      policy(limit, {
        routes: [{ match: { path_prefix: '/k' }, policy: { engines: { api_key: { keys: [{ key }] } } } }],
      }),
    );
    await expect.poll(async () => (await filter.configz()).version).not.toBe(before);
    const ask = { ':path': '/k', 'x-api-key': key };
    const answers = clients.map((client, n) => client.ask({ ...ask, ...from(`192.0.2.${10 + 10 * round + n}`) }));
    expect(await Promise.all(answers)).toEqual([0, 0, 0]);
    expect(await Promise.all(clients.map((client) => client.ask(from('192.0.2.1'))))).toEqual([429, 429, 429]);
  }
});

test('a reload under load answers every request by one of the two bundles, and counts each once', async () => {
  const variant = (n: number) =>
    policy(
      { api_key: { keys: [{ key: `k${n % 2}` }] } },
      { routes: [{ match: { path_prefix: `/r${n}` }, policy: {} }] },
    );
  await start(variant(0));
  let isOver = false;
  let asked = 0;
  const answered = new Map<number, number>();
  const load = clients.map(async (client) => {
    while (!isOver) {
      const batch = await Promise.all(
        Array.from({ length: 20 }, (_, n) => client.ask({ ...from('192.0.2.1'), 'x-api-key': `k${n % 2}` })),
      );
      asked += batch.length;
      for (const status of batch) answered.set(status, (answered.get(status) ?? 0) + 1);
    }
  });
  for (let n = 1; n <= 40; n++) {
    const before = (await filter.configz()).version;
    await write(variant(n));
    await expect.poll(async () => (await filter.configz()).version, { interval: 5 }).not.toBe(before);
  }
  isOver = true;
  await Promise.all(load);
  expect([...answered.keys()].sort()).toEqual([0, 403]);
  expect(await filter.counter('requests_total')).toBe(asked);
  const { counters } = JSON.parse((await filter.admin('/countersz')).text) as { counters: { total: number }[] };
  expect(counters.reduce((sum, { total }) => sum + total, 0)).toBe(asked);
});

test('all threads drain when the filter must end, and their sockets are deleted', async () => {
  await start(policy({}));
  expect(await Promise.all(clients.map((client) => client.ask({})))).toEqual([0, 0, 0]);
  expect(await filter.end()).toBe(0);
  for (let thread = 0; thread < THREADS; thread++) {
    await expect(new ExchangeClient(socketOf(thread)).ask({})).rejects.toThrow();
  }
});

test('an unavailable socket of one thread keeps the filter from starting', async () => {
  await writeFile(socketOf(2), 'precious');
  await expect(start(policy({}))).rejects.toThrow(/s\.2 exists and is not a socket/);
});

test.each([
  ['that is asked to end', 'SIGTERM'],
  ['that is killed', 'SIGKILL'],
] as const)('the limits of a filter %s continue in the next one', async (_, signal) => {
  const burst = 30;
  const text = policy({ rate_limit: { requests_per_second: 0.001, burst } });
  const state = join(folder, 'limits');
  await start(text, ['--state', state]);
  for (let n = 0; n < burst; n++) expect(await clients[n % THREADS]?.ask(from('192.0.2.1'))).toBe(0);
  expect(await clients[0]?.ask({ 'x-forwarded-for': 'unknown' })).toBe(0);
  if (signal === 'SIGKILL') {
    // Waits for a save after the last request.
    const asked = Date.now();
    await expect.poll(async () => (await stat(state).catch(() => undefined))?.mtimeMs ?? 0).toBeGreaterThan(asked);
  }
  await filter.end(signal);
  expect((await stat(state)).mode & 0o777).toBe(0o600);
  await start(text, ['--state', state]);
  expect(await Promise.all(clients.map((client) => client.ask(from('192.0.2.1'))))).toEqual([429, 429, 429]);
  expect(await clients[0]?.ask(from('192.0.2.2'))).toBe(0);
  expect(filter.output).toContain('state_restored');
});

test('a damaged state is reported and left alone', async () => {
  const state = join(folder, 'limits');
  await writeFile(state, 'flotlim1 and then nothing that fits it, but long enough to be looked at');
  await start(policy({ rate_limit: { requests_per_second: 0.001, burst: 1 } }), ['--state', state]);
  expect(filter.output).toContain('state_ignored');
  expect(await clients[0]?.ask(from('192.0.2.1'))).toBe(0);
});
