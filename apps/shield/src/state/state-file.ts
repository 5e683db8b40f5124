import { createHash, hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { BUCKET_BYTES, BucketPages } from './bucket-pages.ts';

export interface KeptLimiter {
  /** The carry keys of its block (`EngineBlock.carryKeys`). */
  readonly carryKeys: readonly string[];
  readonly buckets: BucketPages;
}

export interface KeptState {
  /** Wall time of the save, in ms since the epoch. */
  readonly savedAtMs: number;
  readonly limiters: readonly KeptLimiter[];
}

/*
 * The file format: a mark with the version, the SHA-256 of everything after it, the length of a JSON head in bytes
 * (u32), the head, and then the buckets of all limiters in order. Numbers are little-endian.
 */
/** Hashed between two requests. */
const HASHED_AT_ONCE_BYTES = 1024 * 1024;
const MARK = Buffer.from('flotlim1');
const CHECKSUM_BYTES = 32;
const HEAD_AT = MARK.length + CHECKSUM_BYTES + 4;
interface Head {
  readonly savedAtMs: number;
  readonly limiters: readonly { readonly carryKeys: readonly string[]; readonly buckets: number }[];
}

/** The parts of the file in order. Requests are answered in between. */
export async function encodeState({ savedAtMs, limiters }: KeptState): Promise<Buffer[]> {
  const described: Head = {
    savedAtMs,
    limiters: limiters.map(({ carryKeys, buckets }) => ({ carryKeys, buckets: buckets.length })),
  };
  const head = Buffer.from(JSON.stringify(described));
  const start = Buffer.alloc(HEAD_AT);
  MARK.copy(start);
  start.writeUInt32LE(head.length, HEAD_AT - 4);
  const parts = [start, head, ...limiters.flatMap(({ buckets }) => [...buckets.bytes()])];
  const checksum = createHash('sha256').update(start.subarray(HEAD_AT - 4));
  let hashed = 0;
  for (const part of parts.slice(1)) {
    checksum.update(part);
    hashed += part.length;
    if (hashed < HASHED_AT_ONCE_BYTES) continue;
    hashed = 0;
    await setImmediate();
  }
  checksum.digest().copy(start, MARK.length);
  return parts;
}

/** The state in a file, or an error. A file is rejected unless all its parts match. */
export function decodeState(file: Buffer): KeptState | string {
  if (file.length < HEAD_AT || !file.subarray(0, MARK.length).equals(MARK)) return 'is no state of this version';
  if (!file.subarray(MARK.length, MARK.length + CHECKSUM_BYTES).equals(checksumOf(file))) return 'is damaged';
  const headEnd = HEAD_AT + file.readUInt32LE(HEAD_AT - 4);
  const head = parseHead(file.toString('utf8', HEAD_AT, Math.min(headEnd, file.length)));
  if (head === undefined) return 'has no head that can be read';
  const count = head.limiters.reduce((sum, { buckets }) => sum + buckets, 0);
  if (file.length !== headEnd + count * BUCKET_BYTES) return 'has another length than its head tells';
  let at = headEnd;
  const limiters: KeptLimiter[] = [];
  for (const { carryKeys, buckets } of head.limiters) {
    const kept = BucketPages.of(file.subarray(at, at + buckets * BUCKET_BYTES));
    if (!kept.isWhole) return 'contains invalid numbers';
    at += buckets * BUCKET_BYTES;
    limiters.push({ carryKeys, buckets: kept });
  }
  return { savedAtMs: head.savedAtMs, limiters };
}

function checksumOf(file: Buffer): Buffer {
  return hash('sha256', file.subarray(MARK.length + CHECKSUM_BYTES), 'buffer');
}

function parseHead(text: string): Head | undefined {
  try {
    const head: unknown = JSON.parse(text);
    return isHead(head) ? head : undefined;
  } catch {
    return undefined;
  }
}

function isHead(value: unknown): value is Head {
  return (
    isRecord(value) &&
    Number.isFinite(value.savedAtMs) &&
    Array.isArray(value.limiters) &&
    value.limiters.every(
      (limiter: unknown) =>
        isRecord(limiter) &&
        Number.isSafeInteger(limiter.buckets) &&
        Number(limiter.buckets) >= 0 &&
        Array.isArray(limiter.carryKeys) &&
        limiter.carryKeys.every((key: unknown) => typeof key === 'string'),
    )
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
