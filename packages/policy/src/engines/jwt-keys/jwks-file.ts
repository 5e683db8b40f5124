import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { parseStrictJson } from '../../strict-json.ts';
import { isRecord } from '../engine-spec.ts';
import { fittingAlgorithms, type JwtAlgorithm } from './algorithms.ts';
import { type JwtKey, type KeyFileResult, refuseKeyFile } from './key-file.ts';
import { intersect, toJwtKey } from './public-key-file.ts';

const KEYS_MAX = 256;

/** Members of a secret key (RFC 7518 sections 6.2.2, 6.3.2, 6.4.1; RFC 8037 section 2). */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** The members of a public key; others (`x5c`, `x5u`, `jku` ...) are ignored. */
const PUBLIC_MEMBERS = ['kty', 'n', 'e', 'crv', 'x', 'y'];

/**
 * The keys of a JSON Web Key Set that verify a listed algorithm. Skips keys of unknown types, with missing members or
 * with values out of range (RFC 7517 section 5), and keys for another purpose (`use`, `key_ops`, `alg`). Rejects a set
 * that is malformed, has two usable keys with the same name, or contains a secret.
 */
export function readJwksFile(content: Uint8Array, algorithms: readonly JwtAlgorithm[]): KeyFileResult {
  const set = parseStrictJson(Buffer.from(content));
  if (!isRecord(set) || !Array.isArray(set.keys)) {
    return refuseKeyFile('must be a JSON Web Key Set: one JSON object with a list "keys", no name written twice');
  }
  const written: readonly unknown[] = set.keys;
  if (written.length > KEYS_MAX) return refuseKeyFile(`holds more than ${KEYS_MAX} keys`);
  const keys: JwtKey[] = [];
  const kids = new Set<string>();
  for (const [index, jwk] of written.entries()) {
    if (!isRecord(jwk) || typeof jwk.kty !== 'string') return refuseKeyFile(`has no kty at keys[${index}]`);
    if (SECRET_MEMBERS.some((member) => Object.hasOwn(jwk, member))) {
      return refuseKeyFile(`holds a private key or a secret at keys[${index}]`, 'jwt.private_key');
    }
    if (jwk.kid !== undefined && typeof jwk.kid !== 'string') {
      return refuseKeyFile(`has a kid that is no text at keys[${index}]`);
    }
    const kid = jwk.kid ?? null;
    const key = toUsableKey(jwk, kid, algorithms);
    if (key === undefined) continue;
    if (kid !== null && kids.has(kid)) return refuseKeyFile(`has the kid of an earlier key at keys[${index}]`);
    if (kid !== null) kids.add(kid);
    keys.push(key);
  }
  if (keys.length === 0) return refuseKeyFile('holds no key for any of the algorithms');
  return { ok: true, keys };
}

function toUsableKey(
  jwk: Readonly<Record<string, unknown>>,
  kid: string | null,
  algorithms: readonly JwtAlgorithm[],
): JwtKey | undefined {
  if (!isForVerifying(jwk)) return undefined;
  const key = parseJwk(jwk);
  const fitting = key === undefined ? '' : fittingAlgorithms(key);
  if (key === undefined || typeof fitting === 'string') return undefined;
  const usable = intersect(algorithms, fitting).filter((name) => jwk.alg === undefined || jwk.alg === name);
  return usable.length === 0 ? undefined : toJwtKey(key, kid, usable);
}

/** RFC 7517 sections 4.2 and 4.3. */
function isForVerifying(jwk: Readonly<Record<string, unknown>>): boolean {
  if (jwk.use !== undefined && jwk.use !== 'sig') return false;
  return jwk.key_ops === undefined || (Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify'));
}

function parseJwk(jwk: Readonly<Record<string, unknown>>): KeyObject | undefined {
  const key: Record<string, string> = {};
  for (const member of PUBLIC_MEMBERS) {
    const value = jwk[member];
    if (value === undefined) continue;
    if (typeof value !== 'string') return undefined;
    // The decoder would skip characters that are not base64url, and produce another key.
    if (member.length === 1 && !/^[A-Za-z0-9_-]+$/.test(value)) return undefined;
    key[member] = value;
  }
  try {
    return createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}
