import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import { type Budget, BudgetExceeded, holdsBareOverride, holdsBareQuery } from '@flotilla/engines';
import type { BodyFailure } from './body-failure.ts';

/** Decodes one complete stream. Throws if it is corrupt, truncated, or longer than the limit when decoded. */
type Decoder = (bytes: Buffer, maxBytes: number) => Decoded;

interface Decoded {
  readonly content: Buffer;
  /** Number of input bytes that were used. */
  readonly consumed: number;
}

/** With `info`, zlib's functions also return their engine, which knows how much input it used; their types omit this. */
type ZlibDecoder = (
  bytes: Buffer,
  options: { maxOutputLength: number; info: true; params?: Record<number, number> },
) => unknown;

function decoderOf(decode: ZlibDecoder, paramsFor?: (maxBytes: number) => Record<number, number>): Decoder {
  return (bytes, maxBytes) => {
    const params = paramsFor === undefined ? {} : { params: paramsFor(maxBytes) };
    const { buffer, engine } = decode(bytes, { maxOutputLength: maxBytes, info: true, ...params }) as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return { content: buffer, consumed: engine.bytesWritten };
  };
}

const inflateZlib = decoderOf(inflateSync);
const inflateBare = decoderOf(inflateRawSync);

/**
 * As a content coding, zstd frames have a window of at most 8 MiB (RFC 9659 section 3); a larger limit allows a larger
 * window. The decoder allocates the window for every frame, however small its content.
 */
const decompressFrame = decoderOf(zstdDecompressSync, (maxBytes) => ({
  [constants.ZSTD_d_windowLogMax]: Math.max(23, Math.ceil(Math.log2(maxBytes + 1))),
}));

/** A frame takes at least 9 bytes and needs its own decoder: a body of nothing but frames would take seconds. */
const FRAMES_MAX = 16;

/**
 * `deflate` means the zlib format (RFC 9110 section 8.4.1), but some clients send raw deflate, and servers accept both.
 * A zlib header can also begin a raw stream, so bytes can be crafted that are both and have two meanings.
 */
const inflate: Decoder = (bytes, maxBytes) => {
  const looksLikeZlib = bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  if (!looksLikeZlib) return inflateBare(bytes, maxBytes);
  if (!isCorrupt(bytes, maxBytes)) throw new Error('two readings');
  return inflateZlib(bytes, maxBytes);
};

/** Whether the bytes yield nothing as raw deflate. Zlib data fails within its first five bytes. */
function isCorrupt(bytes: Buffer, maxBytes: number): boolean {
  try {
    inflateBare(bytes, maxBytes);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'Z_DATA_ERROR';
  }
}

/** A content is one or more concatenated frames (RFC 8878 section 3). */
const decompressFrames: Decoder = (bytes, maxBytes) => {
  const contents: Buffer[] = [];
  let consumed = 0;
  let length = 0;
  // If the limit leaves frames over, the caller sees that not all bytes were consumed.
  for (let n = 0; n < FRAMES_MAX && consumed < bytes.length; n++) {
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

/** A body with more codings than this is an attack. */
const CODINGS_MAX = 4;

/**
 * Returns the decoders in the order in which the codings were applied; undefined if a coding is unknown or there are
 * too many.
 */
export function readCodings(encodings: readonly string[]): readonly Decoder[] | undefined {
  const codings = encodings
    .flatMap((line) => line.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const decoders = codings.flatMap((coding) => DECODERS.get(coding) ?? []);
  return codings.length > CODINGS_MAX || decoders.length < codings.length ? undefined : decoders;
}

/**
 * Removes the content codings of a body, the last applied first (RFC 9110 section 8.4). No step yields more than
 * `maxBytes`. Fails for an unknown coding, a corrupt stream and bytes after its end, because another program might
 * interpret them. Also fails if the bytes before a decoding step contain another query or request another method,
 * because a program that ignores the coding reads them as the body. If the budget ends before this is known, it fails
 * as well.
 */
export function decodeContent(
  bytes: Buffer,
  encodings: readonly string[],
  { maxBytes, budget }: { readonly maxBytes: number; readonly budget: Budget },
): Buffer | BodyFailure {
  const decoders = readCodings(encodings);
  if (decoders === undefined) return 'body.undecodable';
  let decoded = bytes;
  const coded: Buffer[] = [];
  for (const decoder of decoders.toReversed()) {
    // A request without content may still name a coding.
    if (decoded.length === 0) break;
    coded.push(decoded);
    try {
      const { content, consumed } = decoder(decoded, maxBytes);
      if (consumed < decoded.length) return 'body.undecodable';
      decoded = content;
    } catch (error) {
      return isTooLarge(error) ? 'body.too_large' : 'body.undecodable';
    }
  }
  const content = decoded;
  try {
    const saysMore = coded.some(
      (each) => holdsBareOverride(each, content, budget) || holdsBareQuery(each, content, budget),
    );
    return saysMore ? 'body.undecodable' : content;
  } catch (error) {
    if (error instanceof BudgetExceeded) return 'body.undecodable';
    throw error;
  }
}

function isTooLarge(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_BUFFER_TOO_LARGE' || error.code === 'ZSTD_error_frameParameter_windowTooLarge';
}
