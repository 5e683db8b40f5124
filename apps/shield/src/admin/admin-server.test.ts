import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CounterBook, type UncountedFinding } from '@flotilla/decision';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FindingLog } from '../events/finding-log.ts';
import { MinuteBook } from '../metrics/minute-book.ts';
import { ShieldMetrics } from '../metrics/shield-metrics.ts';
import { PolicySource } from '../policy-source.ts';
import type { SelfTestResult } from '../self-test/self-test.ts';
import { createTrafficCells } from '../threads/traffic-recorder.ts';
import { type AdminServer, createAdminServer } from './admin-server.ts';
import { isRebound } from './rebinding.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: shop }
spec:
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          api_key: { keys: [{ key: THE-KEY, subject: till }] }
          rate_limit: { requests_per_second: 0.001, burst: 1 }
`;
const FINDING: UncountedFinding = {
  time: '2026-01-01T00:00:00.000Z',
  request_id: 'r',
  node: 'edge-1',
  host: 'api.example.com',
  method: 'GET',
  path: '/',
  policy: 'shop',
  route: '',
  engine: 'api_key',
  reason: 'apikey.missing',
  severity: 'high',
  verdict: 'blocked',
  status: 403,
  subject: '',
  source_ip: '',
  digest: 'd',
  detail: '',
};

let folder: string;
let path: string;
let admin: AdminServer;
let source: PolicySource;
let findings: FindingLog;
let reading: SelfTestResult;
let duty: 'serving' | 'standby';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shield-admin-'));
  path = join(folder, 'a.sock');
  await writeFile(join(folder, 'p.yaml'), POLICY);
  reading = { state: 'unknown', problems: [] };
  duty = 'serving';
  const counters = new CounterBook();
  source = new PolicySource({ path: join(folder, 'p.yaml') });
  await source.start({ watch: false });
  const metrics = new ShieldMetrics({
    threads: 1,
    traffic: createTrafficCells(1),
    counters,
    limiters: () => source.current.limiters,
    selfTest: () => reading,
  });
  findings = new FindingLog({
    epoch: counters.epoch,
    keep: 3,
    logger: createSilentLogger(),
    onDropped: () => undefined,
  });
  admin = createAdminServer({
    node: 'edge-1',
    source,
    metrics,
    minutes: new MinuteBook(counters, systemClock),
    findings,
    selfTest: () => reading,
    threads: () => [{ thread: 0, listen: 'unix:/s' }],
    trustedHops: 1,
    duty: () => duty,
    pair: 'shield-7',
    logger: createSilentLogger(),
  });
  await admin.listen({ kind: 'unix', path });
});

afterEach(async () => {
  await admin.close();
  await source.close();
  await rm(folder, { recursive: true, force: true });
});

function call(target: string, { method = 'GET', body = '' } = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string; retryAfter: string }>();
  request({ socketPath: path, path: target, method, agent: false }, (response) => {
    let text = '';
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const retryAfter = response.headers['retry-after'] ?? '';
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text, retryAfter }));
  })
    .on('error', reject)
    .end(body);
  return promise;
}

const json = async (target: string, options?: { method: string; body: string }) =>
  JSON.parse((await call(target, options)).text);
const post = (body: object | string) =>
  call('/explain', { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });

// Each of these starts a thread.
describe('/explain', { timeout: 120_000 }, () => {
  it('answers a posted request by the current bundle', async () => {
    const { status, text } = await post({ url: 'https://api.example.com/x', headers: [['x-api-key', 'THE-KEY']] });
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ verdict: 'allowed' })]);
    expect(JSON.parse((await post({ url: 'https://api.example.com/x' })).text)).toMatchObject({
      verdict: 'blocked',
      decisive: { reason: 'apikey.missing' },
    });
    expect(text).not.toContain('THE-KEY');
  });

  it('accepts simple requests in its query, and uses the trusted hops of the filter', async () => {
    const query = new URLSearchParams({ url: '/x', host: 'api.example.com', method: 'POST', body: 'b' });
    query.append('header', 'X-Forwarded-For: 198.51.100.1, 192.0.2.1');
    expect(await json(`/explain?${query}`)).toMatchObject({
      request: { method: 'POST', source_ip: '198.51.100.1' },
      body: { sent_bytes: 1 },
    });
  });

  it('takes nothing from the limiters of live requests', async () => {
    const trial = { url: 'https://api.example.com/x', source_ip: '192.0.2.1', headers: [['x-api-key', 'THE-KEY']] };
    for (let i = 0; i < 3; i++) expect(JSON.parse((await post(trial)).text).verdict).toBe('allowed');
    expect((await call('/metrics')).text).toContain('flotilla_shield_rate_limit_keys 0\n');
  });

  it.each<[string, string]>([
    ['{', 'not JSON'],
    ['[]', 'JSON object'],
    ['{"url":"/","nonsense":1}', 'not a field'],
  ])('refuses %s', async (body, message) => {
    const { status, text } = await post(body);
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
  });

  it('refuses a body that is too large without reading all of it, and keeps serving', async () => {
    const socket = connect(path);
    const answers: string[] = [];
    socket.on('data', (chunk) => answers.push(chunk.toString()));
    socket.on('error', () => undefined);
    socket.write(`POST /explain HTTP/1.1\r\nHost: x\r\nContent-Length: ${1024 ** 4}\r\n\r\n`);
    const piece = Buffer.alloc(256 * 1024, 'x');
    for (let i = 0; i < 10; i++) socket.write(piece);
    await expect.poll(() => answers.join('')).toContain('413');
    socket.destroy();
    expect((await call('/healthz')).status).toBe(200);
  });

  it('refuses trials when the queue is full, says when to retry, and answers the queued ones', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => post({ url: 'https://api.example.com/x' })));
    const busy = answers.filter(({ status }) => status === 503);
    expect(busy.length).toBeGreaterThan(0);
    for (const { text, retryAfter } of busy) expect([JSON.parse(text), retryAfter]).toEqual([expect.anything(), '1']);
    const explained = answers.filter(({ status }) => status === 200);
    expect(explained.length).toBe(40 - busy.length);
    for (const { text } of explained) expect(JSON.parse(text)).toMatchObject({ verdict: 'blocked' });
    expect((await post({ url: 'https://api.example.com/x' })).status).toBe(200);
  });

  it('rejects other write methods', async () => {
    expect((await call('/events', { method: 'POST' })).status).toBe(405);
    expect((await call('/explain', { method: 'DELETE' })).status).toBe(405);
  });
});

describe('/events', () => {
  it('returns findings page by page', async () => {
    for (let i = 0; i < 4; i++) findings.add(FINDING);
    const first = await json('/events?after=0&limit=2');
    expect(first).toMatchObject({ next: 3, dropped: 1, events: [{ seq: 2, reason: 'apikey.missing' }, { seq: 3 }] });
    expect(first.epoch).toBe((await json('/countersz')).epoch);
    expect(await json(`/events?after=${first.next}`)).toMatchObject({ next: 4, dropped: 0, events: [{ seq: 4 }] });
  });

  it.each(['after=-1', 'after=x', 'limit=0', 'limit=1001', 'limit=1.5'])('refuses %s', async (query) => {
    expect((await call(`/events?${query}`)).status).toBe(400);
  });
});

describe('readiness', () => {
  it('is false while nothing is served, and while Envoy is configured so that the filter cannot work', async () => {
    expect(await call('/readyz')).toMatchObject({ status: 200, text: 'ready\n' });
    reading = { state: 'failing', problems: ['Envoy does not send the body'] };
    expect(await call('/readyz')).toMatchObject({
      status: 503,
      text: 'self-test failing\nEnvoy does not send the body\n',
    });
    expect(await json('/configz')).toMatchObject({ self_test: reading });
    reading = { state: 'ok', problems: [] };
    expect((await call('/readyz')).status).toBe(200);
    duty = 'standby';
    expect(await call('/readyz')).toMatchObject({ status: 503, text: 'not serving\n' });
  });
});

it('/configz returns digest, files, threads and the last error', async () => {
  const good = await json('/configz');
  expect(good).toMatchObject({
    version: expect.stringMatching(/^[0-9a-f]{64}$/),
    policies: ['shop'],
    sources: [{ path: 'p.yaml', bytes: POLICY.length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    sources_total: 1,
    last_error: null,
    node: 'edge-1',
    threads: [{ thread: 0, listen: 'unix:/s' }],
  });
  expect(JSON.stringify(good)).not.toContain('THE-KEY');
  await writeFile(join(folder, 'p.yaml'), POLICY.replace('burst: 1', 'burst: -1'));
  await source.reload();
  expect(await json('/configz')).toMatchObject({
    version: good.version,
    sources: good.sources,
    consecutive_failures: 1,
    last_error: { message: expect.stringContaining('burst'), problems: [{ line: 10 }] },
  });
});

it('slow clients stay connected while their requests fit into memory, and further ones are refused', async () => {
  const slow = Array.from({ length: 64 }, () => connect(path));
  try {
    await Promise.all(slow.map((socket) => once(socket, 'connect')));
    for (const socket of slow) socket.write('POST /explain HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{');
    await expect(call('/healthz')).rejects.toThrow();
    slow[0]?.destroy();
    await vi.waitFor(async () => expect((await call('/healthz')).status).toBe(200));
  } finally {
    for (const socket of slow) socket.destroy();
  }
});

it('a web page whose own name resolves to this host is detected', () => {
  expect(['127.0.0.1:9000', '[::1]:9000', 'localhost:1', 'x.localhost', undefined].map(isRebound)).toEqual(
    Array.from({ length: 5 }, () => false),
  );
  expect(['evil.example', 'evil.example:9000', 'localhost.evil.example', ''].map(isRebound)).toEqual(
    Array.from({ length: 4 }, () => true),
  );
});
