import { randomBytes } from 'node:crypto';

/** UUIDv7 (RFC 9562 section 5.7) as text: sorts by creation time. */
export function createId(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A secret of `bytes` random bytes as base64url, e.g. for tokens and generated passwords. */
export function createSecret(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}
