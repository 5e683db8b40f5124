import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { failSetting, type GeoipKind } from '@flotilla/contract';
import {
  METADATA_WITHIN,
  MmdbError,
  type MmdbMetadata,
  readMetadata,
  requireKind,
  SEPARATOR_BYTES,
  treeBytes,
} from './mmdb.ts';
import { type GeoipPlace, insertPart, PART_BYTES, readPart } from './store.ts';

interface Uploaded {
  readonly size: number;
  readonly sha256: string;
  readonly metadata: MmdbMetadata;
}

interface Expected {
  readonly uploadId: string;
  readonly kind: GeoipKind;
  readonly begunAt: Date;
  readonly maxBytes: number;
}

/** Stores the bytes part by part, never the whole file in memory; then checks that they match the announced content. */
export async function takeFile(
  place: GeoipPlace,
  { uploadId, kind, begunAt, maxBytes }: Expected,
  chunks: AsyncIterable<Buffer>,
): Promise<Uploaded> {
  const hash = createHash('sha256');
  let [size, part] = [0, 0];
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const put = async (data: Buffer) => {
    await insertPart(place, { uploadId, part, begunAt }, data);
    part += 1;
  };
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
    if (size > maxBytes) throw failSetting('geoip.invalid', { reason: `it has more than ${maxBytes / 2 ** 20} MiB` });
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < PART_BYTES) continue;
    let whole = Buffer.concat(waiting);
    while (whole.length >= PART_BYTES) {
      await put(whole.subarray(0, PART_BYTES));
      whole = whole.subarray(PART_BYTES);
    }
    waiting = [whole];
    waitingBytes = whole.length;
  }
  if (waitingBytes > 0) await put(Buffer.concat(waiting));
  return { size, sha256: hash.digest('hex'), metadata: await check(place, { uploadId, kind, size }) };
}

async function check(
  { db }: GeoipPlace,
  { uploadId, kind, size }: { uploadId: string; kind: GeoipKind; size: number },
): Promise<MmdbMetadata> {
  try {
    const tailAt = Math.max(0, size - METADATA_WITHIN);
    const metadata = readMetadata(await readBytes(db, uploadId, tailAt, METADATA_WITHIN));
    requireKind(kind, metadata);
    const end = treeBytes(metadata);
    if (end + SEPARATOR_BYTES > size) throw new MmdbError('it is shorter than its search tree');
    const separator = await readBytes(db, uploadId, end, SEPARATOR_BYTES);
    if (separator.length < SEPARATOR_BYTES || separator.some((byte) => byte !== 0))
      throw new MmdbError('its search tree does not end where it says');
    return metadata;
  } catch (error) {
    if (error instanceof MmdbError) throw failSetting('geoip.invalid', { reason: error.message });
    throw error;
  }
}

async function readBytes(db: GeoipPlace['db'], uploadId: string, from: number, count: number): Promise<Buffer> {
  const first = Math.floor(from / PART_BYTES);
  const parts = await Promise.all([readPart(db, uploadId, first), readPart(db, uploadId, first + 1)]);
  const at = from - first * PART_BYTES;
  return Buffer.concat(parts.flatMap((data) => data ?? [])).subarray(at, at + count);
}
