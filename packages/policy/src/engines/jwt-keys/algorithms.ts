import type { KeyObject } from 'node:crypto';

/** Signature algorithms that a policy may list (RFC 7518 section 3.1, RFC 8037 section 3.1). `none` is not allowed. */
export const JWT_ALGORITHMS = [
  ...(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA'] as const),
] as const;

export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number];

/** RFC 7518 sections 3.3 and 3.5. */
const RSA_MIN_BITS = 2048;

/** OpenSSL's names of the curves in RFC 7518 section 3.4. */
const CURVES: Readonly<Record<string, JwtAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

export function isSymmetric(algorithm: JwtAlgorithm): boolean {
  return algorithm.startsWith('HS');
}

/** A secret must be at least as long as the hash (RFC 7518 section 3.2). */
export function secretMinBytes(algorithm: JwtAlgorithm): number {
  return Number(algorithm.slice(2)) / 8;
}

/** The algorithms whose signatures a public key verifies, or why it verifies nothing. */
export function fittingAlgorithms(key: KeyObject): readonly JwtAlgorithm[] | string {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return findRsaFault(key) ?? ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
    case 'rsa-pss':
      return findRsaFault(key) ?? (['PS256', 'PS384', 'PS512'] as const).filter((name) => mayUsePss(key, name));
    case 'ec': {
      const algorithm = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
      return algorithm === undefined ? 'is on a curve other than P-256, P-384 and P-521' : [algorithm];
    }
    case 'ed25519':
      return ['EdDSA'];
    case 'ed448':
      return 'is an Ed448 key; EdDSA stands for Ed25519 here';
    default:
      return 'is of a type that signs no tokens: RSA, EC and Ed25519 do';
  }
}

function findRsaFault(key: KeyObject): string | undefined {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < RSA_MIN_BITS) return `is an RSA key of less than ${RSA_MIN_BITS} bits`;
  // With exponent 1 anybody can sign.
  if (publicExponent < 3n || publicExponent % 2n === 0n) return 'is an RSA key with a bad public exponent';
  return undefined;
}

/** The parameters of an RSASSA-PSS key restrict it to one hash (RFC 4055 section 3.1). */
function mayUsePss(key: KeyObject, algorithm: JwtAlgorithm): boolean {
  const { hashAlgorithm, mgf1HashAlgorithm, saltLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (hashAlgorithm === undefined) return true;
  const hash = `sha${algorithm.slice(2)}`;
  return hashAlgorithm === hash && mgf1HashAlgorithm === hash && saltLength <= secretMinBytes(algorithm);
}
