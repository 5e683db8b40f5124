import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { auditRoutes, backupRoutes, profileRoutes } from '@flotilla/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from './connection.ts';
import { CliFailure, EXIT } from './exit-codes.ts';

const TIMEOUT_MS = 1000;
/** Larger than the socket buffers of both sides. */
const LARGE = new Blob([new Uint8Array(64 << 20)]);

let server: Server;
let url: string;
beforeEach(async () => {
  // Tests advance the timeouts themselves.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  server.closeAllConnections();
  server.close();
});

function openConnection(env: NodeJS.ProcessEnv = { SVC_TOKEN: 'flt_x' }): Promise<Connection> {
  const io = {
    env: { FLOTILLA_CONFIG: '/nowhere/cli.json', ...env },
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: new AbortController().signal,
    command: [],
  };
  return Connection.open(io, { url, timeoutMs: TIMEOUT_MS });
}

async function nextRequest(): Promise<[IncomingMessage, ServerResponse]> {
  return (await once(server, 'request')) as [IncomingMessage, ServerResponse];
}

/** Advances the time until `work` settles, and returns its outcome. */
async function advanceUntilSettled(work: Promise<unknown>): Promise<unknown> {
  const settled = work.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([settled, turn(false)]))) vi.advanceTimersByTime(TIMEOUT_MS);
  return work;
}

const NO_ANSWER = { exitCode: EXIT.unreachable, message: expect.stringContaining('it does not answer') };

describe('a response', () => {
  it('with a file may take longer than the timeout', async () => {
    const connection = await openConnection();
    const opened = connection.open(auditRoutes.export, { query: {} });
    const [, response] = await nextRequest();
    response.write('first ');
    const answer = await opened;
    vi.advanceTimersByTime(TIMEOUT_MS * 2);
    response.end('last');
    expect(await answer.text()).toBe('first last');
  });

  it('that does not begin times out', async () => {
    const connection = await openConnection();
    const call = connection.call(profileRoutes.get, {});
    await nextRequest();
    await expect(advanceUntilSettled(call)).rejects.toMatchObject(NO_ANSWER);
  });

  it('that does not end times out', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const connection = await openConnection();
    const call = connection.call(profileRoutes.get, {});
    const [, response] = await nextRequest();
    response.write('{"username":');
    // The headers have arrived, and only the end of the body is missing.
    await fetched.mock.results[0]?.value;
    await turn();
    vi.advanceTimersByTime(TIMEOUT_MS);
    await expect(call).rejects.toMatchObject(NO_ANSWER);
  });

  it('leaves no timer behind', async () => {
    const connection = await openConnection();
    const call = connection.call(profileRoutes.get, {});
    const [, response] = await nextRequest();
    response.end('{}');
    await call;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('an upload', () => {
  it('may take any time; the timeout starts at its end', async () => {
    const connection = await openConnection();
    const call = connection.call(backupRoutes.upload, { query: {}, file: LARGE });
    const [request] = await nextRequest();
    expect(request.headers['content-length']).toBe(String(LARGE.size));
    vi.advanceTimersByTime(TIMEOUT_MS * 2);
    let received = 0;
    for await (const bytes of request) received += (bytes as Buffer).length;
    expect(received).toBe(LARGE.size);
    await expect(advanceUntilSettled(call)).rejects.toMatchObject(NO_ANSWER);
  });

  it('may be refused before all bytes are sent', async () => {
    const connection = await openConnection();
    const call = connection.call(backupRoutes.upload, { query: {}, file: LARGE });
    const [request, response] = await nextRequest();
    response.writeHead(413, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 'request.too_large', message: 'It is too large.', request_id: 'r-1' }));
    await expect(call).rejects.toMatchObject({ status: 413, message: 'It is too large.' });
    request.resume();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('SVC_TOKEN', () => {
  it('is named in the error if the controller refuses it', async () => {
    const connection = await openConnection();
    const call = connection.call(profileRoutes.get, {}).catch((error: unknown) => error);
    const [, response] = await nextRequest();
    response.writeHead(401, { 'content-type': 'application/json' });
    const details = ['is of another installation', 'has ended'].map((message) => ({ path: '', rule: 'x', message }));
    response.end(JSON.stringify({ code: 'auth.invalid', message: 'Sign in again.', request_id: 'r-1', details }));
    const failure = await call;
    expect(failure).toBeInstanceOf(CliFailure);
    expect(failure).toMatchObject({
      exitCode: EXIT.forbidden,
      message: 'Sign in again.',
      lines: ['  is of another installation', '  has ended', '  SVC_TOKEN is set and used instead of a session.'],
    });
  });

  it('is ignored if it is blank: the session is used and renewed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-connection-'));
    const settings = join(folder, 'cli.json');
    const expires = '2999-01-01T00:00:00Z';
    const session = { access_token: 'old', expires_at: expires, refresh_token: 'refresh', refresh_expires_at: expires };
    await writeFile(settings, JSON.stringify({ url, session }));
    const received: (string | undefined)[] = [];
    server.on('request', (request, response) => {
      received.push(request.headers.authorization);
      const isOld = received.length === 1;
      response.writeHead(isOld ? 401 : 200, { 'content-type': 'application/json' });
      const refusal = { code: 'auth.expired', message: 'It has ended.', request_id: 'r-1' };
      response.end(JSON.stringify(isOld ? refusal : { access_token: 'new', expires_at: expires }));
    });
    const connection = await openConnection({ SVC_TOKEN: ' \n', FLOTILLA_CONFIG: settings });
    await connection.call(profileRoutes.get, {});
    expect(received).toEqual(['Bearer old', 'Bearer refresh', 'Bearer new']);
    await rm(folder, { recursive: true });
  });
});
