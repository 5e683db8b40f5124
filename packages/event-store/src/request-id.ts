import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUID as it is; the hash of anything else, with the version 8 of UUIDs that applications define. */
export function requestIdToBits(id: unknown): readonly [bigint, bigint] {
  if (typeof id !== 'string' || id === '') return [0n, 0n];
  if (UUID.test(id)) {
    const digits = id.replaceAll('-', '');
    return [BigInt(`0x${digits.slice(0, 16)}`), BigInt(`0x${digits.slice(16)}`)];
  }
  const digest = createHash('sha256').update(id.toWellFormed()).digest();
  const high = (digest.readBigUInt64BE(0) & ~0xf000n) | 0x8000n;
  const low = (digest.readBigUInt64BE(8) & ~(3n << 62n)) | (2n << 62n);
  return [high, low];
}
