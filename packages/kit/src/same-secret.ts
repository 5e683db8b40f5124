import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';

/**
 * Compares two secrets or digests of secrets. The time it takes does not depend on where they differ, only on whether
 * their lengths do. Every comparison with a secret must use this function.
 */
export function isSameSecret(one: Uint8Array | string, other: Uint8Array | string): boolean {
  const [a, b] = [toBytes(one), toBytes(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function toBytes(value: Uint8Array | string): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value) : value;
}
