import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { createFrame, FLAG, FRAME, FRAME_HEAD_BYTES, PREFACE, prepareMessage } from '@flotilla/grpc-wire';
import { extProc } from '@flotilla/proto';
import type { Sample } from './sample-runtime.ts';

/** Credit for answers is never returned, so the connection's window must fit all of them. */
const WINDOW_BYTES = 2 ** 30;
const NOTHING = Buffer.alloc(0);

/** Sends requests like Envoy, from frames that were encoded before; answers are counted, not parsed. */
export class SamplePeer {
  readonly #socket: Socket;
  readonly #block: Buffer;
  #stream = 1;
  #ended = 0;
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket, path: string) {
    this.#socket = socket;
    this.#block = encodeHead(path);
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  static async connect(socketPath: string, path: string): Promise<SamplePeer> {
    const socket = connect(socketPath);
    await once(socket, 'connect');
    const peer = new SamplePeer(socket, path);
    const window = Buffer.alloc(4);
    window.writeUInt32BE(WINDOW_BYTES);
    socket.write(
      Buffer.concat([
        PREFACE,
        createFrame(FRAME.settings, 0, 0, NOTHING),
        createFrame(FRAME.settings, FLAG.ack, 0, NOTHING),
        createFrame(FRAME.windowUpdate, 0, 0, window),
      ]),
    );
    return peer;
  }

  /** Runs one exchange per entry; resolves when all have ended. Rejects if `signal` aborts first. */
  async ask(messages: readonly (readonly Buffer[])[], signal: AbortSignal): Promise<void> {
    this.#ended = 0;
    const frames = messages.flatMap((parts) => {
      const id = this.#stream;
      this.#stream += 2;
      const data = parts.map((part, n) =>
        createFrame(FRAME.data, n === parts.length - 1 ? FLAG.endStream : 0, id, part),
      );
      return [createFrame(FRAME.headers, FLAG.endHeaders, id, this.#block), ...data];
    });
    this.#socket.write(Buffer.concat(frames));
    while (this.#ended < messages.length) await once(this.#socket, 'data', { signal });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    const read = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let at = 0;
    while (read.length - at >= FRAME_HEAD_BYTES) {
      const end = at + FRAME_HEAD_BYTES + read.readUIntBE(at, 3);
      if (end > read.length) break;
      const [type, flags] = [read[at + 3], read[at + 4] ?? 0];
      if ((type === FRAME.data || type === FRAME.headers) && (flags & FLAG.endStream) !== 0) this.#ended += 1;
      at = end;
    }
    this.#rest = read.subarray(at);
  }
}

/** Messages of one exchange: the headers, and the body if there is one. */
export function encodeSample({ headers, body }: Sample): Buffer[] {
  const head = {
    headers: { headers: headers.map(([key, value]) => ({ key, rawValue: Buffer.from(value) })) },
    endOfStream: body === undefined,
  };
  const messages = [encodeMessage({ request: { case: 'requestHeaders', value: head } })];
  if (body !== undefined) {
    const value = { body: Buffer.from(body), endOfStream: true };
    messages.push(encodeMessage({ request: { case: 'requestBody', value } }));
  }
  return messages;
}

function encodeMessage(message: Parameters<typeof create<typeof extProc.ProcessingRequestSchema>>[1]): Buffer {
  const bytes = toBinary(extProc.ProcessingRequestSchema, create(extProc.ProcessingRequestSchema, message));
  return prepareMessage(bytes).payload;
}

/** The headers of a call: no table (RFC 7541 section 6.3), two fields of the static one, others as literals (6.2.2). */
function encodeHead(path: string): Buffer {
  const text = (value: string) => Buffer.from([value.length, ...Buffer.from(value)]);
  const literal = (name: string, value: string) => Buffer.concat([Buffer.from([0]), text(name), text(value)]);
  return Buffer.concat([
    Buffer.from([0x20, 0x83, 0x86]),
    literal(':path', path),
    literal(':authority', 'shield'),
    literal('content-type', 'application/grpc'),
    literal('te', 'trailers'),
  ]);
}
