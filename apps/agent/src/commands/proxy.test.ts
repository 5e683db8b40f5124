import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeHost } from '../testing/fake-host.ts';
import { callProxy } from './proxy.ts';

const MIB = 1024 * 1024;

let dir: string;
let host: FakeHost;
let server: Server;
let seen: string[];
/** How the admin socket answers: a service may be compromised and answer with anything. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'proxy-'));
  host = new FakeHost();
  host.admin = { path: join(dir, 'admin.sock'), uid: process.getuid?.() };
  seen = [];
  answer = (_, response) => response.end('{}');
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(join(dir, 'admin.sock'), resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(dir, { recursive: true, force: true });
});

function run(operation: 'READ' | 'WRITE', payload: Record<string, unknown>, signal = new AbortController().signal) {
  const command = create(fleet.CommandSchema, { commandId: 'c', serviceId: 's', type: 'PROXY' });
  return callProxy(command, operation, { host, payload, signal });
}

describe('the agent calls', () => {
  it.each([
    [
      'READ',
      { path: '/stats', queries: { usedonly: 'true', filter: 'a&b' } },
      'GET /stats?usedonly=true&filter=a%26b&format=json',
    ],
    [
      'READ',
      { path: '/config_dump', queries: { resource: 'static_clusters' } },
      'GET /config_dump?resource=static_clusters',
    ],
    ['READ', { path: '/clusters' }, 'GET /clusters?format=json'],
    ['READ', { path: '/listeners', service: 'shop' }, 'GET /listeners?format=json'],
    ['WRITE', { path: '/healthcheck/fail' }, 'POST /healthcheck/fail'],
    ['WRITE', { path: '/logging', queries: { level: 'debug' } }, 'POST /logging?level=debug'],
  ] as const)('%s %j as one request', async (operation, payload, sent) => {
    expect(await run(operation, payload)).toMatchObject({ outcome: 'done', result: { status_code: 200 } });
    expect(seen).toEqual([sent]);
  });

  it.each([
    ['READ', { path: '/quitquitquit' }],
    ['READ', { path: '/stats/../quitquitquit' }],
    ['READ', { path: '/healthcheck/fail' }],
    ['READ', { path: '/healthcheck/fail', method: 'GET' }],
    ['READ', { path: '/stats', method: 'POST' }],
    ['READ', { path: '/stats', queries: { format: 'html' } }],
    ['WRITE', { path: '/stats' }],
    ['WRITE', { path: '/logging' }],
    ['WRITE', {}],
  ] as const)('nothing for %s %j, even if a controller sends it', async (operation, payload) => {
    expect(await run(operation, payload)).toMatchObject({ outcome: 'refused', code: 'proxy.not_allowed' });
    expect(seen).toEqual([]);
  });

  it('nothing for a service without an Envoy', async () => {
    host.admin = undefined;
    expect(await run('READ', { path: '/stats' })).toMatchObject({ outcome: 'failed', code: 'service.not_running' });
  });

  it('no socket that is gone or belongs to another user', async () => {
    host.admin = { path: join(dir, 'gone.sock'), uid: process.getuid?.() };
    expect(await run('READ', { path: '/stats' })).toMatchObject({ outcome: 'failed', code: 'proxy.unreachable' });
    host.admin = { path: join(dir, 'admin.sock'), uid: 4_000_000 };
    expect(await run('READ', { path: '/stats' })).toMatchObject({ outcome: 'failed', code: 'proxy.unreachable' });
    expect(seen).toEqual([]);
  });
});

describe('an answer of Envoy', () => {
  it('is parsed: JSON, levels of loggers, or a text', async () => {
    answer = (_, response) => response.end('active loggers:\n  admin: info\n  http: debug\n\n');
    const levels = await run('WRITE', { path: '/logging', queries: { paths: 'http:debug' } });
    expect(levels).toMatchObject({ outcome: 'done', result: { body: { levels: { admin: 'info', http: 'debug' } } } });
    answer = (_, response) => response.writeHead(503).end('DRAINING\n');
    const ready = await run('READ', { path: '/ready' });
    expect(ready).toEqual({ outcome: 'done', result: { path: '/ready', status_code: 503, body: 'DRAINING' } });
  });

  it('has no secrets', async () => {
    answer = (_, response) => response.end(JSON.stringify({ a: { password: 'hunter2' } }));
    expect(await run('READ', { path: '/certs' })).toMatchObject({
      result: { body: { a: { password: '[redacted]' } } },
    });
  });

  it.each([
    [400, 'Invalid regex: token=hunter2', /status 400: Invalid regex: token=\[redacted\]$/],
    [200, 'error: unknown logger name\n', /unknown logger name$/],
    [503, 'No admin layer specified', /No admin layer specified$/],
  ])('with status %i and %j is a refusal with its reason', async (status, text, message) => {
    answer = (_, response) => response.writeHead(status).end(text);
    const outcome = await run('READ', { path: '/runtime' });
    expect(outcome).toMatchObject({
      outcome: 'failed',
      code: 'proxy.refused',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['is empty', ''],
    ['is HTML', '<html>'],
    ['ends early', '{"a":'],
    ['nests too deeply', `${'['.repeat(100_000)}1${']'.repeat(100_000)}`],
  ])('that %s fails', async (_, text) => {
    answer = (_, response) => response.end(text);
    expect(await run('READ', { path: '/stats' })).toMatchObject({ outcome: 'failed', code: 'proxy.unreadable' });
  });

  it('that never ends is not read to its end', async () => {
    let sent = 0;
    answer = (_, response) => {
      const more = () => {
        for (let i = 0; i < 8 && !response.destroyed; i += 1) {
          sent += MIB;
          if (!response.write(Buffer.alloc(MIB, 'a'))) break;
        }
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const outcome = await run('READ', { path: '/config_dump' });
    expect(outcome).toMatchObject({
      outcome: 'failed',
      code: 'proxy.body_too_large',
      message: expect.stringContaining('name_regex'),
    });
    expect(sent).toBeLessThan(64 * MIB);
  });

  it('larger than a result may be is refused as a whole, never cut', async () => {
    answer = (_, response) => response.end(JSON.stringify({ stats: 'a'.repeat(3 * MIB) }));
    expect(await run('READ', { path: '/stats' })).toMatchObject({ outcome: 'failed', code: 'proxy.body_too_large' });
  });
});

describe('an Envoy that does not answer', () => {
  it('keeps the command until the caller gives up, and its connection is closed', async () => {
    const closed = vi.fn();
    answer = (request) => request.socket.on('close', closed);
    const caller = new AbortController();
    const running = run('READ', { path: '/stats' }, caller.signal);
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    caller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  });

  it('has one request at a time, and a queue with an end', async () => {
    const open: ServerResponse[] = [];
    answer = (_, response) => open.push(response);
    const running = Array.from({ length: 9 }, () => run('READ', { path: '/stats' }));
    expect(await run('READ', { path: '/stats' })).toMatchObject({ outcome: 'refused', code: 'proxy.busy' });
    for (let i = 0; i < 9; i += 1) {
      await vi.waitFor(() => expect(open).toHaveLength(1));
      open.pop()?.end('{}');
    }
    expect((await Promise.all(running)).map(({ outcome }) => outcome)).toEqual(Array(9).fill('done'));
    expect(seen).toHaveLength(9);
  });
});

describe('the pseudo path /envoy', () => {
  it('collects the requested parts, and a part that fails or is too large hides no other', async () => {
    answer = ({ url }, response) => {
      if (url === '/memory') response.writeHead(500).end('broken');
      else if (url === '/ready') response.end('LIVE\n');
      else response.end(JSON.stringify({ from: url, ...(url === '/config_dump' && { much: 'a'.repeat(3 * MIB) }) }));
    };
    const outcome = await run('READ', { path: '/envoy', queries: { parts: 'ready,memory,config_dump,stats' } });
    expect(outcome).toEqual({
      outcome: 'done',
      result: {
        path: '/envoy',
        status_code: 200,
        body: {
          config_dump: { error: { code: 'proxy.body_too_large', message: expect.any(String) } },
          memory: { error: { code: 'proxy.refused', message: expect.stringContaining('broken') } },
          ready: 'LIVE',
          stats: { from: '/stats?usedonly=true&format=json' },
        },
      },
    });
  });

  it('never sends a request that changes something', async () => {
    await run('READ', { path: '/envoy' });
    expect(seen.filter((line) => !line.startsWith('GET '))).toEqual(['POST /logging']);
    expect(seen).toHaveLength(10);
  });
});
