import { Buffer } from 'node:buffer';
import { connect, type Socket } from 'node:net';
import { defineRoute } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createTestController, type TestController } from '../../testing/controller.ts';
import { implement } from './route.ts';

/** Every error at every layer has the same body, with a code and a message. */
const query = z.strictObject({});
const shared = {
  summary: 'Fails',
  tag: 'Jobs',
  family: 'jobs',
  access: { kind: 'public' },
  project: 'none',
  audit: null,
} as const;
const waits = defineRoute({ ...shared, id: 'waits', method: 'GET', path: '/api/v3/fails/waits', query, status: 200 });
const throws = defineRoute({
  ...shared,
  id: 'throws',
  method: 'GET',
  path: '/api/v3/fails/throws',
  query,
  status: 200,
});

let release = (): void => {};
const released = new Promise<void>((resolve) => {
  release = resolve;
});
let arrived = (): void => {};
const arrival = new Promise<void>((resolve) => {
  arrived = resolve;
});

let t: TestController;
let port: number;
beforeAll(async () => {
  t = await createTestController(
    {},
    {
      moreRoutes: [
        implement(waits, async () => {
          arrived();
          await released;
          return { body: { waited: true } };
        }),
        implement(throws, async () => {
          throw new TypeError('a secret of the code');
        }),
      ],
    },
  );
  port = Number(new URL(await t.app.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(async () => {
  release();
  await t.close();
});

interface Said {
  readonly status: number;
  readonly headers: string;
  readonly body: Record<string, unknown>;
}

/** Sends the bytes over one connection and returns the answers until it closes. */
async function speak(bytes: string): Promise<Said[]> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return split(await readAll(socket));
}

/** Reads until the connection ends in any way: a server that answers before it has read everything resets it. */
function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

function split(received: string): Said[] {
  const said: Said[] = [];
  let rest = received;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const headers = rest.slice(0, end).toLowerCase();
    const length = Number(/content-length: (\d+)/.exec(headers)?.[1] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    said.push({ status: Number(headers.split(' ')[1]), headers, body: body ? JSON.parse(body) : {} });
    rest = rest.slice(end + 4 + length);
  }
  return said;
}

function expectEnvelope({ status, headers, body }: Said, expected: number, code: string): void {
  expect(status, JSON.stringify(body)).toBe(expected);
  expect(body).toMatchObject({ code, request_id: expect.stringMatching(/^[\w.-]{8,}$/) });
  expect(String(body.message).length).toBeGreaterThan(10);
  expect(body.error).toBe(body.message);
  expect(body).not.toHaveProperty('statusCode');
  expect(headers).toContain('content-type: application/json');
  expect(headers).toContain('cache-control: no-store');
}

const request = (line: string, headers: readonly string[] = [], body = '') =>
  `${[`${line} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers].join('\r\n')}\r\n\r\n${body}`;
const post = (path: string, body: string, headers: readonly string[] = ['content-type: application/json']) =>
  request(`POST ${path}`, [...headers, `content-length: ${body.length}`], body);

describe('the standard error body', () => {
  const LOGIN = '/auth/login';
  it.each<[string, string, number, string]>([
    ['an address that is not there', request('GET /api/v3/nothing'), 404, 'request.not_found'],
    ['an address that cannot be decoded', request('GET /api/v3/%ff%'), 404, 'request.not_found'],
    ['another method than those that are taken', request(`PUT ${LOGIN}`), 405, 'request.method'],
    ['a method that nobody knows', request('PROPFIND /api/v3/profile'), 405, 'request.method'],
    ['no token', request('GET /api/v3/profile'), 401, 'auth.missing'],
    ['a body that is no JSON', post(LOGIN, '{'), 400, 'request.malformed'],
    ['a body of another type', post(LOGIN, 'a=b', ['content-type: text/plain']), 415, 'request.media_type'],
    ['a body that is too large by what it says', post(LOGIN, 'x'.repeat(70_000)), 413, 'request.too_large'],
    ['a body that is not valid', post(LOGIN, '{}'), 400, 'request.invalid'],
    ['a failure of ours', request('GET /api/v3/fails/throws'), 500, 'internal.failure'],
    ['what is no HTTP', 'rubbish\r\n\r\n', 400, 'request.not_http'],
    [
      'two lengths',
      `${request('POST /auth/login', ['content-length: 1', 'content-length: 2'])}x`,
      400,
      'request.not_http',
    ],
    ['headers without end', request('GET /', [`x: ${'x'.repeat(70_000)}`]), 431, 'request.headers_too_large'],
  ])('describes %s', async (_what, bytes, status, code) => {
    const [said, ...more] = await speak(bytes);
    expect(more).toEqual([]);
    expectEnvelope(said ?? { status: 0, headers: '', body: {} }, status, code);
    expect(JSON.stringify(said?.body)).not.toContain('secret of the code');
  });

  it('describes a body that exceeds its limit without a Content-Length', async () => {
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const headers = ['content-type: application/json', 'transfer-encoding: chunked'];
    const [said] = await speak(request('POST /auth/login', headers) + chunk.repeat(20));
    expectEnvelope(said ?? { status: 0, headers: '', body: {} }, 413, 'request.too_large');
  });

  it('names the methods of an address, with the same headers for HEAD', async () => {
    const [said] = await speak(request('DELETE /api/v3/setting/users'));
    expect(said?.headers).toContain('allow: get, head, post');
    const [byId] = await speak(request('POST /api/v3/setting/tokens/x'));
    expect(byId?.headers).toContain('allow: delete, get, head, patch');
    const [head] = await speak(request('HEAD /auth/login'));
    expect(head?.status).toBe(405);
  });

  it('describes a request that never ended', async () => {
    const { server } = t.app;
    // Node reports a connection whose request does not arrive in time through this event.
    const socket = connect(port, '127.0.0.1');
    const all = readAll(socket);
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    socket.write('GET / HTTP/1.1\r\nhost: lo');
    const error = Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', error, await accepted);
    const [said] = split(await all);
    expectEnvelope(said ?? { status: 0, headers: '', body: {} }, 408, 'request.timeout');
  });

  it('describes a controller that is stopping while running answers are completed', async () => {
    const socket = connect(port, '127.0.0.1');
    const all = readAll(socket);
    const line = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    socket.write(line('/api/v3/fails/waits'));
    await arrival;
    const closing = t.app.close();
    await vi.waitFor(() => expect(t.app.server.listening).toBe(false));
    const refused = new Promise<void>((resolve) => t.app.server.once('request', () => resolve()));
    socket.write(line('/api/v3/fails/throws'));
    await refused;
    release();
    await closing;
    const [waited, said] = split(await all);
    expect(waited).toMatchObject({ status: 200, body: { waited: true } });
    expectEnvelope(said ?? { status: 0, headers: '', body: {} }, 503, 'service.unavailable');
    expect(said?.headers).toContain('retry-after: 1');
  });
});
