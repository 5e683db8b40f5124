import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { endIdleWhenClosing } from './closing.ts';

const SHORT = 'GET /short HTTP/1.1\r\nhost: localhost\r\n\r\n';
const LONG = 'GET /long HTTP/1.1\r\nhost: localhost\r\n\r\n';

/** Starts a server. `begun` resolves when the long answer has started, with the function that ends it. */
async function listen() {
  const app = Fastify();
  endIdleWhenClosing(app);
  const begun = Promise.withResolvers<() => void>();
  app.get('/short', () => 'short');
  app.get('/long', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-length': 4 }).write('ab');
    begun.resolve(() => reply.raw.end('cd'));
  });
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  return {
    begun: begun.promise,
    close: () => app.close(),
    ask: async (sent: string) => {
      const accepted = once(app.server, 'connection');
      const socket = connect(Number(port), '127.0.0.1');
      await accepted;
      socket.write(sent);
      const said = text(socket);
      if (sent.includes('\r\n\r\n')) await once(socket, 'data');
      return { said };
    },
  };
}

it.each([
  ['nothing', '', ''],
  ['half a request', SHORT.slice(0, -4), ''],
  ['a request that was answered', SHORT, 'short'],
  ['half a request after one that was answered', `${SHORT}${SHORT.slice(0, -4)}`, 'short'],
])('closing does not wait for a connection that has sent %s', { timeout: 30_000 }, async (_, sent, answered) => {
  const server = await listen();
  const { said } = await server.ask(sent);
  await server.close();
  expect((await said).endsWith(answered)).toBe(true);
});

it('a running request is answered completely, and then its connection ends', { timeout: 30_000 }, async () => {
  const server = await listen();
  const { said } = await server.ask(LONG);
  const end = await server.begun;
  const closed = server.close().then(() => 'closed');
  expect(await Promise.race([closed, new Promise((resolve) => setImmediate(resolve, 'open'))])).toBe('open');
  end();
  expect(await closed).toBe('closed');
  expect((await said).endsWith('abcd')).toBe(true);
});
