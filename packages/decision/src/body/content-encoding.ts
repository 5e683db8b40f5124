import {
  brotliDecompressSync,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
  zstdDecompressSync,
} from 'node:zlib';
import type { BodyFailure } from './received-body.ts';

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

/** RFC 9110 section 8.4.1: `deflate` is the zlib format; some clients send it bare, and servers take both. */
function inflateEither(bytes: Buffer, options: ZlibOptions): Buffer {
  const looksLikeZlib = bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  return looksLikeZlib ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
}

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateEither],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
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
      decoded = decoder(decoded, { maxOutputLength: maxBytes });
    } catch (error) {
      return isTooLarge(error) ? 'body.too_large' : 'body.undecodable';
    }
  }
  return decoded;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
