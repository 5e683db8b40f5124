import { connect, type NetConnectOpts } from 'node:net';
import {
  FLAG,
  FRAME,
  FRAME_HEAD_BYTES,
  MAX_WINDOW_BYTES,
  PREFACE,
  readUint31,
  SETTING,
  writeUint32,
} from '../http2/protocol.ts';
import {
  dataFrame,
  grpcMessage,
  headersFrame,
  requestBlock,
  resetFrame,
  SETTINGS_ACK,
  settingsFrame,
  windowUpdate,
} from './frames.ts';
import { encodeTableSize } from './hpack-encoder.ts';

export interface LoadOptions {
  readonly address: NetConnectOpts;
  readonly path: string;
  readonly message: Uint8Array;
  /** Exchanges in flight on the single connection. */
  readonly concurrency: number;
  readonly exchanges: number;
  /** How the client's side ends: with the message, or with a reset after the response, as Envoy does. */
  readonly end: 'half-close' | 'reset';
}

export interface LoadResult {
  readonly exchanges: number;
  /** Exchanges without trailers after DATA. */
  readonly failed: number;
  readonly seconds: number;
}

const RENEW_WINDOW_BYTES = 2 ** 29;
const ID_OFFSET = 5;

/**
 * Runs exchanges as fast as the server answers. Frames are encoded once, which leaves nearly all of the CPU to the
 * server.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const socket = connect(options.address);
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>();
  const headers = headersFrame(0, requestBlock(options.path));
  const data = dataFrame(0, grpcMessage(options.message), options.end === 'half-close' ? FLAG.endStream : 0);
  const request = Buffer.concat([headers, data]);
  const reset = options.end === 'reset' ? resetFrame(0, 0) : Buffer.alloc(0);
  const reader = new AnswerReader();
  let nextId = 1;
  let began = 0;

  const start = (count: number, ended: readonly number[]) => {
    const batch = Buffer.allocUnsafe(count * request.length + ended.length * reset.length);
    let at = 0;
    for (const id of reset.length === 0 ? [] : ended) {
      batch.set(reset, at);
      writeUint32(batch, at + ID_OFFSET, id);
      at += reset.length;
    }
    for (let n = 0; n < count; n++) {
      batch.set(request, at);
      writeUint32(batch, at + ID_OFFSET, nextId);
      writeUint32(batch, at + headers.length + ID_OFFSET, nextId);
      nextId += 2;
      at += request.length;
    }
    socket.write(batch);
  };

  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the server ended the connection')));
  socket.on('connect', () => {
    const windows = settingsFrame([[SETTING.initialWindowSize, MAX_WINDOW_BYTES]]);
    socket.write(Buffer.concat([PREFACE, windows, windowUpdate(0, 2 ** 30)]));
  });
  socket.on('data', (chunk: Buffer) => {
    const ended = reader.read(chunk);
    if (reader.goaway !== undefined) {
      socket.destroy(new Error(`the server gave up: ${reader.goaway}`));
      return;
    }
    if (reader.takeSettings()) {
      // The first block after the acknowledgement must begin with a size update.
      const block = Buffer.concat([encodeTableSize(0), requestBlock(options.path)]);
      socket.write(Buffer.concat([SETTINGS_ACK, headersFrame(1, block), resetFrame(1, 8)]));
      nextId = 3;
      began = performance.now();
      start(Math.min(options.concurrency, options.exchanges), []);
      return;
    }
    if (reader.dataBytes > RENEW_WINDOW_BYTES) socket.write(windowUpdate(0, reader.takeDataBytes()));
    const left = options.exchanges - (nextId - 3) / 2;
    if (ended.length > 0) start(Math.min(ended.length, left), ended);
    if (reader.ended < options.exchanges) return;
    socket.destroy();
    resolve({ exchanges: reader.ended, failed: reader.failed, seconds: (performance.now() - began) / 1000 });
  });
  return promise;
}

/** Reads only the ends of the responses. */
class AnswerReader {
  #rest: Buffer = Buffer.alloc(0);
  #hasSettings = false;
  #withData = 0;
  /** The reason in the server's GOAWAY. */
  goaway: string | undefined;
  ended = 0;
  dataBytes = 0;

  get failed(): number {
    return this.ended - this.#withData;
  }

  takeSettings(): boolean {
    const has = this.#hasSettings;
    this.#hasSettings = false;
    return has;
  }

  takeDataBytes(): number {
    const bytes = this.dataBytes;
    this.dataBytes = 0;
    return bytes;
  }

  /** Returns the streams that ended with this chunk. */
  read(chunk: Buffer): number[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const ended: number[] = [];
    let at = 0;
    while (bytes.length - at >= FRAME_HEAD_BYTES) {
      const end = at + FRAME_HEAD_BYTES + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      const type = bytes[at + 3];
      const flags = bytes[at + 4] ?? 0;
      if (type === FRAME.goaway) this.goaway = bytes.toString('latin1', at + 17, end);
      if (type === FRAME.settings && (flags & FLAG.ack) === 0) this.#hasSettings = true;
      if (type === FRAME.data) {
        this.dataBytes += end - at - FRAME_HEAD_BYTES;
        this.#withData += 1;
      } else if (type === FRAME.headers && (flags & FLAG.endStream) !== 0) {
        ended.push(readUint31(bytes, at + 5));
        this.ended += 1;
      }
      at = end;
    }
    this.#rest = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at));
    return ended;
  }
}
