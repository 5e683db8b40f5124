import { crc32 } from 'node:zlib';

/**
 * The bytes of a segment, a file of the spool. Little endian.
 *
 * header: magic (8 bytes), epoch (36 characters), boot id (36 characters), the first sequence (u64)
 * record: length of what follows the checksum (u32), CRC-32 of it (u32), sequence (u64), entries (u32), payload
 */
export interface SegmentHeader {
  readonly epoch: string;
  /** Names the start of the kernel that ran when the segment was created. */
  readonly bootId: string;
  readonly firstSequence: bigint;
}

/** A batch as it waits in the spool. */
export interface SpoolRecord {
  readonly epoch: string;
  readonly sequence: bigint;
  readonly entries: number;
  readonly payload: Buffer;
}

const MAGIC = Buffer.from('FLALOG01');
const ID_BYTES = 36;
export const HEADER_BYTES = MAGIC.length + 2 * ID_BYTES + 8;
const FRAME_BYTES = 8;
const FIXED_BYTES = 12;
/** The bytes of a record besides its payload. */
export const RECORD_EXTRA_BYTES = FRAME_BYTES + FIXED_BYTES;
/** A payload has at most 4 MiB. */
export const RECORD_MAX_BYTES = FRAME_BYTES + FIXED_BYTES + 4 * 1024 * 1024 + 1024;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function encodeHeader({ epoch, bootId, firstSequence }: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.write(epoch, MAGIC.length, 'latin1');
  bytes.write(bootId, MAGIC.length + ID_BYTES, 'latin1');
  bytes.writeBigUInt64LE(firstSequence, HEADER_BYTES - 8);
  return bytes;
}

/** Undefined: the file is damaged, or the agent died while it created it. */
export function decodeHeader(bytes: Buffer): SegmentHeader | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const epoch = bytes.toString('latin1', MAGIC.length, MAGIC.length + ID_BYTES);
  const bootId = bytes.toString('latin1', MAGIC.length + ID_BYTES, MAGIC.length + 2 * ID_BYTES);
  if (!UUID.test(epoch)) return undefined;
  return { epoch, bootId, firstSequence: bytes.readBigUInt64LE(HEADER_BYTES - 8) };
}

export function encodeRecord({ sequence, entries, payload }: Omit<SpoolRecord, 'epoch'>): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_BYTES + FIXED_BYTES + payload.length);
  bytes.writeUInt32LE(FIXED_BYTES + payload.length, 0);
  bytes.writeBigUInt64LE(sequence, FRAME_BYTES);
  bytes.writeUInt32LE(entries, FRAME_BYTES + 8);
  payload.copy(bytes, FRAME_BYTES + FIXED_BYTES);
  bytes.writeUInt32LE(crc32(bytes.subarray(FRAME_BYTES)), 4);
  return bytes;
}

/** The record at `at`. Undefined at the end, also where a crash has cut a record or a disk has damaged it. */
export function decodeRecord(
  bytes: Buffer,
  at: number,
  epoch: string,
): { readonly record: SpoolRecord; readonly end: number } | undefined {
  if (at + FRAME_BYTES + FIXED_BYTES > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  const begin = at + FRAME_BYTES;
  const end = begin + length;
  if (length < FIXED_BYTES || length > RECORD_MAX_BYTES || end > bytes.length) return undefined;
  const body = bytes.subarray(begin, end);
  if (crc32(body) !== bytes.readUInt32LE(at + 4)) return undefined;
  const record = {
    epoch,
    sequence: body.readBigUInt64LE(0),
    entries: body.readUInt32LE(8),
    payload: body.subarray(FIXED_BYTES),
  };
  return { record, end };
}

/** The last record of a segment with this header; undefined: it has none. */
export function findLastRecord(bytes: Buffer, { epoch }: SegmentHeader): SpoolRecord | undefined {
  let last: SpoolRecord | undefined;
  for (let at = HEADER_BYTES; ; ) {
    const next = decodeRecord(bytes, at, epoch);
    if (next === undefined) return last;
    last = next.record;
    at = next.end;
  }
}
