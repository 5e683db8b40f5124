import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';

/**
 * Whether two secrets, or digests of secrets, are the same. How long it takes tells nothing of where they differ, only
 * whether they are of one length. Whatever is compared with something secret goes through here.
 */
export function isSameSecret(one: Uint8Array | string, other: Uint8Array | string): boolean {
  const [a, b] = [toBytes(one), toBytes(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function toBytes(value: Uint8Array | string): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value) : value;
}
