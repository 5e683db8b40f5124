import { hash } from 'node:crypto';

/** A bucket as it is kept between two runs. */
export interface KeptBucket {
  /** SHA-256 of its key, 32 bytes; undefined for requests without a key. */
  readonly digest: Buffer | undefined;
  readonly tokens: number;
  /** How long before the saving its tokens were counted, in ms. */
  readonly ageMs: number;
}

export interface KeptLimiter {
  /** Names of its block that outlive a restart (`EngineBlock.carryKeys`). */
  readonly carryKeys: readonly string[];
  readonly buckets: readonly KeptBucket[];
}

export interface KeptState {
  /** Wall time of the saving, in ms since the epoch. */
  readonly savedAtMs: number;
  readonly limiters: readonly KeptLimiter[];
}

/*
 * The file: a mark with the version of the format, the SHA-256 of all that follows, the length of a JSON head in bytes
 * (u32), the head, and then the buckets of all limiters in order. Numbers are little-endian.
 */
const MARK = Buffer.from('flotlim1');
const CHECKSUM_BYTES = 32;
const HEAD_AT = MARK.length + CHECKSUM_BYTES + 4;
const DIGEST_BYTES = 32;
/** 1 where there is a digest, the digest, tokens and age as Float64. */
const BUCKET_BYTES = 1 + DIGEST_BYTES + 16;

interface Head {
  readonly savedAtMs: number;
  readonly limiters: readonly { readonly carryKeys: readonly string[]; readonly buckets: number }[];
}

export function encodeState({ savedAtMs, limiters }: KeptState): Buffer {
  const described: Head = {
    savedAtMs,
    limiters: limiters.map(({ carryKeys, buckets }) => ({ carryKeys, buckets: buckets.length })),
  };
  const head = Buffer.from(JSON.stringify(described));
  const count = limiters.reduce((sum, { buckets }) => sum + buckets.length, 0);
  const file = Buffer.alloc(HEAD_AT + head.length + count * BUCKET_BYTES);
  MARK.copy(file);
  file.writeUInt32LE(head.length, HEAD_AT - 4);
  head.copy(file, HEAD_AT);
  let at = HEAD_AT + head.length;
  for (const { buckets } of limiters) {
    for (const { digest, tokens, ageMs } of buckets) {
      file[at] = digest === undefined ? 0 : 1;
      digest?.copy(file, at + 1);
      file.writeDoubleLE(tokens, at + 1 + DIGEST_BYTES);
      file.writeDoubleLE(ageMs, at + 9 + DIGEST_BYTES);
      at += BUCKET_BYTES;
    }
  }
  checksumOf(file).copy(file, MARK.length);
  return file;
}

/** The state in a file, or what is wrong with it. Nothing of a file is believed whose parts do not all fit. */
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
    const kept: KeptBucket[] = [];
    for (let n = 0; n < buckets; n++, at += BUCKET_BYTES) {
      const tokens = file.readDoubleLE(at + 1 + DIGEST_BYTES);
      const ageMs = file.readDoubleLE(at + 9 + DIGEST_BYTES);
      if (!Number.isFinite(tokens) || !Number.isFinite(ageMs)) return 'holds numbers that are none';
      const digest = file[at] === 1 ? file.subarray(at + 1, at + 1 + DIGEST_BYTES) : undefined;
      kept.push({ digest, tokens, ageMs });
    }
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
