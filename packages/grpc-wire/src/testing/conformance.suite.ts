import { constants } from 'node:http2';
import { Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEchoClient, EchoCall } from './echo-client.ts';
import type { EchoServer, StartEcho } from './echo-service.ts';
import { grpcMessage } from './frames.ts';
import { openSession, readAnswer, startRequest } from './http2-client.ts';

/** gRPC status codes (grpc/status.proto). */
const OK = 0;
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;
const UNIMPLEMENTED = 12;

/** Allows for a machine that is busy with other tests. */
const PATIENCE = { timeout: 90_000 };

const MESSAGE_MAX_BYTES = 17 * 1024 * 1024;

/** The behaviour of every gRPC server of the echo service, observed by two clients that are not ours. */
export function describeConformance(name: string, start: StartEcho): void {
  describe(name, { timeout: 120_000 }, () => {
    let server: EchoServer;
    let client: ReturnType<typeof createEchoClient>;
    const calling = (options = {}) => new EchoCall(client, options);

    beforeEach(async () => {
      server = await start();
      client = createEchoClient(server.port);
    });
    afterEach(async () => {
      client.close();
      await server.close(0);
    });

    it('echoes a message and ends normally when the client has ended', async () => {
      const { messages, code } = await calling().send('echo:hello').end().outcome;
      expect([messages.map(String), code]).toEqual([['echo:hello'], OK]);
    });

    it('ends a call without messages normally', async () => {
      expect(await calling().end().outcome).toEqual({ messages: [], code: OK });
    });

    it('accepts an empty message as a message', async () => {
      const { messages } = await calling().send('').send('').end().outcome;
      expect(messages.map((message) => message.length)).toEqual([0, 0]);
    });

    it('answers while the client is still sending', async () => {
      const call = calling();
      for (let n = 1; n <= 5; n++) {
        call.send(`echo:${n}`);
        expect(String((await call.received(n))[n - 1])).toBe(`echo:${n}`);
      }
      expect((await call.end().outcome).code).toBe(OK);
    });

    it('keeps many messages in order, both ways', async () => {
      const call = calling();
      for (let n = 0; n < 500; n++) call.send(`echo:${n}`);
      const { messages } = await call.send('many:500').end().outcome;
      const expected = Array.from({ length: 500 }, (_, n) => `echo:${n}`);
      expect(messages.map(String)).toEqual([...expected, ...Array.from({ length: 500 }, (_, n) => String(n))]);
    });

    it('carries messages of every size around frame and window boundaries', async () => {
      const sizes = [1, 4, 5, 16_378, 16_379, 16_380, 16_384, 65_530, 65_535, 65_536, 1_000_000, 5_000_000];
      for (const size of sizes) {
        const message = Buffer.concat([Buffer.from('echo:'), Buffer.alloc(size, size % 251)]);
        const { messages, code } = await calling().send(message).end().outcome;
        expect([code, messages.length, messages[0]?.equals(message)]).toEqual([OK, 1, true]);
      }
    });

    it('sends far more than any window holds', async () => {
      const { messages } = await calling().send('big:9000000').end().outcome;
      expect(messages[0]?.length).toBe(9_000_000);
    });

    it('ends with the status of the service, before and after messages', async () => {
      expect(await calling().send(`fail:${NOT_FOUND}`).outcome).toEqual({ messages: [], code: NOT_FOUND });
      const { messages, code } = await calling().send('echo:a').send(`fail:${NOT_FOUND}`).outcome;
      expect([messages.map(String), code]).toEqual([['echo:a'], NOT_FOUND]);
    });

    it('ends with its last message while the client’s side is open', async () => {
      const { messages, code } = await calling().send('last:word').send('echo:too late').outcome;
      expect([messages.map(String), code]).toEqual([['last:word'], OK]);
    });

    it('accepts metadata of every kind', async () => {
      const metadata = new Metadata();
      metadata.set('x-text', 'v'.repeat(2000));
      metadata.set('x-binary-bin', Buffer.from([0, 1, 2, 255]));
      for (let n = 0; n < 50; n++) metadata.add('x-many', `value ${n}`);
      expect((await calling({ metadata }).send('echo:a').end().outcome).code).toBe(OK);
    });

    it('answers UNIMPLEMENTED to another method, and serves the next call', async () => {
      expect((await calling({ path: '/flotilla.test.Echo/Other' }).end().outcome).code).toBe(UNIMPLEMENTED);
      expect((await calling().send('echo:a').end().outcome).code).toBe(OK);
    });

    it('reports a cancelled call, and the others continue', async () => {
      const other = calling().send('echo:1');
      const call = calling().send('echo:a');
      await call.received(1);
      await other.received(1);
      call.cancel();
      expect((await call.outcome).code).toBe(CANCELLED);
      await vi.waitFor(() => expect(server.ended()).toBe(1), PATIENCE);
      const { messages, code } = await other.send('echo:2').end().outcome;
      expect([messages.length, code]).toEqual([2, OK]);
    });

    it('leaves the deadline to the client, and reports the end of the call', async () => {
      expect((await calling({ deadlineMs: 200 }).send('silence').outcome).code).toBe(DEADLINE_EXCEEDED);
      await vi.waitFor(() => expect(server.ended()).toBe(1), PATIENCE);
    });

    it('reports the end of every call when the connection is lost', async () => {
      const session = await openSession(server.port);
      for (let n = 0; n < 20; n++) {
        const stream = startRequest(session);
        stream.on('error', () => undefined);
        stream.write(grpcMessage('silence'));
      }
      await vi.waitFor(() => expect(server.opened()).toBe(20), PATIENCE);
      session.destroy();
      await vi.waitFor(() => expect(server.ended()).toBe(20), PATIENCE);
    });

    it('refuses a message over the limit, and the others continue', async () => {
      const { code } = await calling().send(Buffer.alloc(MESSAGE_MAX_BYTES + 1)).outcome;
      expect(code).toBe(RESOURCE_EXHAUSTED);
      expect((await calling().send('echo:a').end().outcome).code).toBe(OK);
    });

    it('interleaves a thousand streams of one connection', async () => {
      const calls = Array.from({ length: 1000 }, (_, n) => calling().send(`echo:${n}`));
      await Promise.all(calls.map((call) => call.received(1)));
      for (const [n, call] of calls.entries()) call.send(`echo:again ${n}`).end();
      const outcomes = await Promise.all(calls.map((call) => call.outcome));
      expect(outcomes.map(({ messages }) => messages.map(String))).toEqual(
        calls.map((_, n) => [`echo:${n}`, `echo:again ${n}`]),
      );
      expect(outcomes.every(({ code }) => code === OK)).toBe(true);
    });

    it.each([1, 7, 100])('sends within windows of %i bytes', async (initialWindowSize) => {
      const session = await openSession(server.port, { settings: { initialWindowSize } });
      const size = initialWindowSize * 60;
      const stream = startRequest(session);
      stream.end(grpcMessage(`big:${size}`));
      const { body, trailers } = await readAnswer(stream);
      expect([body.length, trailers['grpc-status']]).toEqual([size + 5, '0']);
      session.close();
    });

    it('reads padded frames', async () => {
      const session = await openSession(server.port, { paddingStrategy: constants.PADDING_STRATEGY_MAX });
      const stream = startRequest(session);
      const messages = Array.from({ length: 20 }, (_, n) => grpcMessage(`echo:${'p'.repeat(n * 100)}`));
      for (const message of messages) stream.write(message);
      stream.end();
      expect((await readAnswer(stream)).body.equals(Buffer.concat(messages))).toBe(true);
      session.close();
    });

    it('assembles a message from frames of any size', async () => {
      const session = await openSession(server.port);
      const stream = startRequest(session);
      const bytes = Buffer.concat([grpcMessage('echo:first'), grpcMessage('echo:second')]);
      for (const byte of bytes) stream.write(Buffer.of(byte));
      stream.end();
      expect((await readAnswer(stream)).body.equals(bytes)).toBe(true);
      session.close();
    });

    it('answers a ping', async () => {
      const session = await openSession(server.port);
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
      session.ping(Buffer.from('01234567'), (error, _, payload) => {
        if (error === null) resolve(payload);
        else reject(error);
      });
      expect(String(await promise)).toBe('01234567');
      session.close();
    });

    it('answers requests that are not gRPC with plain HTTP', async () => {
      const session = await openSession(server.port);
      const stream = startRequest(session, { 'content-type': 'application/json' });
      stream.end('{}');
      expect((await readAnswer(stream)).status).toBe(415);
      session.close();
    });

    it('lets a running call finish after close, and accepts no other', async () => {
      const call = calling().send('echo:1');
      await call.received(1);
      const closed = server.close(30_000);
      const { messages, code } = await call.send('echo:2').end().outcome;
      expect([messages.map(String), code]).toEqual([['echo:1', 'echo:2'], OK]);
      await closed;
      expect((await calling({ deadlineMs: 500 }).send('echo:3').end().outcome).code).not.toBe(OK);
    });

    it('cuts a running call when the grace period is over', async () => {
      const call = calling().send('echo:1');
      await call.received(1);
      await server.close(20);
      expect((await call.outcome).code).not.toBe(OK);
    });
  });
}
