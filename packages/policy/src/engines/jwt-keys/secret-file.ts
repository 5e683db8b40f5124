import { type JwtAlgorithm, secretMinBytes } from './algorithms.ts';
import { decodeKeyFile, type KeyFileResult, refuseKeyFile } from './key-file.ts';

/**
 * The secret for the HS algorithms: the bytes of the file. If all characters are printable, one trailing line end is
 * removed, because editors add it; other files are used unchanged, because a random secret may end in that byte.
 */
export function readSecretFile(content: Uint8Array, algorithms: readonly JwtAlgorithm[]): KeyFileResult {
  const text = decodeKeyFile(content);
  // A public key, or a key for another algorithm, must not become a secret that signs tokens.
  if (text !== undefined && (text.includes('-----BEGIN ') || isJwk(text))) {
    return refuseKeyFile('holds a key of another kind; a secret is random bytes');
  }
  const secret = cutLineEnd(content);
  const minBytes = Math.max(0, ...algorithms.map(secretMinBytes));
  if (secret.byteLength < minBytes) {
    return refuseKeyFile(`holds a secret of less than ${minBytes} bytes, too short for its algorithm`, 'jwt.weak_key');
  }
  const material = { form: 'secret', base64: Buffer.from(secret).toString('base64') } as const;
  return { ok: true, keys: [{ kid: null, algorithms, material }] };
}

function cutLineEnd(content: Uint8Array): Uint8Array {
  const text = /^([\x20-\x7e]*)\r?\n$/.exec(Buffer.from(content).toString('latin1'));
  return text?.[1] === undefined ? content : content.subarray(0, text[1].length);
}

function isJwk(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && ('keys' in value || 'kty' in value);
  } catch {
    return false;
  }
}
