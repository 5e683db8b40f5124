import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBatch, type LogEntry } from '@flotilla/access-log';
import { createEntry } from '@flotilla/collector/testing';
import { toProjectId } from '@flotilla/event-store';
import { isFullTier, type TestDatabase } from '@flotilla/testkit';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Collector } from './collector/collector.ts';
import { type CollectorParts, openCollectorParts } from './collector/testing/collector-parts.ts';
import { createWorld, type World } from './collector/testing/world.ts';
import { applyBatches } from './inventory/index.ts';

const WAIT = { timeout: 120_000, interval: 50 };
const COUNT = isFullTier ? 1_000_000 : 60_000;
const PER_BATCH = 3000;
const BATCHES = COUNT / PER_BATCH;
const REAL = 20;
const METHODS = ['GET', 'POST', 'DELETE', 'OTHER'];

let parts: CollectorParts;
let database: TestDatabase;
let collector: Collector;
let metrics: Registry;
let world: World;
let folder: string;
beforeAll(async () => {
  parts = await openCollectorParts();
  ({ database } = parts);
  folder = await mkdtemp(join(tmpdir(), 'flotilla-scanner-'));
  world = await createWorld(database, 'scanned');
  metrics = new Registry();
  collector = new Collector({
    ...parts,
    metrics,
    store: { kind: 'duckdb', path: join(folder, 'events.duckdb') },
    applyBatches,
  });
  await collector.start();
  await vi.waitFor(() => expect(collector.events.store).toBeDefined(), WAIT);
});
afterAll(async () => {
  await collector?.close();
  await parts?.close();
  await rm(folder, { recursive: true, force: true });
});

async function deliver(sequence: number, entries: readonly LogEntry[], to = world): Promise<void> {
  const { client, project, service } = to;
  const send = () =>
    collector.push(
      { clientId: client, projectId: project },
      {
        serviceId: service,
        epoch: 'e',
        sequence: BigInt(sequence),
        entries: entries.length,
        payload: Uint8Array.from(encodeBatch({ listener: 'public', entries })),
      },
    );
  await expect.poll(send, WAIT).toEqual({ stored: true });
}

/** Nothing of it occurs twice. */
function createProbe(index: number): LogEntry {
  const name = index.toString(36);
  return createEntry({
    timeMs: Date.now(),
    method: METHODS[index % METHODS.length] ?? 'GET',
    authority: `h${name}.example.net`,
    path: `/guess-${name}/${name}.php`,
    userAgent: `scanner/${name}`,
    sourceAddress: `2001:db8::${(index % 65_536).toString(16)}`,
    identityHash: '',
    auth: 'none',
    status: 404,
    responseFlags: 'NR',
    route: '',
    cluster: '',
  });
}

const readOperations = ({ project } = world) =>
  database.db
    .selectFrom('inventory_operations')
    .select(['host', 'path as normalized_path', 'method', 'confirmed', 'seen as seen_count'])
    .where('project_id', '=', project)
    .execute();

const countSeries = async () =>
  (await metrics.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;

describe('hostile entries', () => {
  it('through the thread become rows without controls, and stop nothing', { timeout: 120_000 }, async () => {
    const other = await createWorld(database, 'hostile');
    const texts = [
      '/\0nul',
      '/\u001b[2Jescape',
      '/<script>alert(1)</script>',
      "/=HYPERLINK('x')",
      '/\ud800lone',
      '/\u202eright',
      `/${'é'.repeat(2000)}`,
      '/%00%ff',
      `/${'a/'.repeat(1900)}`,
      "/'; drop table inventory_operations; --",
    ];
    const entries = texts.flatMap((text, index) => {
      const name = text.slice(0, 200);
      const times = [0, 1, Date.now(), Date.now() + 86_400_000 * 400, 253_402_300_000_000];
      return [
        createEntry({ path: text, authority: name, userAgent: name, origin: name, timeMs: times[index % 5] ?? 0 }),
        createEntry({
          route: name,
          cluster: name,
          contentType: name,
          requestContentType: name,
          requestId: name.slice(0, 60),
          timeMs: Date.now(),
        }),
      ];
    });
    await deliver(1, [...entries, createEntry({ path: '/api/orders', timeMs: Date.now() })], other);
    const rows = await readOperations(other);
    expect(rows.reduce((sum, { seen_count: seen }) => sum + Number(seen), 0)).toBe(entries.length + 1);
    for (const { host, normalized_path: path } of rows) {
      expect(`${host}${path}`).not.toMatch(/\p{Cc}/u);
      expect(`${host}${path}`.isWellFormed()).toBe(true);
      expect(path.length).toBeLessThanOrEqual(4096);
    }
    expect(rows).toContainEqual(expect.objectContaining({ normalized_path: '/api/orders', confirmed: true }));
    const now = Date.now();
    const range = { from: now - 3_600_000, to: now + 60_000 };
    const stored = await collector.events.store?.totals(toProjectId(other.project), range);
    expect(stored?.data.events).toBe(entries.length + 1);
  });
});

describe('a scanner of which no two requests are alike', { timeout: isFullTier ? 900_000 : 120_000 }, () => {
  it('leaves real operations exact, and rows, memory and metrics bounded', async () => {
    const real = () =>
      Array.from({ length: REAL }, (_, index) => createEntry({ timeMs: Date.now(), path: `/api/orders/${index}` }));
    let series = 0;
    let firstBytes = 0;
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const probes = Array.from({ length: PER_BATCH }, (_, index) => createProbe(batch * PER_BATCH + index));
      await deliver(batch + 1, [...probes, ...real()]);
      if (batch !== 4) continue;
      series = await countSeries();
      firstBytes = process.memoryUsage().rss;
    }
    const rows = await readOperations();
    const seenOf = (list: typeof rows) => list.reduce((sum, { seen_count: seen }) => sum + Number(seen), 0);
    const confirmed = rows.filter((row) => row.confirmed);
    expect(seenOf(confirmed)).toBe(BATCHES * REAL);
    expect(confirmed.length).toBeLessThanOrEqual(REAL + 1);
    const probes = rows.filter((row) => !row.confirmed);
    expect(seenOf(probes)).toBe(COUNT);
    expect(probes.length).toBeLessThanOrEqual(10_001);
    // Operations without a row of their own are counted under the name of the rest.
    const others = probes.filter(({ host, normalized_path: path }) => host === '{other}' || path === '/{other}');
    expect(seenOf(others)).toBeGreaterThan(COUNT * 0.5);
    // Labels have closed sets of values, of which some may occur later.
    expect(await countSeries()).toBeLessThan(series + 10);
    expect(process.memoryUsage().rss - firstBytes).toBeLessThan(500 * 1024 * 1024);

    const now = Date.now();
    const range = { from: now - 3_600_000, to: now + 60_000 };
    const totals = await collector.events.store?.totals(toProjectId(world.project), range);
    expect(totals?.data.requests).toBe(COUNT + BATCHES * REAL);
  });
});
