import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareMessage } from '../grpc/prepared-message.ts';
import {
  dataFrame,
  type Frame,
  frame,
  grpcMessage,
  headersFrame,
  requestFields,
  resetFrame,
  SETTINGS_ACK,
  settingsFrame,
  windowUpdate,
} from '../testing/frames.ts';
import { encodeBlock, encodeTableSize, type Field } from '../testing/hpack-encoder.ts';
import { MemoryPeer, recordCalls } from '../testing/memory-peer.ts';
import { FLAG, FRAME, PREFACE, SETTING } from './protocol.ts';

const PATH = '/flotilla.test.Echo/Call';

/** The steps a peer can take on one of eight streams. */
type Step =
  | { kind: 'open'; slot: number; huffman: boolean; insert: boolean; more: Field[]; pieces: number }
  | { kind: 'message'; slot: number; bytes: Uint8Array; cut: number; padding: number; end: boolean }
  | { kind: 'reset'; slot: number }
  | { kind: 'credit'; slot: number; bytes: number }
  | { kind: 'ping' }
  | { kind: 'settings'; window: number }
  | { kind: 'unknown' };

const slot = fc.integer({ min: 0, max: 7 });
const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('open' as const),
      slot,
      huffman: fc.boolean(),
      insert: fc.boolean(),
      more: fc.array(
        fc.tuple(
          word.map((name) => `x-${name}`),
          word,
        ),
        { maxLength: 3 },
      ),
      pieces: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('message' as const),
      slot,
      bytes: fc.uint8Array({ maxLength: 300 }),
      cut: fc.integer({ min: 0, max: 300 }),
      padding: fc.constantFrom(0, 0, 1, 255),
      end: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant('reset' as const), slot }),
  fc.record({ kind: fc.constant('credit' as const), slot, bytes: fc.integer({ min: 1, max: 5000 }) }),
  fc.constant({ kind: 'ping' as const }),
  fc.record({ kind: fc.constant('settings' as const), window: fc.integer({ min: 0, max: 100_000 }) }),
  fc.constant({ kind: 'unknown' as const }),
);

/** Encodes a conforming peer: frames for the steps that are allowed at their position. */
function encodeSteps(steps: readonly Step[]): { bytes: Buffer; boundaries: number[] } {
  const frames: Buffer[] = [PREFACE, settingsFrame([[SETTING.initialWindowSize, 1000]])];
  const open = new Map<number, { id: number }>();
  let nextId = 1;
  for (const one of steps) {
    if (one.kind === 'ping') frames.push(frame(FRAME.ping, 0, 0, Buffer.alloc(8, 1)));
    else if (one.kind === 'settings') frames.push(settingsFrame([[SETTING.initialWindowSize, one.window]]));
    else if (one.kind === 'unknown') frames.push(frame(0x42, 0xff, 3, Buffer.alloc(20)));
    else if (one.kind === 'open') {
      if (open.has(one.slot)) continue;
      const id = nextId;
      nextId += 2;
      open.set(one.slot, { id });
      const options = { huffman: one.huffman, indexing: one.insert ? ('insert' as const) : ('none' as const) };
      const block = encodeBlock([...requestFields(PATH), ...one.more], options);
      const size = Math.ceil(block.length / one.pieces);
      for (let n = 0; n < one.pieces; n++) {
        const flags = n === one.pieces - 1 ? FLAG.endHeaders : 0;
        const part = block.subarray(n * size, (n + 1) * size);
        frames.push(n === 0 ? headersFrame(id, part, flags) : frame(FRAME.continuation, flags, id, part));
      }
    } else {
      const stream = open.get(one.slot);
      if (stream === undefined) continue;
      if (one.kind === 'credit') frames.push(windowUpdate(stream.id, one.bytes));
      else if (one.kind === 'reset') {
        frames.push(resetFrame(stream.id, 8));
        open.delete(one.slot);
      } else {
        const message = grpcMessage(one.bytes);
        const cut = Math.min(one.cut, message.length);
        frames.push(dataFrame(stream.id, message.subarray(0, cut)));
        const rest = message.subarray(cut);
        const padded = Buffer.concat([Buffer.of(one.padding), rest, Buffer.alloc(one.padding)]);
        const flags = one.end ? FLAG.endStream : 0;
        frames.push(
          one.padding > 0 ? dataFrame(stream.id, padded, flags | FLAG.padded) : dataFrame(stream.id, rest, flags),
        );
        if (one.end) open.delete(one.slot);
      }
    }
  }
  let at = 0;
  const boundaries = frames.map((one) => {
    at += one.length;
    return at;
  });
  return { bytes: Buffer.concat(frames), boundaries };
}

function serve(chunks: readonly Buffer[]) {
  const { open, calls } = recordCalls((call, message) => {
    if (message[0] === 1) call.finish(prepareMessage(message));
    else if (message[0] === 2) call.fail(5);
    else call.send(prepareMessage(message));
  });
  const peer = new MemoryPeer({ path: PATH, open });
  for (const chunk of chunks) peer.send(chunk);
  return { peer, calls };
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, n) => bytes.subarray(places[n] ?? 0, end));
}

function dataOf(frames: readonly Frame[]): Record<number, string> {
  const data: Record<number, string> = {};
  for (const { type, id, payload } of frames) {
    if (type === FRAME.data) data[id] = (data[id] ?? '') + payload.toString('hex');
  }
  return data;
}

const comparable = ({ peer, calls }: ReturnType<typeof serve>) => ({
  calls,
  frames: peer.frames.map(({ type, flags, id, payload }) => [type, flags, id, payload.toString('hex')]),
  errors: peer.errors,
});

it('a failing socket is an error after HTTP/2 was spoken, but not for a peer that only probes the port', () => {
  const open = () => new MemoryPeer({ path: PATH, open: recordCalls(() => undefined).open });
  const looking = open();
  looking.connection.lost(new Error('write EPIPE'));
  expect(looking.errors).toEqual([]);
  const speaking = open();
  speaking.send(Buffer.concat([PREFACE, settingsFrame([])]));
  speaking.connection.lost(new Error('read ECONNRESET'));
  expect(speaking.errors).toMatchObject([{ scope: 'connection', reason: 'the socket failed' }]);
});

describe('Connection', { timeout: 120_000 }, () => {
  it('delivers the same calls and sends the same frames however the bytes are split', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 30 }), (steps, cuts) => {
        const { bytes, boundaries } = encodeSteps(steps);
        const whole = serve([bytes]);
        expect(whole.peer.errors).toEqual([]);
        expect(comparable(serve(cutAt(bytes, cuts)))).toEqual(comparable(whole));
        expect(comparable(serve(cutAt(bytes, boundaries)))).toEqual(comparable(whole));
      }),
      { numRuns: 200 },
    );
  });

  it('delivers the same calls when every byte arrives alone', () => {
    const steps: Step[] = [
      { kind: 'open', slot: 0, huffman: true, insert: true, more: [['x-a', 'b']], pieces: 3 },
      { kind: 'message', slot: 0, bytes: Buffer.alloc(280, 7), cut: 3, padding: 255, end: false },
      { kind: 'settings', window: 100 },
      { kind: 'message', slot: 0, bytes: Buffer.alloc(280, 7), cut: 100, padding: 0, end: true },
    ];
    const { bytes } = encodeSteps(steps);
    const single = serve([...bytes].map((byte) => Buffer.of(byte)));
    expect(comparable(single)).toEqual(comparable(serve([bytes])));
    expect(single.calls).toEqual([{ messages: Array(2).fill('07'.repeat(280)), end: 'half-close' }]);
  });

  it('stops reading from a peer that does not read, and continues when it does', () => {
    const peer = new MemoryPeer({
      path: PATH,
      open: recordCalls((call, message) => call.send(prepareMessage(message))).open,
      limits: { pauseOutputBytes: 1000 },
    });
    const { bytes } = encodeSteps([
      { kind: 'open', slot: 0, huffman: false, insert: false, more: [], pieces: 1 },
      { kind: 'message', slot: 0, bytes: Buffer.alloc(100), cut: 0, padding: 0, end: false },
    ]);
    peer.unreadBytes = 1000;
    peer.isBusy = true;
    const before = peer.frames.length;
    peer.send(bytes);
    expect([peer.isReading, peer.frames.length]).toEqual([false, before]);
    peer.unreadBytes = 0;
    peer.isBusy = false;
    peer.connection.onDrained();
    expect(peer.isReading).toBe(true);
    expect(dataOf(peer.frames)).toEqual({ 1: grpcMessage(Buffer.alloc(100)).toString('hex') });
  });

  it('never sends beyond the peer’s windows', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { peer } = serve([encodeSteps(steps).bytes]);
        const given = steps.reduce((sum, one) => sum + (one.kind === 'credit' ? one.bytes : 0), 0);
        const largest = steps.reduce((size, one) => Math.max(size, one.kind === 'settings' ? one.window : 0), 1000);
        for (const data of Object.values(dataOf(peer.frames)))
          expect(data.length / 2).toBeLessThanOrEqual(largest + given);
        const total = Object.values(dataOf(peer.frames)).join('').length / 2;
        expect(total).toBeLessThanOrEqual(65_535);
      }),
      { numRuns: 100 },
    );
  });

  it('survives mutated bytes: nothing is thrown or kept, and every handler learns its end', () => {
    const mutation = fc.record({
      at: fc.nat(),
      kind: fc.constantFrom('flip', 'drop', 'insert', 'copy'),
      byte: fc.nat({ max: 255 }),
    });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 3, maxLength: 30 }),
        fc.array(mutation, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 10 }),
        (steps, mutations, cuts) => {
          let bytes = encodeSteps(steps).bytes;
          for (const { at, kind, byte } of mutations) {
            const place = PREFACE.length + (at % (bytes.length - PREFACE.length));
            const [head, tail] = [bytes.subarray(0, place), bytes.subarray(place)];
            if (kind === 'flip') bytes = Buffer.concat([head, Buffer.of(byte), tail.subarray(1)]);
            else if (kind === 'drop') bytes = Buffer.concat([head, tail.subarray(1 + (byte % 16))]);
            else if (kind === 'insert') bytes = Buffer.concat([head, Buffer.of(byte), tail]);
            else bytes = Buffer.concat([head, tail.subarray(0, byte), tail]);
          }
          expectClean(cutAt(bytes, cuts));
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('survives random frames after a valid preface', () => {
    const any = fc
      .tuple(
        fc.nat({ max: 11 }),
        fc.nat({ max: 255 }),
        fc.constantFrom(0, 1, 1, 3, 3, 5, 7, 2),
        fc.uint8Array({ maxLength: 60 }),
      )
      .map(([type, flags, id, payload]) => frame(type, flags, id, payload));
    const good = fc.constantFrom(
      headersFrame(1, encodeBlock(requestFields(PATH))),
      headersFrame(3, encodeBlock(requestFields(PATH), { huffman: true })),
      dataFrame(1, grpcMessage('a')),
      dataFrame(3, grpcMessage('\x01b'), FLAG.endStream),
      SETTINGS_ACK,
      headersFrame(5, Buffer.concat([encodeTableSize(0), encodeBlock(requestFields(PATH))])),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(any, good, good), { maxLength: 30 }), (frames) => {
        expectClean([Buffer.concat([PREFACE, settingsFrame(), ...frames])]);
      }),
      { numRuns: 1500 },
    );
  });

  function expectClean(chunks: readonly Buffer[]): void {
    const { peer, calls } = serve(chunks);
    peer.lose();
    expect(peer.counters.openStreams).toBe(0);
    expect(peer.connection.partialBytes.held).toBe(0);
    expect(peer.connection.sender.queuedBytes).toBe(0);
    expect(peer.counters.handlerErrors).toBe(0);
    expect(calls.length).toBe(peer.counters.calls);
    const isOver = ({ messages, end }: (typeof calls)[number]) =>
      end !== 'none' || messages.some((one) => /^0[12]/.test(one));
    expect(calls.filter((call) => !isOver(call))).toEqual([]);
  }
});
