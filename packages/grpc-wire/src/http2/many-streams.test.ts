import { afterEach, describe, expect, it } from 'vitest';
import { prepareMessage } from '../grpc/prepared-message.ts';
import { ECHO_PATH, startWireEcho, type WireEchoServer } from '../testing/echo-service.ts';
import { dataFrame, type Frame, grpcMessage, resetFrame, settingsFrame } from '../testing/frames.ts';
import { MemoryPeer, recordCalls } from '../testing/memory-peer.ts';
import { RawClient } from '../testing/raw-client.ts';
import { open } from '../testing/wire-cases.ts';
import type { WireLimits } from './limits.ts';
import { ERROR_CODE, FLAG, FRAME, PREFACE, SETTING } from './protocol.ts';

const window = (bytes: number) => settingsFrame([[SETTING.initialWindowSize, bytes]]);
const hasFrame = (frames: readonly Frame[], type: number, id: number) =>
  frames.some((one) => one.type === type && one.id === id);

describe('one frame that affects every stream', () => {
  function connect(limits: Partial<WireLimits>, streams: number): MemoryPeer {
    const { open: openCall } = recordCalls((call, message) => call.send(prepareMessage(message)));
    const peer = new MemoryPeer({ path: ECHO_PATH, open: openCall, limits });
    peer.send(Buffer.concat([PREFACE, window(0)]));
    for (let n = 0; n < streams; n++) peer.send(open(2 * n + 1));
    return peer;
  }

  it('SETTINGS cost one unit for every window that they change', () => {
    const peer = connect({ overheadPerSecond: 1200 }, 300);
    for (const bytes of [1, 2, 3]) peer.send(window(bytes));
    expect(peer.errors).toEqual([]);
    peer.send(window(4));
    expect(peer.errors).toMatchObject([{ scope: 'connection', code: ERROR_CODE.enhanceYourCalm }]);
    expect(peer.counters.limits.window_updates).toBe(1);
  });

  it('SETTINGS that change no window, or come before the first stream, cost little', () => {
    const peer = connect({ overheadPerSecond: 10_000 }, 0);
    for (let bytes = 2000; bytes > 0; bytes--) peer.send(window(bytes));
    for (let n = 0; n < 600; n++) peer.send(open(2 * n + 1));
    for (let n = 0; n < 2000; n++) peer.send(window(1));
    expect(peer.errors).toEqual([]);
  });

  it('responses that waited for the window continue when SETTINGS open it', () => {
    const peer = connect({ overheadPerSecond: 1000 }, 300);
    peer.send(dataFrame(599, grpcMessage('a')));
    expect(hasFrame(peer.frames, FRAME.data, 599)).toBe(false);
    peer.send(window(100));
    expect(hasFrame(peer.frames, FRAME.data, 599)).toBe(true);
  });
});

describe('input in very many pieces', () => {
  it('a message with a frame per byte is delivered as one, and leaves no memory behind', () => {
    const { open: openCall, calls } = recordCalls((call, message) =>
      call.finish(prepareMessage(message.subarray(0, 4))),
    );
    const peer = new MemoryPeer({ path: ECHO_PATH, open: openCall });
    const message = grpcMessage(Buffer.alloc(100_000, 'm'));
    const frames = Array.from(message, (byte) => dataFrame(1, Buffer.of(byte)));
    peer.send(Buffer.concat([PREFACE, settingsFrame(), open(1), ...frames]));
    expect(calls.map(({ messages }) => messages.map((hex) => hex.length / 2))).toEqual([[100_000]]);
    expect([peer.errors, peer.connection.partialBytes.held]).toEqual([[], 0]);
  });

  it('a long sequence of calls leaves none of them in memory', () => {
    const { open: openCall, calls } = recordCalls(() => undefined);
    const peer = new MemoryPeer({ path: ECHO_PATH, open: openCall });
    peer.send(Buffer.concat([PREFACE, settingsFrame()]));
    for (let n = 0; n < 100_000; n++) {
      peer.send(open(2 * n + 1, FLAG.endHeaders | FLAG.endStream));
      peer.frames.length = 0;
      calls.length = 0;
    }
    expect(peer.errors).toEqual([]);
    expect([peer.counters.calls, peer.counters.openStreams, peer.connection.streams.size]).toEqual([100_000, 0, 0]);
  });
});

describe('streams of all connections together', () => {
  let server: WireEchoServer | undefined;
  const clients: RawClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await server?.close(0);
  });

  async function shake({ port }: WireEchoServer): Promise<RawClient> {
    const client = await RawClient.connect({ port, host: '127.0.0.1' });
    clients.push(client);
    await client.handshake();
    return client;
  }

  it('are refused beyond the limit to a connection that has its share, and accepted after others have ended', async () => {
    const started = await startWireEcho({ serverStreams: 6 });
    server = started;
    const [greedy, other] = [await shake(started), await shake(started)];
    greedy.send(...[1, 3, 5, 7, 9, 11, 13].map((id) => open(id)));
    expect(await greedy.waitForError(13)).toBe(ERROR_CODE.refusedStream);
    expect([started.counters.limits.server_streams, started.counters.limits.streams]).toEqual([1, 0]);
    greedy.send(resetFrame(11, 8), open(15), dataFrame(15, grpcMessage('echo:a')));
    await greedy.waitFor((one) => one.type === FRAME.data && one.id === 15);
    for (const id of [1, 3, 5]) {
      other.send(open(id), dataFrame(id, grpcMessage('echo:a')));
      await other.waitFor((one) => one.type === FRAME.data && one.id === id);
    }
    other.send(open(7));
    expect(await other.waitForError(7)).toBe(ERROR_CODE.refusedStream);
    expect(started.counters.openStreams).toBe(9);
  });
});
