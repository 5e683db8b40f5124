import { type JwtAlgorithm, secretMinBytes } from './algorithms.ts';
import { decodeKeyFile, type KeyFileResult, refuseKeyFile } from './key-file.ts';

/**
 * The secret of the HS algorithms: the file's bytes. A file of printable characters loses one line end at its end, which
 * editors put there; any other file is taken as it is, since a random secret may well end in the byte of a line end.
 */
export function readSecretFile(content: Uint8Array, algorithms: readonly JwtAlgorithm[]): KeyFileResult {
  const text = decodeKeyFile(content);
  // A key that the public knows, or one meant for another algorithm, must not become a secret that signs tokens.
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
