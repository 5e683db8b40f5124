import { type ByteSink, Output } from './output.ts';
import {
  createFrame,
  DEFAULT_WINDOW_BYTES,
  FLAG,
  FRAME,
  FRAME_HEAD_BYTES,
  MAX_FRAME_BYTES,
  MAX_WINDOW_BYTES,
  writeFrameHead,
  writeUint32,
} from './protocol.ts';

/** The sender's part of a stream. Only the sender writes to it. */
export interface Sending {
  readonly id: number;
  /** Credit from the peer; negative after the peer lowered its settings. */
  sendWindow: number;
  /** Payloads that wait for credit. The first one starts at `queueOffset`. */
  queue: Buffer[] | undefined;
  queueOffset: number;
  queuedBytes: number;
  /** The frame that ends the stream after the queue. */
  ending: Buffer | undefined;
  /** When the queue last became shorter, in server ticks. */
  stalledSinceMs: number;
  /** Our side of the stream has ended. */
  onLocalEnd(): void;
}

const TYPE_AT = 3;
const FLAGS_AT = 4;
const STREAM_ID_AT = 5;
/** The table size of our encoder until we announce another (RFC 9113 section 6.5.2). We insert nothing. */
const DEFAULT_TABLE_BYTES = 4096;
/** A size update to 0 (RFC 7541 section 6.3). */
const TABLE_SIZE_0 = 0x20;

const SETTINGS_ACK = createFrame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(0));

/** Sends frames within the peer's windows. Excess data waits in its stream; the caller must bound it. */
export class Sender<S extends Sending> {
  readonly #output: Output;
  readonly #waiting = new Set<S>();
  readonly #flushLater = () => this.#flushScheduled();
  #isCorked = false;
  #isScheduled = false;
  #isStopped = false;
  /** The peer lowered the table size, so our next header block must begin with a size update (RFC 9113 section 4.3.1). */
  #owesTableSize = false;
  #hasTable = true;
  window = DEFAULT_WINDOW_BYTES;
  queuedBytes = 0;
  nowMs: number;

  constructor(sink: ByteSink, nowMs: number) {
    this.nowMs = nowMs;
    this.#output = new Output(sink);
  }

  get unsentBytes(): number {
    return this.#output.length;
  }

  /** Holds output back until `uncork`, unless the buffer is full. */
  cork(): void {
    this.#isCorked = true;
  }

  uncork(): void {
    this.#isCorked = false;
    this.#output.flush();
  }

  /** The peer wants a table of at most `bytes`. Once we have announced size 0, no further update is needed. */
  limitTable(bytes: number): void {
    if (this.#hasTable && bytes < DEFAULT_TABLE_BYTES) this.#owesTableSize = true;
  }

  /** Sends a frame that was created for stream 0 on stream `id`. */
  sendFrame(frame: Buffer, id: number): void {
    if (this.#owesTableSize && frame[TYPE_AT] === FRAME.headers) {
      this.#sendWithTableSize(frame, id);
      return;
    }
    const at = this.#output.reserve(frame.length);
    this.#output.bytes.set(frame, at);
    writeUint32(this.#output.bytes, at + STREAM_ID_AT, id);
    this.#touch();
  }

  #sendWithTableSize(frame: Buffer, id: number): void {
    this.#owesTableSize = false;
    this.#hasTable = false;
    const length = frame.length - FRAME_HEAD_BYTES + 1;
    const at = this.#output.reserve(FRAME_HEAD_BYTES + length);
    const { bytes } = this.#output;
    writeFrameHead(bytes, at, length, FRAME.headers, frame[FLAGS_AT] as number, id);
    bytes[at + FRAME_HEAD_BYTES] = TABLE_SIZE_0;
    bytes.set(frame.subarray(FRAME_HEAD_BYTES), at + FRAME_HEAD_BYTES + 1);
    this.#touch();
  }

  /** Sends complete frames unchanged. */
  sendRaw(frames: Buffer): void {
    const at = this.#output.reserve(frames.length);
    this.#output.bytes.set(frames, at);
    this.#touch();
  }

  sendControl(type: number, id: number, payload: Uint8Array): void {
    const at = this.#output.reserve(FRAME_HEAD_BYTES + payload.length);
    writeFrameHead(this.#output.bytes, at, payload.length, type, 0, id);
    this.#output.bytes.set(payload, at + FRAME_HEAD_BYTES);
    this.#touch();
  }

  /** Sends RST_STREAM or WINDOW_UPDATE. */
  sendNumber(type: number, id: number, value: number): void {
    const at = this.#output.reserve(FRAME_HEAD_BYTES + 4);
    writeFrameHead(this.#output.bytes, at, 4, type, 0, id);
    writeUint32(this.#output.bytes, at + FRAME_HEAD_BYTES, value);
    this.#touch();
  }

  acknowledgeSettings(): void {
    this.sendFrame(SETTINGS_ACK, 0);
  }

  acknowledgePing(bytes: Uint8Array, start: number): void {
    const at = this.#output.reserve(FRAME_HEAD_BYTES + 8);
    writeFrameHead(this.#output.bytes, at, 8, FRAME.ping, FLAG.ack, 0);
    for (let n = 0; n < 8; n++) this.#output.bytes[at + FRAME_HEAD_BYTES + n] = bytes[start + n] as number;
    this.#touch();
  }

  /**
   * Sends HEADERS, one DATA of `payloadBytes` at `dataAt` and trailers in one copy, if the windows have room for all of
   * it and nothing is queued. False: nothing was sent.
   */
  sendAnswer(stream: S, answer: Buffer, dataAt: number, payloadBytes: number): boolean {
    if (payloadBytes > stream.sendWindow || payloadBytes > this.window || stream.queue !== undefined) return false;
    if (this.#owesTableSize) return false;
    stream.sendWindow -= payloadBytes;
    this.window -= payloadBytes;
    const at = this.#output.reserve(answer.length);
    const bytes = this.#output.bytes;
    bytes.set(answer, at);
    const id = stream.id;
    writeUint32(bytes, at + STREAM_ID_AT, id);
    writeUint32(bytes, at + dataAt + STREAM_ID_AT, id);
    writeUint32(bytes, at + dataAt + FRAME_HEAD_BYTES + payloadBytes + STREAM_ID_AT, id);
    this.#touch();
    stream.onLocalEnd();
    return true;
  }

  sendPayload(stream: S, payload: Buffer): void {
    const length = payload.length;
    if (stream.queue === undefined) {
      if (length <= MAX_FRAME_BYTES && length <= stream.sendWindow && length <= this.window) {
        this.#writeData(stream, payload, 0, length);
        return;
      }
      stream.queue = [];
      stream.stalledSinceMs = this.nowMs;
    }
    stream.queue.push(payload);
    stream.queuedBytes += length;
    this.queuedBytes += length;
    this.drain(stream);
  }

  /** Ends the stream with `frame`, after queued data. */
  end(stream: S, frame: Buffer): void {
    if (stream.queue !== undefined) {
      stream.ending = frame;
      return;
    }
    this.sendFrame(frame, stream.id);
    stream.onLocalEnd();
  }

  /** Sends as much queued data as the windows allow. */
  drain(stream: S): void {
    const queue = stream.queue;
    if (queue === undefined) return;
    let sent = 0;
    while (sent < queue.length) {
      const payload = queue[sent] as Buffer;
      const left = payload.length - stream.queueOffset;
      const length = Math.min(left, stream.sendWindow, this.window, MAX_FRAME_BYTES);
      if (length <= 0) break;
      this.#writeData(stream, payload, stream.queueOffset, length);
      stream.queueOffset += length;
      stream.queuedBytes -= length;
      stream.stalledSinceMs = this.nowMs;
      this.queuedBytes -= length;
      if (length === left) {
        stream.queueOffset = 0;
        sent += 1;
      }
    }
    if (sent < queue.length) {
      if (sent > 0) queue.splice(0, sent);
      if (stream.sendWindow > 0) this.#waiting.add(stream);
      return;
    }
    stream.queue = undefined;
    this.#waiting.delete(stream);
    if (stream.ending === undefined) return;
    this.sendFrame(stream.ending, stream.id);
    stream.ending = undefined;
    stream.onLocalEnd();
  }

  #writeData(stream: S, payload: Buffer, from: number, length: number): void {
    const at = this.#output.reserve(FRAME_HEAD_BYTES + length);
    writeFrameHead(this.#output.bytes, at, length, FRAME.data, 0, stream.id);
    payload.copy(this.#output.bytes, at + FRAME_HEAD_BYTES, from, from + length);
    this.#touch();
    stream.sendWindow -= length;
    this.window -= length;
  }

  /** Discards the queue of a stream that is gone. */
  drop(stream: S): void {
    if (stream.queue === undefined) return;
    this.queuedBytes -= stream.queuedBytes;
    stream.queuedBytes = 0;
    stream.queue = undefined;
    stream.ending = undefined;
    this.#waiting.delete(stream);
  }

  /** False if the window exceeds its maximum (RFC 9113 section 6.9.1). */
  addCredit(bytes: number): boolean {
    this.window += bytes;
    if (this.window > MAX_WINDOW_BYTES) return false;
    // Each turn sends something, ends the loop, or removes a stream that waits for its own credit.
    while (this.window > 0) {
      const next = this.#waiting.values().next();
      if (next.done === true) break;
      this.#waiting.delete(next.value);
      this.drain(next.value);
    }
    return true;
  }

  addStreamCredit(stream: S, bytes: number): boolean {
    stream.sendWindow += bytes;
    if (stream.sendWindow > MAX_WINDOW_BYTES) return false;
    if (stream.sendWindow > 0) this.drain(stream);
    else this.#waiting.delete(stream);
    return true;
  }

  #touch(): void {
    if (this.#isCorked || this.#isScheduled || this.#isStopped) return;
    this.#isScheduled = true;
    queueMicrotask(this.#flushLater);
  }

  #flushScheduled(): void {
    this.#isScheduled = false;
    if (!this.#isCorked && !this.#isStopped) this.#output.flush();
  }

  /** The socket can take data again. */
  flush(): void {
    this.#output.flush();
  }

  /** Writes everything to the socket, even if it is busy. */
  flushAll(): void {
    this.#output.flushAll();
  }

  /** Discards all later output. */
  stop(): void {
    this.#isStopped = true;
  }
}
