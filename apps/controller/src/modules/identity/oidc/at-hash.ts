import { createHash } from 'node:crypto';

/**
 * Hash by the algorithm of the ID token's signature (RFC 7518, 3.1; Ed25519 by either of its names uses SHA-512, RFC
 * 9864).
 */
const HASHES: ReadonlyMap<string, string> = new Map([
  ['256', 'sha256'],
  ['384', 'sha384'],
  ['512', 'sha512'],
  ['EdDSA', 'sha512'],
  ['Ed25519', 'sha512'],
]);

/**
 * Whether an ID token belongs to its access token (`at_hash`, OpenID Connect Core 1.0, 3.1.3.6). A missing claim is
 * accepted: it is optional in the code flow.
 */
export function isOfAccessToken(
  idToken: string,
  claims: Readonly<Record<string, unknown>>,
  accessToken: string,
): boolean {
  const { at_hash: said } = claims;
  if (said === undefined) return true;
  const hash = HASHES.get(readAlgorithm(idToken).replace(/^(?:RS|PS|ES|HS)(?=\d{3}$)/, ''));
  if (typeof said !== 'string' || hash === undefined) return false;
  const whole = createHash(hash).update(accessToken).digest();
  return said === whole.subarray(0, whole.length / 2).toString('base64url');
}

/** The token's signature has been verified. */
function readAlgorithm(token: string): string {
  const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString());
  const isHeader = typeof header === 'object' && header !== null && 'alg' in header;
  return isHeader ? String(header.alg) : '';
}
