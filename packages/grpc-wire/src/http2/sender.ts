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

/** What a stream has to send. The sender's part of a stream; nobody else writes it. */
export interface Sending {
  readonly id: number;
  /** Credit of the peer, negative after it shrank its settings. */
  sendWindow: number;
  /** Payloads that wait for credit, the first from `queueOffset` on. */
  queue: Buffer[] | undefined;
  queueOffset: number;
  queuedBytes: number;
  /** The frame that ends the stream behind the queue. */
  ending: Buffer | undefined;
  /** When the queue last got shorter, by the server's ticks. */
  stalledSinceMs: number;
  /** Our side of the stream has ended. */
  onLocalEnd(): void;
}

const STREAM_ID_AT = 5;
const SETTINGS_ACK = createFrame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(0));

/** Sends frames within the peer's windows. What does not fit waits in its stream; bounds on that are the caller's. */
export class Sender<S extends Sending> {
  readonly #output: Output;
  readonly #waiting = new Set<S>();
  readonly #flushLater = () => this.#flushScheduled();
  #isCorked = false;
  #isScheduled = false;
  #isStopped = false;
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

  /** Until `uncork` nothing leaves unless the buffer is full. */
  cork(): void {
    this.#isCorked = true;
  }

  uncork(): void {
    this.#isCorked = false;
    this.#output.flush();
  }

  /** Writes the frame, made for stream 0, for stream `id`. */
  sendFrame(frame: Buffer, id: number): void {
    const at = this.#output.reserve(frame.length);
    this.#output.bytes.set(frame, at);
    writeUint32(this.#output.bytes, at + STREAM_ID_AT, id);
    this.#touch();
  }

  /** Whole frames, as they are. */
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

  /** RST_STREAM and WINDOW_UPDATE. */
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
   * HEADERS, one DATA of `payloadBytes` at `dataAt` and trailers in one copy, if the windows have room for all of it and
   * nothing waits before it. False: nothing was sent.
   */
  sendAnswer(stream: S, answer: Buffer, dataAt: number, payloadBytes: number): boolean {
    if (payloadBytes > stream.sendWindow || payloadBytes > this.window || stream.queue !== undefined) return false;
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

  /** Ends the stream with `frame`, behind what waits. */
  end(stream: S, frame: Buffer): void {
    if (stream.queue !== undefined) {
      stream.ending = frame;
      return;
    }
    this.sendFrame(frame, stream.id);
    stream.onLocalEnd();
  }

  /** Sends what the windows let out. */
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

  /** Forgets what waits in a stream that is gone. */
  drop(stream: S): void {
    if (stream.queue === undefined) return;
    this.queuedBytes -= stream.queuedBytes;
    stream.queuedBytes = 0;
    stream.queue = undefined;
    stream.ending = undefined;
    this.#waiting.delete(stream);
  }

  /** False: more than a window can be (RFC 9113 section 6.9.1). */
  addCredit(bytes: number): boolean {
    this.window += bytes;
    if (this.window > MAX_WINDOW_BYTES) return false;
    // Every turn sends something, ends the loop, or takes a stream out: who is left waits for credit of its own.
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

  /** What waited for the socket may go on. */
  flush(): void {
    this.#output.flush();
  }

  /** Gives the socket everything, busy or not. */
  flushAll(): void {
    this.#output.flushAll();
  }

  /** Nothing leaves from here on. */
  stop(): void {
    this.#isStopped = true;
  }
}
