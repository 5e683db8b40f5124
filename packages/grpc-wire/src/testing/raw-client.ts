import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { HpackDecoder } from '../hpack/decoder.ts';
import { ERROR_CODE, FLAG, FRAME, PREFACE } from '../http2/protocol.ts';
import { type Frame, FrameCollector, headersFrame, requestBlock, SETTINGS_ACK, settingsFrame } from './frames.ts';
import { encodeTableSize } from './hpack-encoder.ts';

/** A peer that sends exactly the given bytes and keeps every frame it receives. */
export class RawClient {
  readonly frames: Frame[] = [];
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #collector = new FrameCollector();
  readonly #decoder = new HpackDecoder();
  #wake = Promise.withResolvers<void>();
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.on('data', (chunk: Buffer) => {
      this.frames.push(...this.#collector.add(chunk));
      this.#notify();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#isClosed = true;
      this.#notify();
      resolve();
    });
  }

  static async connect(address: NetConnectOpts): Promise<RawClient> {
    const socket = connect(address);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.once('connect', resolve);
    socket.once('error', reject);
    await promise;
    return new RawClient(socket);
  }

  send(...frames: readonly Uint8Array[]): void {
    this.#socket.write(Buffer.concat(frames));
  }

  /** Exchanges preface and settings. The first header block must then begin with a size update, see `open`. */
  async handshake(settings: readonly (readonly [number, number])[] = []): Promise<void> {
    this.send(PREFACE, settingsFrame(settings));
    await this.waitFor((frame) => frame.type === FRAME.settings && frame.flags === 0);
    this.send(SETTINGS_ACK);
    await this.waitFor((frame) => frame.type === FRAME.settings && frame.flags === FLAG.ack);
  }

  /** Sends the HEADERS of a call. */
  open(id: number, path: string, flags = FLAG.endHeaders as number): void {
    this.send(headersFrame(id, Buffer.concat([encodeTableSize(0), requestBlock(path)]), flags));
  }

  /** The first matching frame, including those already received. Rejects when the connection ends without one. */
  async waitFor(isWanted: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(isWanted);
      if (found !== undefined) return found;
      if (this.#isClosed) throw new Error(`the connection ended after ${describeFrames(this.frames)}`);
      await this.#wake.promise;
    }
  }

  /** The fields of the frame that ended the stream. Earlier frames must have been read in order. */
  async waitForEnd(id: number): Promise<Map<string, string>> {
    await this.waitFor((frame) => frame.id === id && isEnd(frame));
    const fields = new Map<string, string>();
    for (const frame of this.frames) {
      if (frame.id !== id || frame.type !== FRAME.headers) continue;
      for (const [name, value] of this.decode(frame.payload)) fields.set(name, value);
    }
    return fields;
  }

  /** The code of RST_STREAM, or of GOAWAY for stream 0. */
  async waitForError(id: number): Promise<number> {
    if (id === 0) {
      const goaway = await this.waitFor((frame) => frame.type === FRAME.goaway);
      return goaway.payload.readUInt32BE(4);
    }
    const reset = await this.waitFor((frame) => frame.type === FRAME.rstStream && frame.id === id);
    return reset.payload.readUInt32BE(0);
  }

  /** Resolves when a PING came back, so the server has processed everything sent before it. */
  async settle(): Promise<void> {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(this.frames.length + 1);
    payload.write('ping', 4);
    const ping = Buffer.concat([Buffer.from([0, 0, 8, FRAME.ping, 0, 0, 0, 0, 0]), payload]);
    this.send(ping);
    await this.waitFor((frame) => frame.type === FRAME.ping && frame.flags === 1 && frame.payload.equals(payload));
  }

  decode(block: Buffer): [string, string][] {
    const fields: [string, string][] = [];
    const error = this.#decoder.decode(block, 0, block.length, {
      onField: (name, nameStart, nameEnd, value, valueStart, valueEnd) => {
        fields.push([latin1(name, nameStart, nameEnd), latin1(value, valueStart, valueEnd)]);
      },
    });
    if (error !== undefined) throw new Error(`the server's header block: ${error}`);
    return fields;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #notify(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, end)).toString('latin1');
}

function isEnd(frame: Frame): boolean {
  const canEnd = frame.type === FRAME.headers || frame.type === FRAME.data;
  return canEnd && (frame.flags & FLAG.endStream) !== 0;
}

const TYPE_NAMES = Object.keys(FRAME);

function describeFrames(frames: readonly Frame[]): string {
  if (frames.length === 0) return 'no frame';
  return frames
    .map((frame) => {
      const name = TYPE_NAMES[frame.type] ?? `type ${frame.type}`;
      if (frame.type !== FRAME.goaway) return `${name}(${frame.id})`;
      const code = frame.payload.readUInt32BE(4);
      const word = Object.entries(ERROR_CODE).find(([, value]) => value === code)?.[0] ?? code;
      return `goaway(${word}: ${frame.payload.toString('latin1', 8)})`;
    })
    .join(', ');
}
