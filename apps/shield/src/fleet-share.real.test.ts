import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ExchangeClient } from './testing/exchange-client.ts';
import { FilterProcess } from './testing/filter-process.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: shop }
spec:
  domains:
    - hosts: [api.example.com]
      policy: { engines: { rate_limit: { requests_per_second: 0.001, burst: 12, share: fleet } } }
`;

let folder: string;
let filter: FilterProcess;
let clients: ExchangeClient[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shield-fleet-'));
  await mkdir(join(folder, 'policy/flotilla'), { recursive: true });
  await writeFile(join(folder, 'policy/shop.yaml'), POLICY);
  await sayEdges(3);
  const listen = `unix:${join(folder, 's')}`;
  filter = new FilterProcess(
    ['--policy', join(folder, 'policy'), '--listen', listen, '--threads', '2'],
    join(folder, 'a.sock'),
  );
  await filter.start();
  clients = [join(folder, 's'), join(folder, 's.1')].map((socket) => new ExchangeClient(socket));
});

afterEach(async () => {
  for (const client of clients) client.close();
  await filter.end();
  await rm(folder, { recursive: true, force: true });
});

async function sayEdges(count: number): Promise<void> {
  const file = join(folder, 'policy/flotilla/edges.json');
  await writeFile(`${file}.tmp`, JSON.stringify({ edges: { shop: count } }));
  await rename(`${file}.tmp`, file);
}

/** How many requests of one address pass, alternating between the threads. */
async function drain(address: string): Promise<number> {
  for (let allowed = 0; ; allowed++) {
    if ((await clients[allowed % 2]?.ask({ 'x-forwarded-for': address })) !== 0) return allowed;
  }
}

test('a running filter divides its limit by the number in the bundle, in every thread, and keeps its buckets', async () => {
  expect(await drain('192.0.2.1')).toBe(4);
  const before = (await filter.configz()).version;
  await sayEdges(2);
  await expect.poll(async () => (await filter.configz()).version).not.toBe(before);
  expect(await drain('192.0.2.1')).toBe(0);
  expect(await drain('192.0.2.2')).toBe(6);
});

test('an invalid number is rejected, and the last valid one stays', async () => {
  await sayEdges(0);
  await expect.poll(async () => (await filter.configz()).last_error?.message ?? '').not.toBe('');
  expect(await drain('192.0.2.1')).toBe(4);
});
