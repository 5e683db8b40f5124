import { FRAME_HEAD_BYTES, MAX_FRAME_BYTES, PREFACE, readUint31 } from './protocol.ts';

export interface FrameSink {
  /** One frame; its payload `bytes[start..end)` is valid during the call. */
  onFrame(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void;
  /** Nothing more can be read: the bytes are not HTTP/2, or a frame exceeds our SETTINGS_MAX_FRAME_SIZE. */
  onBrokenFraming(fault: 'preface' | 'frame size'): void;
}

/** Splits the bytes of a connection into frames in place. Copies only a frame that spans two chunks. */
export class FrameReader {
  readonly #sink: FrameSink;
  #prefaceAt = 0;
  #carry: Buffer | undefined;
  #carried = 0;
  #isStopped = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  get hasPreface(): boolean {
    return this.#prefaceAt === PREFACE.length;
  }

  /** Delivers no further frame, not even from the current chunk. */
  stop(): void {
    this.#isStopped = true;
    this.#carry = undefined;
  }

  read(bytes: Buffer, end: number): void {
    let at = this.hasPreface ? 0 : this.#readPreface(bytes, end);
    if (this.#carried > 0) at = this.#completeCarried(bytes, at, end);
    while (!this.#isStopped && end - at >= FRAME_HEAD_BYTES) {
      const payload = at + FRAME_HEAD_BYTES;
      const length = this.#lengthAt(bytes, at);
      if (length < 0 || end - payload < length) break;
      at = payload + length;
      this.#emit(bytes, payload, at);
    }
    if (!this.#isStopped && at < end) this.#keep(bytes, at, end);
  }

  #readPreface(bytes: Buffer, end: number): number {
    let at = 0;
    while (at < end && this.#prefaceAt < PREFACE.length) {
      if (bytes[at++] !== PREFACE[this.#prefaceAt++]) {
        this.#sink.onBrokenFraming('preface');
        return end;
      }
    }
    return at;
  }

  /** The length of the payload, or -1 if it exceeds our maximum. */
  #lengthAt(bytes: Buffer, at: number): number {
    const length = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    if (length <= MAX_FRAME_BYTES) return length;
    this.#sink.onBrokenFraming('frame size');
    return -1;
  }

  #emit(bytes: Buffer, payload: number, end: number): void {
    const type = bytes[payload - 6] as number;
    const flags = bytes[payload - 5] as number;
    this.#sink.onFrame(type, flags, readUint31(bytes, payload - 4), bytes, payload, end);
  }

  #keep(bytes: Buffer, at: number, end: number): void {
    this.#carry ??= Buffer.allocUnsafeSlow(FRAME_HEAD_BYTES + MAX_FRAME_BYTES);
    bytes.copy(this.#carry, this.#carried, at, end);
    this.#carried += end - at;
  }

  /** Completes the frame from earlier chunks. Returns the offset after it. */
  #completeCarried(bytes: Buffer, start: number, end: number): number {
    let at = start;
    if (this.#carried < FRAME_HEAD_BYTES) {
      const headEnd = Math.min(end, at + FRAME_HEAD_BYTES - this.#carried);
      this.#keep(bytes, at, headEnd);
      at = headEnd;
      if (this.#carried < FRAME_HEAD_BYTES) return end;
    }
    const carry = this.#carry as Buffer;
    const length = this.#lengthAt(carry, 0);
    if (length < 0) return end;
    const total = FRAME_HEAD_BYTES + length;
    const frameEnd = Math.min(end, at + total - this.#carried);
    this.#keep(bytes, at, frameEnd);
    if (this.#carried < total) return end;
    this.#carried = 0;
    this.#emit(carry, FRAME_HEAD_BYTES, total);
    return frameEnd;
  }
}
