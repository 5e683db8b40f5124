import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ECHO_PATH, type EchoServer, startWireEcho } from '../testing/echo-service.ts';
import {
  dataFrame,
  frame,
  grpcMessage,
  headersFrame,
  requestBlock,
  requestFields,
  resetFrame,
  SETTINGS_ACK,
  settingsFrame,
  uint32,
  windowUpdate,
} from '../testing/frames.ts';
import { encodeBlock, encodeField, encodeTableSize, type Field } from '../testing/hpack-encoder.ts';
import { RawClient } from '../testing/raw-client.ts';
import { ERROR_CODE, FLAG, FRAME, PREFACE, SETTING } from './protocol.ts';

const { endStream: END_STREAM, endHeaders: END_HEADERS, padded: PADDED, priority: PRIORITY } = FLAG;
const SIZE_0 = encodeTableSize(0);
const BLOCK = Buffer.concat([SIZE_0, requestBlock(ECHO_PATH)]);
const LATER_BLOCK = requestBlock(ECHO_PATH);
const open = (id: number, flags = END_HEADERS as number) => headersFrame(id, id === 1 ? BLOCK : LATER_BLOCK, flags);
const ECHO = grpcMessage('echo:a');

type Expected =
  | { connectionError: number }
  | { streamError: number; on?: number }
  | { answered: number }
  | { status: string };

interface Case {
  readonly section: string;
  readonly title: string;
  readonly send: readonly Uint8Array[];
  readonly expect: Expected;
}

function withFields(change: (fields: Field[]) => readonly Field[]): Buffer {
  return headersFrame(1, Buffer.concat([SIZE_0, encodeBlock(change(requestFields(ECHO_PATH)))]));
}

function malformed(section: string, title: string, change: (fields: Field[]) => readonly Field[]): Case {
  return { section, title, send: [withFields(change)], expect: { streamError: ERROR_CODE.protocol } };
}

const PROTOCOL = { connectionError: ERROR_CODE.protocol };
const FRAME_SIZE = { connectionError: ERROR_CODE.frameSize };
const FLOW_CONTROL = { connectionError: ERROR_CODE.flowControl };
const COMPRESSION = { connectionError: ERROR_CODE.compression };
/** Stream 1 echoes, and with it the connection lives. */
const ANSWERED = { answered: 1 };
const CALL = [open(1), dataFrame(1, ECHO)];

const CASES: readonly Case[] = [
  {
    section: '4.1',
    title: 'ignores a frame of unknown type',
    send: [frame(0x16, 0xff, 0, Buffer.alloc(9)), ...CALL],
    expect: ANSWERED,
  },
  {
    section: '4.1',
    title: 'ignores flags it does not know',
    send: [open(1, END_HEADERS | (0xd2 & ~PADDED & ~PRIORITY)), dataFrame(1, ECHO, 0xf6)],
    expect: ANSWERED,
  },
  {
    section: '4.1',
    title: 'ignores the reserved bit of a stream id',
    send: [frame(FRAME.headers, END_HEADERS, 0x8000_0001, BLOCK), dataFrame(1, ECHO)],
    expect: ANSWERED,
  },
  {
    section: '4.2',
    title: 'takes a frame of 16,384 bytes',
    send: [open(1), dataFrame(1, grpcMessage(Buffer.concat([Buffer.from('echo:'), Buffer.alloc(16_374)])))],
    expect: ANSWERED,
  },
  {
    section: '4.2',
    title: 'refuses a frame of 16,385 bytes',
    send: [open(1), dataFrame(1, Buffer.alloc(16_385))],
    expect: FRAME_SIZE,
  },
  {
    section: '4.2',
    title: 'refuses an unknown frame over the size',
    send: [frame(0x16, 0, 0, Buffer.alloc(16_385))],
    expect: FRAME_SIZE,
  },
  {
    section: '4.3',
    title: 'refuses a header block that is no HPACK',
    send: [headersFrame(1, Buffer.from('ffffffffffffffff', 'hex'))],
    expect: COMPRESSION,
  },
  {
    section: '4.3',
    title: 'refuses broken HPACK in trailers',
    send: [open(1), headersFrame(1, Buffer.of(0x80), END_HEADERS | END_STREAM)],
    expect: COMPRESSION,
  },
  {
    section: '4.3',
    title: 'refuses PRIORITY within a header block',
    send: [open(1, 0), frame(FRAME.priority, 0, 1, Buffer.alloc(5))],
    expect: PROTOCOL,
  },
  {
    section: '4.3',
    title: 'refuses HEADERS of another stream within a header block',
    send: [open(1, 0), open(3)],
    expect: PROTOCOL,
  },
  {
    section: '4.3',
    title: 'refuses an unknown frame within a header block',
    send: [open(1, 0), frame(0x16, 0, 1)],
    expect: PROTOCOL,
  },
  { section: '5.1', title: 'idle: refuses DATA', send: [dataFrame(1, ECHO)], expect: PROTOCOL },
  { section: '5.1', title: 'idle: refuses RST_STREAM', send: [resetFrame(1, 8)], expect: PROTOCOL },
  { section: '5.1', title: 'idle: refuses WINDOW_UPDATE', send: [windowUpdate(1, 10)], expect: PROTOCOL },
  {
    section: '5.1',
    title: 'idle: takes PRIORITY',
    send: [frame(FRAME.priority, 0, 7, Buffer.alloc(5)), ...CALL],
    expect: ANSWERED,
  },
  {
    section: '5.1',
    title: 'half-closed (remote): refuses DATA',
    send: [open(1), dataFrame(1, grpcMessage('big:70000'), END_STREAM), dataFrame(1, ECHO)],
    expect: { streamError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'half-closed (remote): refuses HEADERS',
    send: [
      open(1),
      dataFrame(1, grpcMessage('big:70000'), END_STREAM),
      headersFrame(1, LATER_BLOCK, END_HEADERS | END_STREAM),
    ],
    expect: { streamError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'half-closed (local): takes DATA and WINDOW_UPDATE',
    send: [
      open(1),
      dataFrame(1, grpcMessage('last:a')),
      dataFrame(1, ECHO),
      windowUpdate(1, 1),
      open(3),
      dataFrame(3, ECHO),
    ],
    expect: { answered: 3 },
  },
  {
    section: '5.1',
    title: 'closed by a reset: refuses DATA',
    send: [open(1), resetFrame(1, 8), dataFrame(1, ECHO)],
    expect: { streamError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'closed by a reset: refuses HEADERS',
    send: [open(1), resetFrame(1, 8), headersFrame(1, LATER_BLOCK)],
    expect: { connectionError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'closed: refuses HEADERS',
    send: [open(1, END_HEADERS | END_STREAM), headersFrame(1, LATER_BLOCK)],
    expect: { connectionError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'closed: refuses DATA',
    send: [open(1, END_HEADERS | END_STREAM), dataFrame(1, ECHO)],
    expect: { streamError: ERROR_CODE.streamClosed },
  },
  {
    section: '5.1',
    title: 'closed: ignores WINDOW_UPDATE and RST_STREAM',
    send: [open(1, END_HEADERS | END_STREAM), windowUpdate(1, 5), resetFrame(1, 0), open(3), dataFrame(3, ECHO)],
    expect: { answered: 3 },
  },
  { section: '5.1.1', title: 'refuses an even stream id', send: [headersFrame(2, BLOCK)], expect: PROTOCOL },
  {
    section: '5.1.1',
    title: 'refuses a stream id lower than an earlier one',
    send: [headersFrame(5, BLOCK), open(3)],
    expect: PROTOCOL,
  },
  {
    section: '5.5',
    title: 'refuses CONTINUATION of another stream',
    send: [open(1, 0), frame(FRAME.continuation, END_HEADERS, 3)],
    expect: PROTOCOL,
  },
  { section: '6.1', title: 'refuses DATA on stream 0', send: [dataFrame(0, ECHO)], expect: PROTOCOL },
  {
    section: '6.1',
    title: 'refuses a padding longer than DATA',
    send: [open(1), dataFrame(1, Buffer.of(5, 0, 0, 0, 0), PADDED)],
    expect: PROTOCOL,
  },
  {
    section: '6.1',
    title: 'takes DATA that is padding alone',
    send: [open(1), dataFrame(1, Buffer.of(4, 0, 0, 0, 0), PADDED), dataFrame(1, ECHO)],
    expect: ANSWERED,
  },
  {
    section: '6.1',
    title: 'refuses padded DATA without its length',
    send: [open(1), dataFrame(1, Buffer.alloc(0), PADDED)],
    expect: FRAME_SIZE,
  },
  {
    section: '6.2',
    title: 'takes padded HEADERS with a priority',
    send: [
      headersFrame(
        1,
        Buffer.concat([Buffer.of(3), Buffer.alloc(5), BLOCK, Buffer.alloc(3)]),
        END_HEADERS | PADDED | PRIORITY,
      ),
      dataFrame(1, ECHO),
    ],
    expect: ANSWERED,
  },
  {
    section: '6.2',
    title: 'refuses a padding longer than HEADERS',
    send: [headersFrame(1, Buffer.of(200, 1, 2), END_HEADERS | PADDED)],
    expect: PROTOCOL,
  },
  {
    section: '6.2',
    title: 'refuses HEADERS too short for their priority',
    send: [headersFrame(1, Buffer.of(1, 2), END_HEADERS | PRIORITY)],
    expect: FRAME_SIZE,
  },
  { section: '6.2', title: 'refuses HEADERS on stream 0', send: [headersFrame(0, BLOCK)], expect: PROTOCOL },
  {
    section: '6.3',
    title: 'refuses PRIORITY on stream 0',
    send: [frame(FRAME.priority, 0, 0, Buffer.alloc(5))],
    expect: PROTOCOL,
  },
  {
    section: '6.3',
    title: 'resets the stream of a PRIORITY of a wrong size',
    send: [open(1), frame(FRAME.priority, 0, 1, Buffer.alloc(4))],
    expect: { streamError: ERROR_CODE.frameSize },
  },
  { section: '6.4', title: 'refuses RST_STREAM on stream 0', send: [resetFrame(0, 8)], expect: PROTOCOL },
  {
    section: '6.4',
    title: 'refuses RST_STREAM of a wrong size',
    send: [open(1), frame(FRAME.rstStream, 0, 1, Buffer.alloc(3))],
    expect: FRAME_SIZE,
  },
  {
    section: '6.5',
    title: 'refuses a SETTINGS acknowledgement with a payload',
    send: [frame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(6))],
    expect: FRAME_SIZE,
  },
  { section: '6.5', title: 'refuses SETTINGS on a stream', send: [frame(FRAME.settings, 0, 1)], expect: PROTOCOL },
  {
    section: '6.5',
    title: 'refuses SETTINGS of a wrong size',
    send: [frame(FRAME.settings, 0, 0, Buffer.alloc(5))],
    expect: FRAME_SIZE,
  },
  {
    section: '6.5.2',
    title: 'refuses ENABLE_PUSH 2',
    send: [settingsFrame([[SETTING.enablePush, 2]])],
    expect: PROTOCOL,
  },
  {
    section: '6.5.2',
    title: 'refuses an initial window over 2^31-1',
    send: [settingsFrame([[SETTING.initialWindowSize, 2 ** 31]])],
    expect: FLOW_CONTROL,
  },
  {
    section: '6.5.2',
    title: 'refuses a frame size under 16,384',
    send: [settingsFrame([[SETTING.maxFrameSize, 16_383]])],
    expect: PROTOCOL,
  },
  {
    section: '6.5.2',
    title: 'refuses a frame size over 2^24-1',
    send: [settingsFrame([[SETTING.maxFrameSize, 2 ** 24]])],
    expect: PROTOCOL,
  },
  {
    section: '6.5.2',
    title: 'ignores settings it does not know',
    send: [settingsFrame([[0xabcd, 7]]), ...CALL],
    expect: ANSWERED,
  },
  {
    section: '6.6',
    title: 'refuses PUSH_PROMISE',
    send: [open(1), frame(FRAME.pushPromise, END_HEADERS, 1, Buffer.alloc(8))],
    expect: PROTOCOL,
  },
  {
    section: '6.7',
    title: 'refuses PING on a stream',
    send: [frame(FRAME.ping, 0, 1, Buffer.alloc(8))],
    expect: PROTOCOL,
  },
  {
    section: '6.7',
    title: 'refuses PING of a wrong size',
    send: [frame(FRAME.ping, 0, 0, Buffer.alloc(6))],
    expect: FRAME_SIZE,
  },
  {
    section: '6.7',
    title: 'ignores an acknowledgement of no PING',
    send: [frame(FRAME.ping, FLAG.ack, 0, Buffer.alloc(8)), ...CALL],
    expect: ANSWERED,
  },
  {
    section: '6.8',
    title: 'refuses GOAWAY on a stream',
    send: [frame(FRAME.goaway, 0, 1, Buffer.alloc(8))],
    expect: PROTOCOL,
  },
  {
    section: '6.8',
    title: 'answers calls of a peer that said GOAWAY',
    send: [open(1), frame(FRAME.goaway, 0, 0, Buffer.alloc(8)), dataFrame(1, ECHO)],
    expect: ANSWERED,
  },
  {
    section: '6.9',
    title: 'refuses WINDOW_UPDATE of 0 for the connection',
    send: [windowUpdate(0, 0)],
    expect: PROTOCOL,
  },
  {
    section: '6.9',
    title: 'resets the stream of a WINDOW_UPDATE of 0',
    send: [open(1), windowUpdate(1, 0)],
    expect: { streamError: ERROR_CODE.protocol },
  },
  {
    section: '6.9',
    title: 'refuses WINDOW_UPDATE of a wrong size',
    send: [frame(FRAME.windowUpdate, 0, 0, Buffer.alloc(3))],
    expect: FRAME_SIZE,
  },
  {
    section: '6.9.1',
    title: 'refuses a window of the connection over 2^31-1',
    send: [windowUpdate(0, 2 ** 31 - 1)],
    expect: FLOW_CONTROL,
  },
  {
    section: '6.9.1',
    title: 'resets a stream whose window goes over 2^31-1',
    send: [open(1), windowUpdate(1, 2 ** 31 - 1)],
    expect: { streamError: ERROR_CODE.flowControl },
  },
  {
    section: '6.9.2',
    title: 'refuses settings that lift a stream over 2^31-1',
    send: [open(1), windowUpdate(1, 2 ** 31 - 1 - 65_535), settingsFrame([[SETTING.initialWindowSize, 65_536]])],
    expect: FLOW_CONTROL,
  },
  {
    section: '6.10',
    title: 'takes a header block in many pieces',
    send: [
      headersFrame(1, BLOCK.subarray(0, 5), 0),
      ...[...BLOCK.subarray(5)].map((byte) => frame(FRAME.continuation, 0, 1, Buffer.of(byte))).slice(0, 40),
      frame(FRAME.continuation, END_HEADERS, 1, BLOCK.subarray(45)),
      dataFrame(1, ECHO),
    ],
    expect: ANSWERED,
  },
  {
    section: '6.10',
    title: 'refuses CONTINUATION behind a whole block',
    send: [open(1), frame(FRAME.continuation, END_HEADERS, 1)],
    expect: PROTOCOL,
  },
  {
    section: '6.10',
    title: 'refuses CONTINUATION on stream 0',
    send: [open(1, 0), frame(FRAME.continuation, END_HEADERS, 0)],
    expect: PROTOCOL,
  },
  {
    section: '8.1',
    title: 'takes trailers of a request',
    send: [open(1), dataFrame(1, ECHO), headersFrame(1, encodeField(['x-sum', '1']), END_HEADERS | END_STREAM)],
    expect: { status: '0' },
  },
  {
    section: '8.1',
    title: 'resets a stream whose trailers do not end it',
    send: [open(1), headersFrame(1, encodeField(['x-sum', '1']))],
    expect: { streamError: ERROR_CODE.protocol },
  },
  {
    section: '8.1',
    title: 'resets a stream with a pseudo-header in its trailers',
    send: [open(1), headersFrame(1, encodeField([':path', '/']), END_HEADERS | END_STREAM)],
    expect: { streamError: ERROR_CODE.protocol },
  },
  malformed('8.2', 'resets a request with an upper-case name', (fields) => [...fields, ['X-Upper', '1']]),
  malformed('8.2.1', 'resets a request with a blank in a name', (fields) => [...fields, ['x y', '1']]),
  malformed('8.2.1', 'resets a request with a colon in a name', (fields) => [...fields, ['x:y', '1']]),
  malformed('8.2.1', 'resets a request with an empty name', (fields) => [...fields, ['', '1']]),
  malformed('8.2.1', 'resets a request with a line feed in a value', (fields) => [...fields, ['x', 'a\nb']]),
  malformed('8.2.1', 'resets a request with a NUL in a value', (fields) => [...fields, ['x', 'a\0b']]),
  malformed('8.2.1', 'resets a request with a blank before a value', (fields) => [...fields, ['x', ' a']]),
  malformed('8.2.1', 'resets a request with a tab behind a value', (fields) => [...fields, ['x', 'a\t']]),
  ...['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade'].map((name) =>
    malformed('8.2.2', `resets a request with ${name}`, (fields) => [...fields, [name, 'x']]),
  ),
  malformed('8.2.2', 'resets a request with a te other than trailers', (fields) => [...fields, ['te', 'gzip']]),
  malformed('8.3', 'resets a request with an unknown pseudo-header', (fields) => [[':protocol', 'x'], ...fields]),
  malformed('8.3', 'resets a request with a pseudo-header of responses', (fields) => [[':status', '200'], ...fields]),
  malformed('8.3', 'resets a request with a pseudo-header behind others', (fields) => [
    ...fields.slice(1),
    [':method', 'POST'],
  ]),
  ...[':method', ':scheme', ':path'].flatMap((name) => [
    malformed('8.3.1', `resets a request without ${name}`, (fields) => fields.filter(([field]) => field !== name)),
    malformed('8.3.1', `resets a request with ${name} twice`, (fields) => [
      ...fields.filter(([field]) => field === name),
      ...fields,
    ]),
  ]),
  malformed('8.3.1', 'resets a request with an empty :path', (fields) =>
    fields.map(([name, value]) => [name, name === ':path' ? '' : value]),
  ),
  malformed('8.5', 'resets a CONNECT with a :path', (fields) =>
    fields.map(([name, value]) => [name, name === ':method' ? 'CONNECT' : value]),
  ),
  malformed('8.6', 'resets a request with a content-length that is no number', (fields) => [
    ...fields,
    ['content-length', '-1'],
  ]),
  malformed('8.6', 'resets a request with two content-lengths', (fields) => [
    ...fields,
    ['content-length', '1'],
    ['content-length', '2'],
  ]),
  {
    section: '8.6',
    title: 'resets a stream with more DATA than its content-length',
    send: [withFields((fields) => [...fields, ['content-length', '3']]), dataFrame(1, ECHO)],
    expect: { streamError: ERROR_CODE.protocol },
  },
  {
    section: '8.6',
    title: 'resets a stream with less DATA than its content-length',
    send: [
      withFields((fields) => [...fields, ['content-length', '12']]),
      dataFrame(1, ECHO),
      dataFrame(1, Buffer.alloc(0), END_STREAM),
    ],
    expect: { streamError: ERROR_CODE.protocol },
  },
  {
    section: '8.6',
    title: 'takes DATA of its content-length, padding not counted',
    send: [
      withFields((fields) => [...fields, ['content-length', String(ECHO.length)]]),
      dataFrame(1, Buffer.concat([Buffer.of(2), ECHO, Buffer.alloc(2)]), END_STREAM | PADDED),
    ],
    expect: { status: '0' },
  },
];

describe('RFC 9113', { timeout: 30_000 }, () => {
  let server: EchoServer;
  beforeAll(async () => {
    server = await startWireEcho();
  });
  afterAll(() => server.close(0));

  it.each(CASES)('$section $title', async ({ send, expect: expected }) => {
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    await client.handshake();
    client.send(...send);
    if ('connectionError' in expected) {
      expect(await client.waitForError(0)).toBe(expected.connectionError);
      await client.closed;
      return;
    }
    if ('streamError' in expected) {
      expect(await client.waitForError(expected.on ?? 1)).toBe(expected.streamError);
      await expectAlive(client);
    } else if ('answered' in expected) {
      await client.waitFor(({ type, id }) => type === FRAME.data && id === expected.answered);
    } else expect((await client.waitForEnd(1)).get('grpc-status')).toBe(expected.status);
    client.destroy();
  });

  /** What one stream did wrong hurts no other. */
  async function expectAlive(client: RawClient): Promise<void> {
    client.send(windowUpdate(0, 100_000), headersFrame(101, LATER_BLOCK), dataFrame(101, ECHO));
    await client.waitFor(({ type, id }) => type === FRAME.data && id === 101);
  }

  it.each([
    ['3.4 refuses HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nhost: filter.example.com\r\n\r\n')],
    ['3.4 refuses a preface with a wrong byte', Buffer.concat([PREFACE.subarray(0, 23), Buffer.of(0x0b)])],
    ['3.4 refuses a first frame other than SETTINGS', Buffer.concat([PREFACE, windowUpdate(0, 10)])],
    ['3.4 refuses an acknowledgement as the first frame', Buffer.concat([PREFACE, SETTINGS_ACK])],
  ])('%s', async (_, bytes) => {
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    client.send(bytes);
    expect(await client.waitForError(0)).toBe(ERROR_CODE.protocol);
    await client.closed;
  });

  it('6.5.3 acknowledges settings in their order among other frames', async () => {
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    await client.handshake();
    client.frames.length = 0;
    client.send(settingsFrame(), frame(FRAME.ping, 0, 0, Buffer.alloc(8)), settingsFrame());
    await client.settle();
    expect(client.frames.map(({ type, flags }) => [type, flags])).toEqual([
      [FRAME.settings, FLAG.ack],
      [FRAME.ping, FLAG.ack],
      [FRAME.settings, FLAG.ack],
      [FRAME.ping, FLAG.ack],
    ]);
    client.destroy();
  });

  it('6.9.2 lets a window become negative, and goes on when it is positive again', async () => {
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    await client.handshake([[SETTING.initialWindowSize, 100]]);
    client.send(open(1), dataFrame(1, grpcMessage('big:200')));
    const received = () => client.frames.filter(({ type }) => type === FRAME.data).map(({ payload }) => payload.length);
    await client.settle();
    expect(received()).toEqual([100]);
    client.send(settingsFrame([[SETTING.initialWindowSize, 40]]), windowUpdate(1, 60));
    await client.settle();
    expect(received()).toEqual([100]);
    client.send(windowUpdate(1, 1));
    await client.settle();
    expect(received()).toEqual([100, 1]);
    client.send(settingsFrame([[SETTING.initialWindowSize, 65_535]]));
    await client.settle();
    expect(received()).toEqual([100, 1, 104]);
    client.destroy();
  });

  it('6.9.1 shares the window of the connection, and lets every stream go on when it grows', async () => {
    const client = await RawClient.connect({ port: server.port, host: '127.0.0.1' });
    await client.handshake();
    client.send(open(1), dataFrame(1, grpcMessage('big:60000')));
    client.send(open(3), dataFrame(3, grpcMessage('big:60000')), open(5), dataFrame(5, grpcMessage('big:60000')));
    const total = (id?: number) =>
      client.frames
        .filter((one) => one.type === FRAME.data && (id === undefined || one.id === id))
        .reduce((sum, { payload }) => sum + payload.length, 0);
    await client.settle();
    expect(total()).toBe(65_535);
    client.send(windowUpdate(0, 3));
    await client.settle();
    expect(total()).toBe(65_538);
    client.send(windowUpdate(0, 1_000_000));
    await client.settle();
    expect([total(1), total(3), total(5)]).toEqual([60_005, 60_005, 60_005]);
    client.destroy();
  });

  it('6.9 gives credit back for what it read, before the peer has none left', async () => {
    const limited = await startWireEcho({ streamWindowBytes: 1000, connectionWindowBytes: 70_000 });
    const client = await RawClient.connect({ port: limited.port, host: '127.0.0.1' });
    await client.handshake();
    client.send(open(1), dataFrame(1, grpcMessage(Buffer.alloc(495))), dataFrame(1, Buffer.of(0)));
    const credit = await client.waitFor(({ type, id }) => type === FRAME.windowUpdate && id === 1);
    expect(credit.payload.equals(uint32(501))).toBe(true);
    client.send(dataFrame(1, Buffer.alloc(1001)));
    expect(await client.waitForError(1)).toBe(ERROR_CODE.flowControl);
    client.destroy();
    await limited.close(0);
  });
});
