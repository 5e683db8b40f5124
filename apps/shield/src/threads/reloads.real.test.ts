import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CounterBook } from '@flotilla/decision';
import { createLogger } from '@flotilla/kit';
import { loadPolicyFiles } from '@flotilla/policy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FindingLog } from '../events/finding-log.ts';
import { openBundle } from '../load-bundle.ts';
import { ExchangeClient } from '../testing/exchange-client.ts';
import { FirstThread } from './first-thread.ts';
import { ThreadPool } from './thread-pool.ts';
import { createTrafficCells } from './traffic-recorder.ts';

const THREADS = 3;
const RELOADS = 100;
/** Requests per thread during each change of bundles: 6,000 in total, a second's worth. */
const REQUESTS = 20;

let folder: string;
let first: FirstThread | undefined;
let pool: ThreadPool | undefined;
let clients: ExchangeClient[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sr-'));
  clients = [];
});

afterEach(async () => {
  for (const client of clients) client.close();
  await pool?.close(0);
  first?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A request without a key is blocked with 403 by even bundles, and allowed or blocked with 429 by odd ones. */
function bundle(n: number) {
  const engines =
    n % 2 === 0 ? { api_key: { keys: [{ key: `k${n}` }] } } : { rate_limit: { requests_per_second: 0.001, burst: 1 } };
  const routes = [{ match: { path_prefix: `/r${n}` }, policy: {} }];
  const spec = { domains: [{ hosts: ['api.example.com'], policy: { engines }, routes }] };
  const metadata = { name: n % 2 === 0 ? 'even' : 'odd' };
  const content = JSON.stringify({ apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata, spec });
  const loaded = loadPolicyFiles([{ path: 'p.json', content }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return openBundle(loaded.value);
}

test('during a hundred reloads within a second of traffic, each request sees one policy and is counted once, by that policy', async () => {
  const listen = { kind: 'unix', path: join(folder, 's') } as const;
  const counters = new CounterBook({ threads: THREADS });
  const traffic = createTrafficCells(THREADS);
  const logger = createLogger({ name: 'test', level: 'silent' });
  const findings = new FindingLog({ epoch: counters.epoch, keep: 10, logger, onDropped: () => undefined });
  const thread = new FirstThread({ listen, trustedHops: 0, node: 'n', traffic, findings, logger });
  first = thread;
  const options = { threads: THREADS, first: thread.serving, listen, trustedHops: 0, node: 'n', counters, traffic };
  pool = new ThreadPool({ ...options, onNews: (from, news) => thread.onNews(from, news) });
  await pool.apply(bundle(0), 0);
  await pool.listen();
  clients = ['s', 's.1', 's.2'].map((name) => new ExchangeClient(join(folder, name)));

  const seen = new Map<number, number>();
  let mixed = 0;
  for (let n = 1; n <= RELOADS; n++) {
    const answers: number[] = [];
    const { promise: isUnderWay, resolve: begin } = Promise.withResolvers<void>();
    const asking = clients.map(async (client) => {
      for (let request = 0; request < REQUESTS; request++) {
        answers.push(await client.ask({}));
        begin();
      }
    });
    await isUnderWay;
    await pool.apply(bundle(n), n);
    await Promise.all(asking);
    for (const status of answers) seen.set(status, (seen.get(status) ?? 0) + 1);
    if (answers.includes(403) && answers.some((status) => status !== 403)) mixed += 1;
    // Requests that begin after the change see the new bundle in every thread.
    for (const status of await Promise.all(clients.map((client) => client.ask({})))) {
      expect(status === 403).toBe(n % 2 === 0);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
  }

  // Proves that bundles changed while requests came.
  expect(mixed).toBeGreaterThan(0);
  expect([...seen.keys()].sort()).toEqual([0, 403, 429]);
  const count = (policy: string, verdict: string, reason: string) =>
    counters
      .read()
      .counters.filter((row) => row.policy === policy && row.verdict === verdict && (row.reason ?? '') === reason)
      .reduce((sum, { total }) => sum + total, 0);
  expect({
    blockedByKey: count('even', 'blocked', 'apikey.missing'),
    blockedByLimit: count('odd', 'blocked', 'ratelimit.exceeded'),
    allowed: count('odd', 'allowed', ''),
    all: counters.read().counters.reduce((sum, { total }) => sum + total, 0),
  }).toEqual({
    blockedByKey: seen.get(403),
    blockedByLimit: seen.get(429),
    allowed: seen.get(0),
    all: RELOADS * THREADS * (REQUESTS + 1),
  });
  expect(traffic.sum('allowed') + traffic.sum('blocked')).toBe(RELOADS * THREADS * (REQUESTS + 1));
});
