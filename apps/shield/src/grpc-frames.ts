/** A gRPC message is a compressed-flag byte, a 32-bit length and the bytes (gRPC over HTTP/2, "Length-Prefixed-Message"). */
const HEAD_BYTES = 5;

export function toGrpcFrame(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEAD_BYTES);
  return frame;
}

/** Cuts a stream of chunks into messages. Compressed and oversized messages are errors: Envoy sends neither here. */
export class GrpcFrameReader {
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The messages that `chunk` completes, as views: use them before the next call. */
  read(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= HEAD_BYTES) {
      if (bytes[0] !== 0) throw new Error('a compressed message, which was not offered');
      const length = bytes.readUInt32BE(1);
      if (length > this.#maxBytes) throw new Error(`a message of ${length} bytes, more than ${this.#maxBytes}`);
      if (bytes.length < HEAD_BYTES + length) break;
      messages.push(bytes.subarray(HEAD_BYTES, HEAD_BYTES + length));
      bytes = bytes.subarray(HEAD_BYTES + length);
    }
    this.#rest = bytes;
    return messages;
  }
}
