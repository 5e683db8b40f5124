import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Returns the SHA-256 of a key's UTF-8 text as 64 lowercase hex digits, which is all that a policy stores of it. */
export async function digestKey(key: string): Promise<string> {
  const bytes = new TextEncoder().encode(key);
  // Browsers offer SubtleCrypto only in secure contexts.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  return bytesToHex(subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes)) : sha256(bytes));
}

/** Returns 256 random bits, safe in headers and URLs, with a recognisable prefix. */
export function generateKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const text = btoa(String.fromCharCode(...bytes));
  return `flk_${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}
