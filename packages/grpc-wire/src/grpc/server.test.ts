import { mkdtemp, rm, stat } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HpackDecoder } from '../hpack/decoder.ts';
import { ERROR_CODE, FLAG, FRAME, PREFACE } from '../http2/protocol.ts';
import { dataFrame, FrameCollector, grpcMessage, resetFrame, settingsFrame } from '../testing/frames.ts';
import { RawClient } from '../testing/raw-client.ts';
import type { Call, CallHandler } from './call.ts';
import { prepareMessage } from './prepared-message.ts';
import { createGrpcServer, type GrpcServer } from './server.ts';

const PATH = '/flotilla.test.Echo/Call';
const ANSWER = prepareMessage(Buffer.from('answer'));

describe('createGrpcServer', () => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function serve(open: (call: Call) => Partial<CallHandler>): Promise<{ server: GrpcServer; errors: unknown[] }> {
    const errors: unknown[] = [];
    const silent = { onMessage: () => undefined, onHalfClose: () => undefined, onAbort: () => undefined };
    const server = createGrpcServer({
      path: PATH,
      open: (call) => ({ ...silent, ...open(call) }),
      onError: (error) => errors.push(error),
    });
    await server.listen({ kind: 'tcp', host: '127.0.0.1', port: 0 });
    cleanups.push(() => server.close(0));
    return { server, errors };
  }

  async function connect(server: GrpcServer): Promise<RawClient> {
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    cleanups.push(() => client.destroy());
    await client.handshake();
    return client;
  }

  const boom = () => {
    throw new Error('boom');
  };

  it.each([
    ['the service', () => boom(), []],
    ['onMessage', () => ({ onMessage: boom }), [dataFrame(1, grpcMessage('a'))]],
    ['onHalfClose', () => ({ onHalfClose: boom }), [dataFrame(1, Buffer.alloc(0), FLAG.endStream)]],
  ])('ends only the call with INTERNAL if %s throws', async (_, open, frames) => {
    let calls = 0;
    const { server, errors } = await serve((call) =>
      calls++ === 0 ? open() : { onMessage: () => call.finish(ANSWER) },
    );
    const client = await connect(server);
    client.open(1, PATH);
    client.send(...frames);
    expect((await client.waitForEnd(1)).get('grpc-status')).toBe('13');
    client.open(3, PATH);
    client.send(dataFrame(3, grpcMessage('a')));
    expect((await client.waitForEnd(3)).get('grpc-status')).toBe('0');
    expect(errors).toEqual([expect.objectContaining({ scope: 'handler', code: 13, cause: new Error('boom') })]);
    expect(server.counters.handlerErrors).toBe(1);
  });

  it('continues when onAbort throws', async () => {
    const { server } = await serve((call) => ({ onAbort: boom, onMessage: () => call.finish(ANSWER) }));
    const client = await connect(server);
    client.open(1, PATH);
    client.send(resetFrame(1, ERROR_CODE.cancel));
    client.open(3, PATH);
    client.send(dataFrame(3, grpcMessage('a')));
    expect((await client.waitForEnd(3)).get('grpc-status')).toBe('0');
    expect(server.counters.handlerErrors).toBe(1);
  });

  it('ignores operations on a call that has ended', async () => {
    const calls: Call[] = [];
    const { server } = await serve((call) => {
      calls.push(call);
      return { onMessage: () => call.finish(ANSWER) };
    });
    const client = await connect(server);
    client.open(1, PATH);
    client.send(dataFrame(1, grpcMessage('a')), resetFrame(1, 0));
    await client.waitForEnd(1);
    await client.settle();
    const seen = client.frames.length;
    calls[0]?.send(ANSWER);
    calls[0]?.finish(ANSWER);
    calls[0]?.fail(5);
    await client.settle();
    expect(client.frames.slice(seen).map(({ type }) => type)).toEqual([FRAME.ping]);
  });

  it('sends later responses in one write per turn', async () => {
    const { server } = await serve((call) => ({
      onMessage: () => {
        setImmediate(() => {
          call.send(ANSWER);
          call.finish(ANSWER);
        });
      },
    }));
    const client = await connect(server);
    client.open(1, PATH);
    client.send(dataFrame(1, grpcMessage('a')));
    expect((await client.waitForEnd(1)).get('grpc-status')).toBe('0');
    const types = client.frames.filter(({ id }) => id === 1).map(({ type }) => type);
    expect(types).toEqual([FRAME.headers, FRAME.data, FRAME.data, FRAME.headers]);
  });

  it('reports the end of a call on which nothing was sent to the handler', async () => {
    const heard: string[] = [];
    const { server } = await serve(() => ({
      onHalfClose: () => heard.push('half-close'),
      onAbort: (isByPeer) => heard.push(isByPeer ? 'reset' : 'lost'),
    }));
    const client = await connect(server);
    client.open(1, PATH, FLAG.endHeaders | FLAG.endStream);
    client.open(3, PATH);
    client.send(resetFrame(3, ERROR_CODE.cancel));
    await client.settle();
    client.destroy();
    await vi.waitFor(() => expect(heard).toEqual(['half-close', 'reset', 'lost']));
  });

  it('lets a running call finish after close', async () => {
    const calls: Call[] = [];
    const { server } = await serve((call) => {
      calls.push(call);
      return {};
    });
    const client = await connect(server);
    client.open(1, PATH);
    await client.settle();
    const closed = server.close(60_000);
    await client.waitFor(({ type, payload }) => type === FRAME.goaway && payload.readUInt32BE(0) === 0x7fff_ffff);
    client.open(3, PATH);
    await vi.waitFor(() => expect(calls).toHaveLength(2));
    const ping = await client.waitFor(({ type, flags }) => type === FRAME.ping && flags === 0);
    client.send(Buffer.from([0, 0, 8, FRAME.ping, FLAG.ack, 0, 0, 0, 0]), ping.payload);
    await client.waitFor(({ type, payload }) => type === FRAME.goaway && payload.readUInt32BE(0) === 3);
    client.open(5, PATH);
    expect(await client.waitForError(5)).toBe(ERROR_CODE.refusedStream);
    for (const call of calls) call.finish(ANSWER);
    expect((await client.waitForEnd(3)).get('grpc-status')).toBe('0');
    client.destroy();
    await closed;
    expect(server.counters.openConnections).toBe(0);
  });

  it('listens on a Unix socket and deletes its file on close', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wire-'));
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 's.sock');
    const server = createGrpcServer({
      path: PATH,
      open: (call) => ({
        onMessage: () => call.finish(ANSWER),
        onHalfClose: () => undefined,
        onAbort: () => undefined,
      }),
    });
    await server.listen({ kind: 'unix', path });
    const client = await RawClient.connect({ path });
    await client.handshake();
    client.open(1, PATH);
    client.send(dataFrame(1, grpcMessage('a')));
    expect((await client.waitForEnd(1)).get('grpc-status')).toBe('0');
    client.destroy();
    await server.close(1000);
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it('rejects an address that is in use', async () => {
    const { server } = await serve(() => ({}));
    const second = createGrpcServer({ path: PATH, open: () => ({}) as CallHandler });
    await expect(second.listen({ kind: 'tcp', host: '127.0.0.1', port: server.port })).rejects.toThrow('EADDRINUSE');
    await second.close(0);
  });
});

describe('header blocks made by node:http2', () => {
  it('are decoded correctly with every byte a value may contain, before and after the table is given up', async () => {
    const blocks = Promise.withResolvers<{ block: Buffer; isAcknowledged: boolean }[]>();
    const bytesOfValues = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte > 0x20 && byte !== 0x7f);
    const values = bytesOfValues.map((byte) => `aaaaaaaaaaaaaaaaaaaaaaaaaaaa${String.fromCharCode(byte)}a`);
    const server = createTcpServer((socket) => {
      const collector = new FrameCollector();
      const seen: { block: Buffer; isAcknowledged: boolean }[] = [];
      let isAcknowledged = false;
      let hasPreface = false;
      socket.write(settingsFrame());
      socket.on('data', (chunk: Buffer) => {
        const frames = collector.add(hasPreface ? chunk : chunk.subarray(PREFACE.length));
        hasPreface = true;
        for (const { type, flags, payload } of frames) {
          if (type === FRAME.settings && flags === FLAG.ack) isAcknowledged = seen.length > 0;
          if (type !== FRAME.headers) continue;
          // node:http2 adds a priority to HEADERS.
          seen.push({ block: payload.subarray(flags & FLAG.priority ? 5 : 0), isAcknowledged });
          if (seen.length === 2) socket.write(settingsFrame([[1, 0]]));
          if (seen.length === 4) blocks.resolve(seen);
        }
      });
    });
    const listening = Promise.withResolvers<void>();
    server.listen(0, '127.0.0.1', () => listening.resolve());
    await listening.promise;
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    session.on('error', () => undefined);
    const request = () => {
      const headers = Object.fromEntries(values.map((value, n) => [`x-${n}`, value]));
      session.request({ ':method': 'POST', ':path': PATH, ...headers }).on('error', () => undefined);
    };
    const changed = Promise.withResolvers<void>();
    session.once('remoteSettings', () => {
      session.on('remoteSettings', () => changed.resolve());
      request();
      request();
    });
    await changed.promise;
    request();
    request();

    const decoder = new HpackDecoder();
    let wasAcknowledged = false;
    for (const { block, isAcknowledged } of await blocks.promise) {
      if (isAcknowledged && !wasAcknowledged) decoder.limitTable(0);
      wasAcknowledged = isAcknowledged;
      const fields = new Map<string, string>();
      const text = (bytes: Uint8Array, start: number, end: number) =>
        Buffer.from(bytes.subarray(start, end)).toString('latin1');
      const error = decoder.decode(block, 0, block.length, {
        onField: (name, nameStart, nameEnd, value, valueStart, valueEnd) => {
          fields.set(text(name, nameStart, nameEnd), text(value, valueStart, valueEnd));
        },
      });
      expect(error).toBeUndefined();
      expect(values.map((_, n) => fields.get(`x-${n}`))).toEqual(values);
    }
    expect(wasAcknowledged).toBe(true);
    expect(decoder.tableBytes).toBe(0);
    session.destroy();
    server.close();
  });
});
