import { connect } from 'node:net';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { acceptJson } from './json-body.ts';
import { endSlowRequests } from './slow-requests.ts';

const BODY_MAX_MS = 100;

async function listen() {
  const app = Fastify();
  endSlowRequests(app, BODY_MAX_MS);
  acceptJson(app);
  app.post('/taken', () => 'taken');
  app.post('/refused', { onRequest: async (_request, reply) => reply.code(401).send('refused') }, () => 'never');
  app.get('/slow', () => new Promise((resolve) => setTimeout(resolve, BODY_MAX_MS * 3, 'slow')));
  const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  return { url, [Symbol.asyncDispose]: () => app.close() };
}

/** All that is said until the connection ends: it is not ended here. */
async function speak(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(head);
  let said = '';
  for await (const chunk of socket) said += String(chunk);
  return said;
}

const UNENDED = 'host: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';

it.each(['taken', 'refused', 'nowhere'])(
  'a request whose body never comes to its end is told so, and its connection ends: /%s',
  async (path) => {
    await using server = await listen();
    const said = await speak(Number(server.url.port), `POST /${path} HTTP/1.1\r\n${UNENDED}`);
    expect(said).toContain('408 Request Timeout');
    expect(said).toContain('"code":"request.timeout"');
  },
);

it('an answer may take as long as it likes', async () => {
  await using server = await listen();
  const response = await fetch(new URL('/slow', server.url));
  expect([response.status, await response.text()]).toEqual([200, 'slow']);
});
