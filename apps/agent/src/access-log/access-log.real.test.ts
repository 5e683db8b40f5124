import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createTestStreams, type TestStreams } from '@flotilla/controller/testing/streams';
import { sleep } from '@flotilla/kit';
import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeCollector } from '../testing/fake-collector.ts';
import { LoggedEdge } from '../testing/logged-edge.ts';
import { waitFor } from '../testing/test-agent.ts';

/** Long paths fill the disk with few requests. */
const LONG = 'abcdefghijklmnopqrstuvwxyz'.repeat(4);
const PROCESS = join(import.meta.dirname, '../testing/host-agent-process.ts');

let collector: FakeCollector;
let t: TestStreams;
let edge: LoggedEdge | undefined;
beforeEach(async () => {
  collector = new FakeCollector();
  t = await createTestStreams({ logs: collector });
});
afterEach(async () => {
  await edge?.close();
  edge = undefined;
  await t.close();
});

async function createEdge(version: string = TEST_ENVOY_VERSIONS.newest): Promise<LoggedEdge> {
  edge = await LoggedEdge.create(t, version);
  return edge;
}

const serves = (one: LoggedEdge) => waitFor('Envoy serves', async () => (await one.get('/ready')) === 'answer');
const arrives = (path: string) => waitFor(`${path} arrives`, () => collector.paths().includes(path));

/** Sends a request and returns the length of the answer. */
async function askHttp2(port: number, path: string): Promise<number> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const request = session.request({ ':path': path, ':method': 'POST', 'content-type': 'application/json' });
  request.end('{}');
  let length = 0;
  for await (const chunk of request) length += (chunk as Buffer).length;
  session.close();
  return length;
}

/** Sends a request through the TCP proxy. */
async function askTcp(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /secret HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
}

describe.each(TIER_ENVOY_VERSIONS)('the access log of Envoy %s', (version) => {
  it('arrives at the controller as entries without secrets', async () => {
    const one = await createEdge(version);
    await one.start();
    await serves(one);
    const authorization = `Basic ${Buffer.from('alice:s3cret').toString('base64')}`;
    await one.get('/v1/orders/7?email=alice%40example.com&token=s3cret', { authorization, 'user-agent': 'test/1' });
    await one.get('/missing');
    await askHttp2(one.httpPort, '/v2');
    await askTcp(one.tcpPort);
    await arrives('/v1/orders/7');
    await arrives('/v2');
    await arrives('/missing');
    await waitFor('the connection', () => collector.batches.some(({ listener }) => listener === 'tcp'));
    const find = (path: string) => collector.entries.find((entry) => entry.path === path);
    expect(find('/v1/orders/7')).toMatchObject({
      protocol: 'http/1.1',
      method: 'GET',
      authority: `127.0.0.1:${one.httpPort}`,
      status: 200,
      sourceAddress: '127.0.0.1',
      userAgent: 'test/1',
      route: 'all',
      cluster: 'backend',
      auth: 'basic',
      queryNames: ['email', 'token'],
      queryPii: ['email'],
      signs: ['query_credential'],
      action: '',
      tlsVersion: '',
    });
    expect(find('/v1/orders/7')?.identityHash).toMatch(/^[0-9a-f]{32}$/);
    expect(find('/v1/orders/7')?.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(Math.abs((find('/v1/orders/7')?.timeMs ?? 0) - Date.now())).toBeLessThan(600_000);
    expect(find('/v2')).toMatchObject({ protocol: 'http/2', method: 'POST', requestContentType: 'application/json' });
    expect(find('/missing')).toMatchObject({ status: 404, cluster: '', route: '' });
    const connection = collector.batches.find(({ listener }) => listener === 'tcp')?.entries[0];
    expect(connection).toMatchObject({ protocol: 'tcp', cluster: 'backend', path: '', sourceAddress: '127.0.0.1' });
    expect(connection?.requestBytes).toBeGreaterThan(0);
    expect(JSON.stringify(collector.entries)).not.toMatch(/s3cret|alice|secret/);
  });
});

describe('while the controller is away', () => {
  it('requests are answered, and entries arrive once and in order when it is back', async () => {
    const one = await createEdge();
    await one.start();
    await serves(one);
    await arrives('/ready');
    await t.stop();
    const wanted: string[] = [];
    for (let i = 0; i < 60; i += 1) {
      wanted.push(`/n${i}`);
      expect(await one.get(`/n${i}`)).toBe('answer');
      await sleep(20);
    }
    // An agent that is replaced meanwhile loses nothing that is on disk.
    await waitFor('on disk', () => segmentSizes(one).length > 0);
    await sleep(1500);
    await one.stop();
    await one.start();
    await t.restart();
    await arrives('/n59');
    await waitFor('all', () => wanted.every((path) => collector.paths().includes(path)));
    expect(collector.paths().filter((path) => path.startsWith('/n'))).toEqual(wanted);
    expect(collector.changed).toBe(0);
    expectNoGaps();
  });

  it('the newest entries are kept within the limit, the oldest leave a gap, and requests are answered', async () => {
    collector.mode = 'hold';
    const one = await createEdge();
    const limit = 40_000;
    await one.start({ logSpoolBytes: limit, accessLogs: { segmentBytes: 8000 } });
    await serves(one);
    // Each batch has a segment of its own; four are in flight, and a few fit into the limit.
    for (let round = 0; newestSegment(one) < 20 && round < 200; round += 1) {
      const paths = Array.from({ length: 150 }, (_, i) => `/r${round}-${i}/${shuffle(LONG, round * 150 + i)}`);
      const answers = await Promise.all(paths.map((path) => one.get(path)));
      expect(new Set(answers)).toEqual(new Set(['answer']));
      await sleep(150);
    }
    await one.get('/last');
    await sleep(1500);
    // The newest segment stays whatever its size is.
    const sizes = segmentSizes(one);
    expect(sizes.slice(0, -1).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limit);
    collector.mode = 'store';
    await arrives('/last');
    // Four batches were in flight when the first segments were dropped.
    const sequences = collector.batches.map(({ sequence }) => sequence).sort((a, b) => a - b);
    const missing = (sequences.at(-1) ?? 0) - sequences.length;
    expect(missing).toBeGreaterThan(0);
    expect(new Set(sequences).size).toBe(sequences.length);
  });

  it('a controller that never answers slows no request', async () => {
    collector.mode = 'hang';
    const one = await createEdge();
    await one.start();
    await serves(one);
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => one.get(`/x${round}-${i}`)));
      expect(new Set(answers)).toEqual(new Set(['answer']));
    }
  });
});

it('kill -9 of the agent under load affects no request, leaves no gap in the numbers, and gives no entry twice', async () => {
  const one = await createEdge();
  const { runtimeDir, dataDir } = one.testHost.dirs;
  const args = [PROCESS, String(t.port), dataDir, runtimeDir, dataDir, TEST_ENVOY_CACHE_DIR];
  const start = () => spawn(process.execPath, args, { stdio: 'ignore' });
  const kill = async (child: ChildProcess) => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  let child = start();
  try {
    await serves(one);
    let sent = 0;
    const failed: string[] = [];
    const stop = new AbortController();
    const load = (async () => {
      while (!stop.signal.aborted) {
        const path = `/k${sent}`;
        sent += 1;
        if ((await one.get(path)) !== 'answer') failed.push(path);
        await sleep(3);
      }
    })();
    for (let round = 0; round < 4; round += 1) {
      const from = sent;
      await waitFor('this agent logs', () => collector.paths().some((path) => Number(path.slice(2)) >= from));
      await sleep(Math.random() * 700);
      await kill(child);
      child = start();
    }
    stop.abort();
    await load;
    // Envoy is never affected by its agent.
    expect(failed).toEqual([]);
    await waitFor('the agent logs again', async () => {
      await one.get('/after');
      return collector.paths().includes('/after');
    });
    const paths = collector.paths().filter((path) => path.startsWith('/k'));
    expect(new Set(paths).size).toBe(paths.length);
    expect(collector.changed).toBe(0);
    expectNoGaps();
  } finally {
    await kill(child);
  }
}, 120_000);

/** Sequences of each epoch are complete. */
function expectNoGaps(): void {
  const byEpoch = Map.groupBy(collector.batches, ({ epoch }) => epoch);
  for (const [epoch, batches] of byEpoch) {
    const sequences = batches.map(({ sequence }) => sequence).sort((a, b) => a - b);
    expect(sequences, epoch).toEqual(sequences.map((_, i) => i + 1));
  }
  expect(byEpoch.size).toBe(1);
}

/** The number in the name of the newest segment; 0: there is none. */
function newestSegment({ layout: { accessLogDir } }: LoggedEdge): number {
  return existsSync(accessLogDir)
    ? Math.max(0, ...readdirSync(accessLogDir).map((name) => Number.parseInt(name, 10)))
    : 0;
}

/** Oldest first. Empty before the first batch. */
function segmentSizes(one: LoggedEdge): number[] {
  const dir = one.layout.accessLogDir;
  if (!existsSync(dir)) return [];
  const files = readdirSync(dir)
    .sort()
    .map((name) => statSync(join(dir, name)));
  expect(files.every(({ mode }) => (mode & 0o777) === 0o600)).toBe(true);
  return files.map(({ size }) => size);
}

/** Texts that differ everywhere, so that they are not compressed away. */
function shuffle(text: string, seed: number): string {
  let state = seed * 2_654_435_761 + 1;
  return [...text]
    .map((letter) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return String.fromCharCode(97 + ((letter.charCodeAt(0) + (state >>> 16)) % 26));
    })
    .join('');
}
