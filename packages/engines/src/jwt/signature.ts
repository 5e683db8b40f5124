import {
  constants,
  createHmac,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import type { JwtAlgorithm, JwtKey } from '@flotilla/policy';

/** True for the signature that the key makes of the bytes. Never throws: what cannot be a signature is none. */
export type VerifySignature = (signed: Buffer, signature: Buffer) => boolean;

/** Bytes of an ES signature: two numbers of the curve's size (RFC 7518 section 3.4). */
const ECDSA_BYTES: Readonly<Record<string, number>> = { ES256: 64, ES384: 96, ES512: 132 };

/** One algorithm and one key: nothing that a token says changes which of them verifies it. */
export function createVerifier(algorithm: JwtAlgorithm, key: JwtKey): VerifySignature {
  const bytes = Buffer.from(key.material.base64, 'base64');
  const family = algorithm.slice(0, 2);
  const hash = `sha${algorithm.slice(2)}`;
  if (key.material.form === 'secret') return createMacVerifier(hash, createSecretKey(bytes));
  const publicKey = createPublicKey({ key: bytes, format: 'der', type: 'spki' });
  switch (family) {
    case 'RS':
      return createPublicVerifier(hash, publicKey, undefined);
    case 'PS': {
      const saltLength = Number(algorithm.slice(2)) / 8;
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      return createPublicVerifier(hash, { key: publicKey, padding, saltLength }, undefined);
    }
    case 'ES':
      return createPublicVerifier(hash, { key: publicKey, dsaEncoding: 'ieee-p1363' }, ECDSA_BYTES[algorithm]);
    default:
      return createPublicVerifier(null, publicKey, 64);
  }
}

function createMacVerifier(hash: string, secret: KeyObject): VerifySignature {
  return (signed, signature) => {
    const mac = createHmac(hash, secret).update(signed).digest();
    return mac.length === signature.length && timingSafeEqual(mac, signature);
  };
}

function createPublicVerifier(
  hash: string | null,
  key: Parameters<typeof verify>[2],
  signatureBytes: number | undefined,
): VerifySignature {
  return (signed, signature) => {
    if (signatureBytes !== undefined && signature.length !== signatureBytes) return false;
    try {
      return verify(hash, signed, key, signature);
    } catch {
      return false;
    }
  };
}
