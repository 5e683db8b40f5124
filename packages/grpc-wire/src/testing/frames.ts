import { FLAG, FRAME, FRAME_HEAD_BYTES, readUint31 } from '../http2/protocol.ts';
import { encodeBlock, type Field } from './hpack-encoder.ts';

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly id: number;
  readonly payload: Buffer;
}

export function frame(type: number, flags: number, id: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, payload]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function settingsFrame(entries: readonly (readonly [id: number, value: number])[] = []): Buffer {
  const payload = Buffer.alloc(entries.length * 6);
  entries.forEach(([id, value], n) => {
    payload.writeUInt16BE(id, n * 6);
    payload.writeUInt32BE(value, n * 6 + 2);
  });
  return frame(FRAME.settings, 0, 0, payload);
}

export const SETTINGS_ACK = frame(FRAME.settings, FLAG.ack, 0);

export function windowUpdate(id: number, increment: number): Buffer {
  return frame(FRAME.windowUpdate, 0, id, uint32(increment));
}

export function resetFrame(id: number, code: number): Buffer {
  return frame(FRAME.rstStream, 0, id, uint32(code));
}

export function headersFrame(id: number, block: Uint8Array, flags = FLAG.endHeaders as number): Buffer {
  return frame(FRAME.headers, flags, id, block);
}

export function dataFrame(id: number, payload: Uint8Array, flags = 0): Buffer {
  return frame(FRAME.data, flags, id, payload);
}

/** A message with its prefix. */
export function grpcMessage(message: Uint8Array | string): Buffer {
  const bytes = Buffer.from(message);
  return Buffer.concat([Buffer.of(0), uint32(bytes.length), bytes]);
}

export function requestFields(path: string): Field[] {
  return [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'filter.example.com'],
    ['te', 'trailers'],
    ['content-type', 'application/grpc'],
  ];
}

export function requestBlock(path: string, more: readonly Field[] = []): Buffer {
  return encodeBlock([...requestFields(path), ...more]);
}

/** Splits the bytes of a server into frames. */
export class FrameCollector {
  #rest = Buffer.alloc(0);

  add(chunk: Uint8Array): Frame[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    while (this.#rest.length >= FRAME_HEAD_BYTES) {
      const end = FRAME_HEAD_BYTES + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < end) break;
      frames.push({
        type: this.#rest.readUInt8(3),
        flags: this.#rest.readUInt8(4),
        id: readUint31(this.#rest, 5),
        payload: Buffer.from(this.#rest.subarray(FRAME_HEAD_BYTES, end)),
      });
      this.#rest = this.#rest.subarray(end);
    }
    return frames;
  }
}
