import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { BodyFailure } from './received-body.ts';

/** Decodes one whole stream; throws for one that is corrupt, cut, or longer than the limit when decoded. */
type Decoder = (bytes: Buffer, maxBytes: number) => Decoded;

interface Decoded {
  readonly content: Buffer;
  /** Of the bytes that came in. */
  readonly consumed: number;
}

/** With `info`, zlib's functions also return their engine, which knows how far it read; their types do not say so. */
type ZlibDecoder = (bytes: Buffer, options: { maxOutputLength: number; info: true }) => unknown;

function decoderOf(decode: ZlibDecoder): Decoder {
  return (bytes, maxBytes) => {
    const { buffer, engine } = decode(bytes, { maxOutputLength: maxBytes, info: true }) as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return { content: buffer, consumed: engine.bytesWritten };
  };
}

const inflateZlib = decoderOf(inflateSync);
const inflateBare = decoderOf(inflateRawSync);
const decompressFrame = decoderOf(zstdDecompressSync);

/** RFC 9110 section 8.4.1: `deflate` is the zlib format; some clients send it bare, and servers take both. */
const inflate: Decoder = (bytes, maxBytes) => {
  const looksLikeZlib = bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  return looksLikeZlib ? inflateZlib(bytes, maxBytes) : inflateBare(bytes, maxBytes);
};

/** RFC 8878 section 3: one or more frames, decoded one after the other, are one content. */
const decompressFrames: Decoder = (bytes, maxBytes) => {
  const contents: Buffer[] = [];
  let consumed = 0;
  let length = 0;
  while (consumed < bytes.length) {
    const frame = decompressFrame(bytes.subarray(consumed), maxBytes - length);
    if (frame.consumed === 0) break;
    contents.push(frame.content);
    consumed += frame.consumed;
    length += frame.content.length;
  }
  return { content: contents.length === 1 ? (contents[0] ?? bytes) : Buffer.concat(contents), consumed };
};

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', decoderOf(gunzipSync)],
  ['x-gzip', decoderOf(gunzipSync)],
  ['deflate', inflate],
  ['br', decoderOf(brotliDecompressSync)],
  ['zstd', decompressFrames],
]);

/** More codings on one body than this are a way to make work, not to send data. */
const CODINGS_MAX = 4;

/**
 * Takes the content codings off a body, the last applied first (RFC 9110 section 8.4). No step yields more than
 * `maxBytes`, however small what came in was. An unknown coding, a corrupt stream and bytes behind the end of one cannot
 * be read: another program might make something of them.
 */
export function decodeContent(bytes: Buffer, encodings: readonly string[], maxBytes: number): Buffer | BodyFailure {
  const codings = encodings
    .flatMap((line) => line.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > CODINGS_MAX) return 'body.undecodable';
  let decoded = bytes;
  for (const coding of codings.reverse()) {
    const decoder = DECODERS.get(coding);
    if (decoder === undefined) return 'body.undecodable';
    // A request without content may still name a coding.
    if (decoded.length === 0) return decoded;
    try {
      const { content, consumed } = decoder(decoded, maxBytes);
      if (consumed < decoded.length) return 'body.undecodable';
      decoded = content;
    } catch (error) {
      return isTooLarge(error) ? 'body.too_large' : 'body.undecodable';
    }
  }
  return decoded;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
