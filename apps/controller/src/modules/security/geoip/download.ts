import { Buffer } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { failSetting, GEOIP_FILE_BYTES } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';

const DEADLINE_MS = 300_000;

export interface Source {
  readonly url: string;
  /** Digest of the downloaded file, in hex. */
  readonly sha256: string;
}

/**
 * Downloads the file in chunks, decompressed if its name says that it is compressed. Throws at its end if the digest
 * differs, so the caller must then discard the chunks. Throws geoip.not_fetched, geoip.digest, geoip.invalid.
 */
export async function* download({ url, sha256 }: Source, deadlineMs = DEADLINE_MS): AsyncIterable<Buffer> {
  const hash = createHash('sha256');
  try {
    const response = await fetch(url, {
      redirect: 'error',
      headers: { 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(deadlineMs),
    });
    if (!response.ok || !response.body)
      throw failSetting('geoip.not_fetched', { reason: `the answer was ${response.status}` });
    const packed = new URL(url).pathname.endsWith('.gz');
    const arriving = bound(response.body, hash);
    yield* packed ? bound(unpack(arriving)) : arriving;
  } catch (error) {
    throw toRefusal(error);
  }
  const found = hash.digest('hex');
  if (found !== sha256) throw failSetting('geoip.digest', { sha256: found });
}

async function* bound(chunks: AsyncIterable<Uint8Array>, hash?: Hash): AsyncIterable<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > GEOIP_FILE_BYTES)
      throw failSetting('geoip.invalid', { reason: `it has more than ${GEOIP_FILE_BYTES / 2 ** 20} MiB` });
    hash?.update(chunk);
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
}

function unpack(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  // An error of the source also fails this stream, where it is handled.
  return pipeline(Readable.from(chunks), createGunzip(), () => undefined);
}

function toRefusal(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly code?: string } };
  const code = cause?.code ?? (error as { readonly code?: string }).code;
  const reason = name === 'TimeoutError' ? 'it took too long' : `the connection failed${code ? ` (${code})` : ''}`;
  return failSetting('geoip.not_fetched', { reason }, { cause: error });
}
