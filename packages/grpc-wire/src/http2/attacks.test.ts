import { afterEach, describe, expect, it, vi } from 'vitest';
import { ECHO_PATH, startWireEcho, type WireEchoServer } from '../testing/echo-service.ts';
import {
  dataFrame,
  frame,
  grpcMessage,
  headersFrame,
  requestBlock,
  requestFields,
  resetFrame,
  settingsFrame,
  windowUpdate,
} from '../testing/frames.ts';
import { encodeBlock, encodeField, encodeInteger, encodeTableSize } from '../testing/hpack-encoder.ts';
import { RawClient } from '../testing/raw-client.ts';
import type { WireLimitName } from './counters.ts';
import type { WireLimits } from './limits.ts';
import { ERROR_CODE, FLAG, FRAME, PREFACE, SETTING } from './protocol.ts';

const SIZE_0 = encodeTableSize(0);
const BLOCK = Buffer.concat([SIZE_0, requestBlock(ECHO_PATH)]);
const open = (id: number) => headersFrame(id, BLOCK);
const ECHO = grpcMessage('echo:a');
const LARGE_WINDOWS = [[SETTING.initialWindowSize, 2 ** 31 - 1]] as const;

describe('attacks on the wire', { timeout: 120_000 }, () => {
  const servers: WireEchoServer[] = [];
  const clients: RawClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await Promise.all(servers.splice(0).map((server) => server.close(0)));
  });

  async function start(limits: Partial<WireLimits>): Promise<WireEchoServer> {
    const server = await startWireEcho({ tickMs: 10, ...limits });
    servers.push(server);
    return server;
  }

  async function connect({ port }: WireEchoServer): Promise<RawClient> {
    const client = await RawClient.connect({ port, host: '127.0.0.1' });
    clients.push(client);
    return client;
  }

  async function shake(server: WireEchoServer, settings: readonly (readonly [number, number])[] = []) {
    const client = await connect(server);
    await client.handshake(settings);
    return client;
  }

  async function expectServed(client: RawClient, id: number): Promise<void> {
    client.send(open(id), dataFrame(id, ECHO));
    await client.waitFor((one) => one.type === FRAME.data && one.id === id);
  }

  const repeat = (count: number, make: (n: number) => Uint8Array) =>
    Buffer.concat(Array.from({ length: count }, (_, n) => make(n)));

  it('cuts a peer that resets streams before any response (rapid reset)', async () => {
    const server = await start({ unansweredResetsPerSecond: 100 });
    const [attacker, other] = [await shake(server), await shake(server)];
    attacker.send(repeat(101, (n) => Buffer.concat([open(2 * n + 1), resetFrame(2 * n + 1, 8)])));
    expect(await attacker.waitForError(0)).toBe(ERROR_CODE.enhanceYourCalm);
    expect(server.counters.limits.unanswered_resets).toBe(1);
    expect([server.opened(), server.ended(), server.counters.openStreams]).toEqual([101, 101, 0]);
    await expectServed(other, 1);
  });

  it.each([0, 2, 8])(
    'never counts resets of answered streams with code %i, with which Envoy ends its exchanges',
    async (code) => {
      const server = await start({ unansweredResetsPerSecond: 1, streamErrorsPerSecond: 1 });
      const client = await shake(server, LARGE_WINDOWS);
      client.send(windowUpdate(0, 2 ** 30));
      const exchange = (id: number) =>
        Buffer.concat([open(id), dataFrame(id, grpcMessage('last:a')), dataFrame(id, ECHO), resetFrame(id, code)]);
      client.send(repeat(5000, (n) => exchange(2 * n + 1)));
      await expectServed(client, 10_001);
      expect(server.counters.resetsAnswered).toBe(5000);
      expect(server.counters.openStreams).toBe(1);
    },
  );

  const floods: [string, WireLimitName, Partial<WireLimits>, (n: number) => Uint8Array][] = [
    ['PING', 'pings', { overheadPerSecond: 50 }, () => frame(FRAME.ping, 0, 0, Buffer.alloc(8))],
    ['SETTINGS', 'settings', { overheadPerSecond: 50 }, () => settingsFrame([[SETTING.maxConcurrentStreams, 9]])],
    ['SETTINGS acknowledgements', 'settings', { overheadPerSecond: 50 }, () => frame(FRAME.settings, FLAG.ack, 0)],
    ['empty DATA', 'empty_data', { overheadPerSecond: 50 }, () => dataFrame(1, Buffer.alloc(0))],
    [
      'SETTINGS that change the window',
      'window_updates',
      { overheadPerSecond: 500 },
      (n) => settingsFrame([[SETTING.initialWindowSize, n]]),
    ],
    ['padding', 'empty_data', { overheadPerSecond: 50 }, () => dataFrame(1, Buffer.of(1, 0), FLAG.padded)],
    ['WINDOW_UPDATE', 'window_updates', { overheadPerSecond: 50 }, () => windowUpdate(1, 1)],
    ['PRIORITY', 'ignored_frames', { overheadPerSecond: 50 }, (n) => frame(FRAME.priority, 0, n + 1, Buffer.alloc(5))],
    ['unknown frames', 'ignored_frames', { overheadPerSecond: 50 }, () => frame(0xbe, 0, 0)],
    ['GOAWAY', 'ignored_frames', { overheadPerSecond: 50 }, () => frame(FRAME.goaway, 0, 0, Buffer.alloc(8))],
    [
      'malformed requests',
      'stream_errors',
      { streamErrorsPerSecond: 50 },
      (n) => headersFrame(2 * n + 3, Buffer.concat([SIZE_0, Buffer.of(0x82)])),
    ],
    [
      'requests that make us reset them',
      'stream_errors',
      { streamErrorsPerSecond: 50 },
      (n) => Buffer.concat([open(2 * n + 3), windowUpdate(2 * n + 3, 0)]),
    ],
    [
      'DATA on a stream that was reset',
      'late_frames',
      { overheadPerSecond: 50 },
      (n) => (n === 0 ? windowUpdate(1, 0) : dataFrame(1, ECHO)),
    ],
  ];
  it.each(floods)('cuts a flood of %s', async (_, limit, limits, make) => {
    const server = await start(limits);
    const client = await shake(server);
    client.send(open(1), repeat(200, make));
    expect(await client.waitForError(0)).toBe(ERROR_CODE.enhanceYourCalm);
    await client.closed;
    expect(server.counters.limits[limit]).toBe(1);
    await expectServed(await shake(server), 1);
  });

  it('cuts an endless sequence of CONTINUATION frames and a header block with too many bytes', async () => {
    const server = await start({ overheadPerSecond: 10, headerBlockBytes: 50_000 });
    const many = await shake(server);
    many.send(
      headersFrame(1, BLOCK, 0),
      repeat(11, () => frame(FRAME.continuation, 0, 1)),
    );
    expect(await many.waitForError(0)).toBe(ERROR_CODE.enhanceYourCalm);
    const long = await shake(server);
    long.send(
      headersFrame(1, BLOCK, 0),
      repeat(4, () => frame(FRAME.continuation, 0, 1, Buffer.alloc(16_000))),
    );
    expect(await long.waitForError(0)).toBe(ERROR_CODE.enhanceYourCalm);
    expect([server.counters.limits.continuations, server.counters.limits.header_block]).toEqual([1, 1]);
  });

  it('answers 431 to a header list that grows by 4 KB with every byte, and stays alive', async () => {
    const server = await start({ headerListBytes: 64 * 1024 });
    const client = await connect(server);
    // Until it acknowledges our settings, the peer may fill a table of 4,096 bytes.
    client.send(PREFACE, settingsFrame());
    const bomb = encodeField(['x-bomb', 'b'.repeat(4000)], { indexing: 'insert' });
    const block = Buffer.concat([encodeBlock(requestFields(ECHO_PATH)), bomb, Buffer.alloc(10_000, 0xbe)]);
    client.send(headersFrame(1, block, FLAG.endHeaders | FLAG.endStream));
    expect((await client.waitForEnd(1)).get(':status')).toBe('431');
    client.send(headersFrame(3, requestBlock(ECHO_PATH)), dataFrame(3, ECHO));
    await client.waitFor((one) => one.type === FRAME.data && one.id === 3);
    expect(server.counters.limits.header_list).toBe(1);
  });

  it('refuses a stream over the limit, and accepts one after another has ended', async () => {
    const server = await start({ streams: 3 });
    const client = await shake(server);
    client.send(open(1), open(3), open(5), open(7));
    expect(await client.waitForError(7)).toBe(ERROR_CODE.refusedStream);
    expect(server.counters.limits.streams).toBe(1);
    client.send(resetFrame(3, 8));
    await expectServed(client, 9);
  });

  it('ends the call of an oversized message before its bytes arrive', async () => {
    const server = await start({ messageBytes: 1000 });
    const client = await shake(server);
    client.send(open(1), dataFrame(1, Buffer.of(0, 0, 0, 3, 233)));
    expect((await client.waitForEnd(1)).get('grpc-status')).toBe('8');
    expect(server.counters.limits.message).toBe(1);
    expect(server.ended()).toBe(1);
    await expectServed(client, 3);
  });

  it('ends the call that pushes the bytes of incomplete messages over the limit', async () => {
    const server = await start({ partialMessageBytes: 100_000, streamWindowBytes: 200_000 });
    const client = await shake(server);
    for (const id of [1, 3, 5, 7]) {
      client.send(open(id), dataFrame(id, grpcMessage(Buffer.alloc(60_000)).subarray(0, 16_000)));
      client.send(repeat(2, () => dataFrame(id, Buffer.alloc(16_000))));
    }
    expect((await client.waitForEnd(5)).get('grpc-status')).toBe('8');
    expect(server.counters.limits.partial_messages).toBeGreaterThan(0);
    // The other connection is within its share.
    const other = await shake(server);
    other.send(open(1), dataFrame(1, grpcMessage(Buffer.alloc(10_000)).subarray(0, 9_000)));
    await expectServed(other, 3);
    other.send(dataFrame(1, Buffer.alloc(1_005)), dataFrame(1, ECHO));
    await other.waitFor((one) => one.type === FRAME.data && one.id === 1);
    client.send(dataFrame(1, Buffer.alloc(12_005)));
    client.send(dataFrame(1, ECHO));
    await client.waitFor((one) => one.type === FRAME.data && one.id === 1);
  });

  it.each([
    ['a compressed message', Buffer.of(1, 0, 0, 0, 1, 0), '13'],
    ['an unknown flag', Buffer.of(7, 0, 0, 0, 1, 0), '13'],
  ])('ends the call of %s', async (_, bytes, status) => {
    const client = await shake(await start({}));
    client.send(open(1), dataFrame(1, bytes));
    expect((await client.waitForEnd(1)).get('grpc-status')).toBe(status);
    await expectServed(client, 3);
  });

  it('answers UNIMPLEMENTED to a message in a named encoding', async () => {
    const client = await shake(await start({}));
    client.send(headersFrame(1, Buffer.concat([BLOCK, encodeField(['grpc-encoding', 'gzip'])])));
    client.send(dataFrame(1, Buffer.of(1, 0, 0, 0, 1, 0)));
    expect((await client.waitForEnd(1)).get('grpc-status')).toBe('12');
  });

  it('ends a call whose last message is truncated', async () => {
    const client = await shake(await start({}));
    client.send(open(1), dataFrame(1, ECHO.subarray(0, 7), FLAG.endStream));
    expect((await client.waitForEnd(1)).get('grpc-status')).toBe('13');
  });

  it('resets only the stream that the peer’s window keeps from sending (window stall)', async () => {
    const server = await start({ windowStallMs: 50 });
    const client = await shake(server, [[SETTING.initialWindowSize, 20]]);
    client.send(open(1), dataFrame(1, grpcMessage('big:100')));
    expect(await client.waitForError(1)).toBe(ERROR_CODE.enhanceYourCalm);
    expect(server.counters.limits.window_stall).toBe(1);
    expect(server.counters.openStreams).toBe(0);
    await expectServed(client, 3);
  });

  it('keeps a slow stream as long as it makes progress', async () => {
    const server = await start({ windowStallMs: 1500 });
    const client = await shake(server, [[SETTING.initialWindowSize, 0]]);
    client.send(open(1), dataFrame(1, grpcMessage('big:35'), FLAG.endStream));
    for (let n = 1; n <= 40; n++) {
      client.send(windowUpdate(1, 1));
      await vi.waitFor(() => expect(client.frames.filter(({ type }) => type === FRAME.data)).toHaveLength(n), {
        timeout: 90_000,
      });
    }
    expect((await client.waitForEnd(1)).get('grpc-status')).toBe('0');
    expect(server.counters.limits.window_stall).toBe(0);
  });

  it('resets only the stream that queues more than may wait', async () => {
    const server = await start({ queuedStreamBytes: 50_000 });
    const client = await shake(server, [[SETTING.initialWindowSize, 100]]);
    client.send(
      open(1),
      dataFrame(
        1,
        repeat(3, () => grpcMessage('big:20000')),
      ),
    );
    expect(await client.waitForError(1)).toBe(ERROR_CODE.enhanceYourCalm);
    expect(server.ended()).toBe(1);
    await expectServed(client, 3);
  });

  it('cuts a connection that queues too much', async () => {
    const server = await start({ queuedConnectionBytes: 50_000 });
    const client = await shake(server, [[SETTING.initialWindowSize, 0]]);
    for (const id of [1, 3, 5]) client.send(open(id), dataFrame(id, grpcMessage('big:20000')));
    await client.closed;
    expect(server.counters.limits.queued_connection).toBe(1);
    expect(server.ended()).toBe(3);
  });

  it.each([
    ['more than may stay unread', 'unread_output', { unreadOutputBytes: 20_000_000, pauseOutputBytes: 1e9 }],
    ['nothing for long', 'slow_reader', { slowReaderMs: 100 }],
  ] as const)('cuts a slow reader: %s', async (_, limit, limits) => {
    const server = await start(limits);
    const client = await shake(server, LARGE_WINDOWS);
    client.send(windowUpdate(0, 2 ** 30));
    await client.settle();
    client.pause();
    for (const id of [1, 3, 5, 7]) client.send(open(id), dataFrame(id, grpcMessage('big:16000000')));
    await vi.waitFor(() => expect(server.counters.limits[limit]).toBe(1));
    await vi.waitFor(() => expect(server.counters.openConnections).toBe(0));
    expect(server.ended()).toBe(server.opened());
    await expectServed(await shake(server), 1);
  });

  it('sends the rest when a peer that had stopped reads again', async () => {
    const server = await start({});
    const client = await shake(server, LARGE_WINDOWS);
    client.send(windowUpdate(0, 2 ** 30));
    await client.settle();
    client.pause();
    let sent = 0;
    for (let before = -1; server.counters.bytesWritten !== before; ) {
      before = server.counters.bytesWritten;
      sent += 1;
      client.send(open(2 * sent - 1), dataFrame(2 * sent - 1, grpcMessage('last:'.padEnd(15_000))));
      await vi.waitFor(() => expect(server.counters.messages).toBe(sent), { interval: 1 });
    }
    client.resume();
    await client.waitForEnd(2 * sent - 1);
    const ends = client.frames.filter(({ type, flags }) => type === FRAME.headers && flags & FLAG.endStream);
    expect(ends).toHaveLength(sent);
  });

  it('cuts a connection whose preface or header block is not complete in time', async () => {
    const server = await start({ prefaceMs: 500 });
    const silent = await connect(server);
    expect(await silent.waitForError(0)).toBe(ERROR_CODE.enhanceYourCalm);
    const halting = await shake(server);
    halting.send(headersFrame(1, BLOCK, 0));
    expect(await halting.waitForError(0)).toBe(ERROR_CODE.enhanceYourCalm);
    expect(server.counters.limits.preface).toBe(2);
  });

  it('sends GOAWAY to an idle connection, but not to one with a silent call', async () => {
    const server = await start({ idleMs: 500 });
    const [idle, busy] = [await shake(server), await shake(server)];
    busy.send(open(1));
    expect(await idle.waitForError(0)).toBe(ERROR_CODE.noError);
    expect(server.counters.limits.idle).toBe(1);
    busy.send(dataFrame(1, ECHO));
    await busy.waitFor((one) => one.type === FRAME.data && one.id === 1);
  });

  it('forgets an answered stream that the peer does not end', async () => {
    const server = await start({ lingerMs: 50 });
    const client = await shake(server);
    client.send(open(1), dataFrame(1, grpcMessage('last:a')));
    expect(await client.waitForError(1)).toBe(ERROR_CODE.noError);
    expect([server.counters.openStreams, server.counters.limits.linger]).toEqual([0, 1]);
  });

  it('closes a connection over the limit', async () => {
    const server = await start({ connections: 1 });
    const first = await shake(server);
    const second = await connect(server);
    await second.closed;
    expect(server.counters.limits.connections).toBe(1);
    await expectServed(first, 1);
  });

  it('keeps 100,000 streams open with the default limits', async () => {
    const server = await startWireEcho();
    servers.push(server);
    const client = await shake(server, LARGE_WINDOWS);
    client.send(windowUpdate(0, 2 ** 30));
    for (let at = 0; at < 100_000; at += 1000) client.send(repeat(1000, (n) => open(2 * (at + n) + 1)));
    await vi.waitFor(() => expect(server.counters.openStreams).toBe(100_000));
    for (const id of [1, 99_999, 199_999]) {
      client.send(dataFrame(id, ECHO));
      await client.waitFor((one) => one.type === FRAME.data && one.id === id);
    }
    client.destroy();
    await vi.waitFor(() => expect(server.ended()).toBe(100_000));
    expect(server.counters.openStreams).toBe(0);
  });

  it('refuses an index into the table that the peer gave up', async () => {
    const client = await shake(await start({}));
    client.send(headersFrame(1, Buffer.concat([SIZE_0, encodeInteger(0x80, 7, 62)])));
    expect(await client.waitForError(0)).toBe(ERROR_CODE.compression);
  });
});
