import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { threatIntelRoutes } from '@flotilla/contract';
import Fastify from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { acceptJson } from './json-body.ts';
import { endSlowRequests } from './slow-requests.ts';
import { acceptUpload, readUpload, UPLOAD_TYPE } from './upload-body.ts';

const BODY_MAX_MS = 100;

async function listen(bodyMaxMs = BODY_MAX_MS) {
  const app = Fastify();
  endSlowRequests(app, bodyMaxMs);
  acceptJson(app);
  app.post('/taken', () => 'taken');
  app.post('/refused', { onRequest: async (_request, reply) => reply.code(401).send('refused') }, () => 'never');
  await app.register(async (files) => {
    acceptUpload(files);
    const config = { contract: threatIntelRoutes.upload };
    files.decorateRequest('admission', undefined);
    files.post('/file', { config }, async (request) => {
      request.admission = { actor: { kind: 'anonymous' }, scope: undefined };
      return text(readUpload(request, false).chunks);
    });
    files.post(
      '/refused-file',
      { config, onRequest: async (_, reply) => reply.code(401).send('refused') },
      () => 'never',
    );
  });
  app.get('/slow', () => setTimeout(BODY_MAX_MS * 3, 'slow'));
  const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  return { url, [Symbol.asyncDispose]: () => app.close() };
}

/** Returns everything that is sent until the server closes the connection. */
async function speak(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(head);
  let said = '';
  for await (const chunk of socket) said += String(chunk);
  return said;
}

const unended = (type: string) => `host: localhost\r\ncontent-type: ${type}\r\ncontent-length: 100\r\n\r\n{`;

const typeOf = (path: string) => (path.endsWith('file') ? UPLOAD_TYPE : 'application/json');

it.each(['taken', 'refused', 'nowhere', 'refused-file'])(
  'a request whose body never ends is refused, and its connection ends: /%s',
  async (path) => {
    await using server = await listen();
    const said = await speak(Number(server.url.port), `POST /${path} HTTP/1.1\r\n${unended(typeOf(path))}`);
    expect(said).toContain('408 Request Timeout');
    expect(said).toContain('"code":"request.timeout"');
  },
);

it('the file of an authenticated caller gets more time', async () => {
  await using server = await listen();
  async function* pieces() {
    for (let i = 0; i < 4; i += 1) {
      yield Buffer.from('piece ');
      await setTimeout(BODY_MAX_MS);
    }
  }
  const init = { method: 'POST', headers: { 'content-type': UPLOAD_TYPE }, body: pieces(), duplex: 'half' } as const;
  const response = await fetch(new URL('/file', server.url), init);
  expect([response.status, await response.text()]).toEqual([200, 'piece '.repeat(4)]);
});

it('an answer may take any time', async () => {
  await using server = await listen();
  const response = await fetch(new URL('/slow', server.url));
  expect([response.status, await response.text()]).toEqual([200, 'slow']);
});

it('only a request with a body needs a timer', async () => {
  const bodyMaxMs = 98_765;
  await using server = await listen(bodyMaxMs);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const timed = async (init: RequestInit) => {
    timers.mockClear();
    await (await fetch(new URL('/taken', server.url), init)).text();
    return timers.mock.calls.filter(([, ms]) => ms === bodyMaxMs).length;
  };
  expect(await timed({})).toBe(0);
  const headers = { 'content-type': 'application/json' };
  expect(await timed({ method: 'POST', headers, body: '{}' })).toBe(1);
  const body = new Blob(['{}']).stream();
  expect(await timed({ method: 'POST', headers, body, duplex: 'half' } as RequestInit)).toBe(1);
});

it('the timer ends with a complete body', async () => {
  const bodyMaxMs = 98_765;
  const app = Fastify();
  endSlowRequests(app, bodyMaxMs);
  acceptJson(app);
  app.post('/taken', () => 'taken');
  const begun = vi.spyOn(globalThis, 'setTimeout');
  const ended = vi.spyOn(globalThis, 'clearTimeout');
  onTestFinished(() => {
    begun.mockRestore();
    ended.mockRestore();
  });
  // An injected request has no socket, so it never closes.
  const answer = await app.inject({ method: 'POST', url: '/taken', payload: { whole: true } });
  expect(answer.body).toBe('taken');
  const at = begun.mock.calls.findIndex(([, ms]) => ms === bodyMaxMs);
  expect(ended).toHaveBeenCalledWith(begun.mock.results[at]?.value);
});
