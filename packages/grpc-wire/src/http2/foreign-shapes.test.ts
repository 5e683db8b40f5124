import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ECHO_PATH, startWireEcho, type WireEchoServer } from '../testing/echo-service.ts';
import {
  dataFrame,
  frame,
  grpcMessage,
  headersFrame,
  requestBlock,
  SETTINGS_ACK,
  settingsFrame,
  windowUpdate,
} from '../testing/frames.ts';
import { encodeBlock, encodeField, encodeInteger, encodeTableSize } from '../testing/hpack-encoder.ts';
import { openSession, readAnswer, startRequest } from '../testing/http2-client.ts';
import { MemoryPeer, recordCalls } from '../testing/memory-peer.ts';
import { RawClient } from '../testing/raw-client.ts';
import { ECHO, SIZE_0 } from '../testing/wire-cases.ts';
import type { WireLimits } from './limits.ts';
import { ERROR_CODE, FLAG, FRAME, PREFACE, SETTING } from './protocol.ts';

const BLOCK = requestBlock(ECHO_PATH);
const PING = frame(FRAME.ping, 0, 0, Buffer.from('estimate'));
const UNKNOWN = frame(0xbe, 0xff, 0, Buffer.alloc(20));
const PRIORITY = frame(FRAME.priority, 0, 1, Buffer.alloc(5));

const repeat = (count: number, make: (n: number) => Uint8Array) =>
  Buffer.concat(Array.from({ length: count }, (_, n) => make(n)));

/** Splits a block into frames of one byte each. */
function splitBlock(id: number, block: Buffer, flags = 0): Buffer {
  const last = block.length - 1;
  return repeat(block.length, (n) => {
    const end = n === last ? FLAG.endHeaders : 0;
    const byte = block.subarray(n, n + 1);
    return n === 0 ? headersFrame(id, byte, flags | end) : frame(FRAME.continuation, end, id, byte);
  });
}

describe('a correct client that is not Envoy (issue 17 wire)', { timeout: 120_000 }, () => {
  let server: WireEchoServer;
  let clients: RawClient[];
  beforeEach(async () => {
    server = await startWireEcho();
    clients = [];
  });
  afterEach(async () => {
    for (const client of clients) client.destroy();
    await server.close(0);
  });

  async function connect(to = server): Promise<RawClient> {
    const client = await RawClient.connect({ port: to.port, host: '127.0.0.1' });
    clients.push(client);
    return client;
  }

  async function shake(settings: readonly (readonly [number, number])[] = []): Promise<RawClient> {
    const client = await connect();
    await client.handshake(settings);
    return client;
  }

  const echoOf = (client: RawClient, id: number) =>
    client.waitFor((one) => one.type === FRAME.data && one.id === id && one.payload.equals(ECHO));

  it('may send its header block in CONTINUATION frames of one byte each', async () => {
    const client = await shake();
    const metadata = encodeField(['x-trace', 't'.repeat(20_000)]);
    client.send(splitBlock(1, Buffer.concat([SIZE_0, BLOCK, metadata])), dataFrame(1, ECHO));
    await echoOf(client, 1);
    client.send(splitBlock(3, BLOCK), dataFrame(3, ECHO));
    await echoOf(client, 3);
  });

  it('may leave frames of a header block empty', async () => {
    const client = await shake();
    const empty = repeat(500, () => frame(FRAME.continuation, 0, 1));
    const rest = frame(FRAME.continuation, FLAG.endHeaders, 1, Buffer.concat([SIZE_0, BLOCK]));
    client.send(headersFrame(1, Buffer.alloc(0), 0), empty, rest, dataFrame(1, ECHO));
    await echoOf(client, 1);
  });

  it('may send a PING with every message, thousands in a second', async () => {
    const client = await shake();
    client.send(headersFrame(1, Buffer.concat([SIZE_0, BLOCK])));
    client.send(repeat(20_000, () => Buffer.concat([dataFrame(1, grpcMessage('quiet')), PING])));
    client.send(dataFrame(1, ECHO));
    await echoOf(client, 1);
    expect(server.counters.connectionErrors).toBe(0);
  });

  it('may resize the table as often as the limit allows, until it has acknowledged ours', async () => {
    const client = await connect();
    client.send(PREFACE, settingsFrame());
    const insert = (value: string) => encodeField(['x-name', value], { indexing: 'insert' });
    const grown = Buffer.concat([encodeTableSize(0), encodeTableSize(100), encodeTableSize(4096)]);
    client.send(headersFrame(1, Buffer.concat([grown, BLOCK, insert('one')])), dataFrame(1, ECHO));
    const referring = Buffer.concat([encodeTableSize(2000), BLOCK, encodeInteger(0x80, 7, 62)]);
    client.send(headersFrame(3, referring), dataFrame(3, ECHO));
    await echoOf(client, 3);
    client.send(SETTINGS_ACK, headersFrame(5, Buffer.concat([SIZE_0, BLOCK])), dataFrame(5, ECHO));
    await echoOf(client, 5);
  });

  it('need not announce a smaller table if it never used the table', async () => {
    const client = await shake();
    client.send(headersFrame(1, BLOCK), dataFrame(1, ECHO));
    await echoOf(client, 1);
  });

  it.each([0, 1, 100, 4095])('may take a header table of %i bytes from us, from the start or later', async (bytes) => {
    const session = await openSession(server.port, { settings: { headerTableSize: bytes } });
    const ask = async () => {
      const stream = startRequest(session);
      stream.end(grpcMessage('last:a'));
      const { status, trailers, body } = await readAnswer(stream);
      return [status, trailers['grpc-status'], body.toString('latin1', 5)];
    };
    const good = [200, '0', 'last:a'];
    expect([await ask(), await ask()]).toEqual([good, good]);
    for (const size of [4096, 0, 65_536, 10]) {
      session.settings({ headerTableSize: size });
      await once(session, 'localSettings');
      expect([await ask(), await ask()]).toEqual([good, good]);
    }
    session.close();
  });

  it('may shrink the header table while a call waits for its response', async () => {
    const session = await openSession(server.port);
    const stream = startRequest(session);
    stream.write(grpcMessage('echo:a'));
    await once(stream, 'data');
    session.settings({ headerTableSize: 0 });
    await once(session, 'localSettings');
    stream.end(grpcMessage('fail:5'));
    const [trailers] = (await once(stream, 'trailers')) as [Record<string, unknown>];
    expect(trailers['grpc-status']).toBe('5');
    session.close();
  });

  it('may send PRIORITY, unknown frames, padding, empty DATA and PINGs between the pieces of a message', async () => {
    const client = await shake();
    client.send(headersFrame(1, Buffer.concat([SIZE_0, BLOCK])));
    const message = grpcMessage(`echo:${'m'.repeat(3000)}`);
    const pieces = Array.from(message, (byte) =>
      Buffer.concat([
        PRIORITY,
        UNKNOWN,
        PING,
        dataFrame(1, Buffer.alloc(0)),
        dataFrame(1, Buffer.of(3, byte, 0, 0, 0), FLAG.padded),
        windowUpdate(0, 1),
        windowUpdate(1, 1),
      ]),
    );
    client.send(...pieces);
    await client.waitFor((one) => one.type === FRAME.data && one.payload.equals(message));
  });

  it('may change its windows while responses wait, also below zero', async () => {
    const client = await shake([[SETTING.initialWindowSize, 60]]);
    client.send(headersFrame(1, Buffer.concat([SIZE_0, BLOCK])), dataFrame(1, grpcMessage('big:100')));
    await client.waitFor((one) => one.type === FRAME.data && one.payload.length === 60);
    for (let n = 0; n < 500; n++) client.send(settingsFrame([[SETTING.initialWindowSize, n % 20]]));
    client.send(headersFrame(3, BLOCK), dataFrame(3, ECHO));
    client.send(settingsFrame([[SETTING.initialWindowSize, 2 ** 31 - 1 - 60]]));
    await echoOf(client, 3);
    await client.waitFor((one) => one.type === FRAME.data && one.payload.length === 45);
  });

  it('may send GOAWAY and continue its running calls', async () => {
    const client = await shake();
    client.send(headersFrame(1, Buffer.concat([SIZE_0, BLOCK])));
    client.send(frame(FRAME.goaway, 0, 0, Buffer.alloc(8)), dataFrame(1, ECHO));
    await echoOf(client, 1);
    client.send(headersFrame(1, requestTrailers(), FLAG.endHeaders | FLAG.endStream));
    expect((await client.waitForEnd(1)).get('grpc-status')).toBe('0');
  });

  it('may have thousands of refused streams in flight', async () => {
    const crowded = await startWireEcho({ streams: 1 });
    const client = await connect(crowded);
    await client.handshake();
    const ids = Array.from({ length: 5000 }, (_, n) => 2 * n + 3);
    client.send(headersFrame(1, Buffer.concat([SIZE_0, BLOCK])));
    client.send(...ids.map((id) => headersFrame(id, BLOCK)));
    const end = FLAG.endHeaders | FLAG.endStream;
    client.send(...ids.map((id) => Buffer.concat([dataFrame(id, ECHO), headersFrame(id, requestTrailers(), end)])));
    client.send(dataFrame(1, ECHO));
    await echoOf(client, 1);
    client.destroy();
    await crowded.close(0);
  });
});

describe('frames without data are limited by their cost (issue 17 wire)', () => {
  const START = [PREFACE, settingsFrame(), SETTINGS_ACK, headersFrame(1, Buffer.concat([SIZE_0, BLOCK]))];

  /** A peer for which no time passes. */
  function connect(limits: Partial<WireLimits> = {}): MemoryPeer {
    const { open } = recordCalls(() => undefined);
    const peer = new MemoryPeer({ path: ECHO_PATH, open, limits });
    peer.send(Buffer.concat(START));
    return peer;
  }

  // Default limits: a bucket of a million units.
  it.each([
    ['PINGs', 'pings', 500_000, PING],
    ['empty SETTINGS', 'settings', 500_000, settingsFrame()],
    ['unknown frames', 'ignored_frames', 1_000_000, frame(0xbe, 0, 0)],
    ['empty DATA', 'empty_data', 1_000_000, dataFrame(1, Buffer.alloc(0))],
    ['CONTINUATION without a byte', 'continuations', 1_000_000, frame(FRAME.continuation, 0, 3)],
  ] as const)('lets %s pass up to the budget of a second, and no further', (_, limit, most, one) => {
    const peer = connect();
    if (limit === 'continuations') peer.send(headersFrame(3, Buffer.alloc(0), 0));
    const flood = repeat(1000, () => one);
    let sent = 0;
    for (; !peer.isEnded && sent < 2_000_000; sent += 1000) peer.send(flood);
    expect(sent).toBeGreaterThan(most - 10_000);
    expect(sent).toBeLessThanOrEqual(most + 1000);
    expect(peer.counters.limits[limit]).toBe(1);
    expect(peer.errors).toMatchObject([{ scope: 'connection', code: ERROR_CODE.enhanceYourCalm }]);
  });

  it('counts all kinds of frames against one budget', () => {
    const peer = connect({ overheadPerSecond: 300 });
    const kinds = [PING, UNKNOWN, PRIORITY, settingsFrame(), windowUpdate(1, 1), dataFrame(1, Buffer.alloc(0))];
    for (let n = 0; n < 30; n++) peer.send(Buffer.concat(kinds));
    expect(peer.isEnded).toBe(false);
    for (let n = 0; n < 10; n++) peer.send(Buffer.concat(kinds));
    expect(peer.isEnded).toBe(true);
  });

  it('lets data pay for PINGs, but not for a saved-up flood', () => {
    const peer = connect({ overheadPerSecond: 300 });
    for (let n = 0; n < 3000; n++) peer.send(Buffer.concat([dataFrame(1, grpcMessage('quiet')), PING]));
    expect(peer.isEnded).toBe(false);
    peer.send(repeat(200, () => PING));
    expect([peer.isEnded, peer.counters.limits.pings]).toEqual([true, 1]);
  });

  it('fills the budget with time, up to one second’s worth', () => {
    const peer = connect({ overheadPerSecond: 300 });
    const flood = repeat(140, () => PING);
    for (const seconds of [0, 1, 2, 100]) {
      peer.connection.tick(seconds * 1000);
      peer.send(flood);
    }
    expect(peer.isEnded).toBe(false);
    peer.send(flood);
    expect(peer.isEnded).toBe(true);
  });
});

function requestTrailers(): Buffer {
  return encodeBlock([['x-trailer', 'end']]);
}
