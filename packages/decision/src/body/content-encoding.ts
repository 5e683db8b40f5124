import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import { type Budget, BudgetExceeded, holdsBareOverride, holdsBareQuery } from '@flotilla/engines';
import type { BodyFailure } from './received-body.ts';

/** Decodes one whole stream; throws for one that is corrupt, cut, or longer than the limit when decoded. */
type Decoder = (bytes: Buffer, maxBytes: number) => Decoded;

interface Decoded {
  readonly content: Buffer;
  /** Of the bytes that came in. */
  readonly consumed: number;
}

/** With `info`, zlib's functions also return their engine, which knows how far it read; their types do not say so. */
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
 * RFC 9659 section 3: as a content coding, no frame has a window above 8 MiB, unless more than that is wanted. A decoder
 * sets its window aside for each frame, however little is in it.
 */
const decompressFrame = decoderOf(zstdDecompressSync, (maxBytes) => ({
  [constants.ZSTD_d_windowLogMax]: Math.max(23, Math.ceil(Math.log2(maxBytes + 1))),
}));

/** A frame has 9 bytes at least and a decoder of its own: a body of nothing else would take seconds. */
const FRAMES_MAX = 16;

/**
 * RFC 9110 section 8.4.1: `deflate` is the zlib format; some clients send it bare, and servers take both. Zlib's head is
 * also that of a bare stream, so bytes can be made that are both, and say two things.
 */
const inflate: Decoder = (bytes, maxBytes) => {
  const looksLikeZlib = bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  if (!looksLikeZlib) return inflateBare(bytes, maxBytes);
  if (!isCorrupt(bytes, maxBytes)) throw new Error('two readings');
  return inflateZlib(bytes, maxBytes);
};

/** Whether no program gets anything out of the bytes as a bare stream. Zlib data fails in its first five bytes. */
function isCorrupt(bytes: Buffer, maxBytes: number): boolean {
  try {
    inflateBare(bytes, maxBytes);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'Z_DATA_ERROR';
  }
}

/** RFC 8878 section 3: one or more frames, decoded one after the other, are one content. */
const decompressFrames: Decoder = (bytes, maxBytes) => {
  const contents: Buffer[] = [];
  let consumed = 0;
  let length = 0;
  // Where frames are left, the caller sees that not all was consumed.
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

/** More codings on one body than this are a way to make work, not to send data. */
const CODINGS_MAX = 4;

/** What takes the codings off, in the order in which they were applied; undefined where that is unknown of one, or they are too many. */
export function readCodings(encodings: readonly string[]): readonly Decoder[] | undefined {
  const codings = encodings
    .flatMap((line) => line.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const decoders = codings.flatMap((coding) => DECODERS.get(coding) ?? []);
  return codings.length > CODINGS_MAX || decoders.length < codings.length ? undefined : decoders;
}

/**
 * Takes the content codings off a body, the last applied first (RFC 9110 section 8.4). No step yields more than
 * `maxBytes`, however small what came in was. An unknown coding, a corrupt stream and bytes behind the end of one cannot
 * be read: another program might make something of them. Nor can what says another query, or asks for another method, before a
 * coding is taken off: to a program that takes no notice of it, it is the body. Where the budget ends before that is known, nobody can say either.
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
