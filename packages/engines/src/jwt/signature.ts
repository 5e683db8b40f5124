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
import { toDerSignature } from './ecdsa-signature.ts';

/** Whether the signature is the key's signature of the bytes. Never throws: malformed signatures are invalid. */
export type VerifySignature = (signed: Buffer, signature: Buffer) => boolean;

/** Sizes of ECDSA signatures in bytes: two numbers of the curve's size (RFC 7518 section 3.4). */
const ECDSA_BYTES: Readonly<Record<string, number>> = { ES256: 64, ES384: 96, ES512: 132 };

/** Binds one algorithm to one key: nothing in a token changes which of them is used. */
export function createVerifier(algorithm: JwtAlgorithm, key: JwtKey): VerifySignature {
  const bytes = Buffer.from(key.material.base64, 'base64');
  const family = algorithm.slice(0, 2);
  const hash = `sha${algorithm.slice(2)}`;
  if (key.material.form === 'secret') return createMacVerifier(hash, createSecretKey(bytes));
  const publicKey = createPublicKey({ key: bytes, format: 'der', type: 'spki' });
  switch (family) {
    case 'RS':
      return createPublicVerifier(hash, publicKey);
    case 'PS': {
      const saltLength = Number(algorithm.slice(2)) / 8;
      // Sets the options on the key itself: with an object around the key, Node first fails to read it as a key, which
      // costs half a verification.
      return createPublicVerifier(
        hash,
        Object.assign(publicKey, { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }),
      );
    }
    case 'ES': {
      const length = ECDSA_BYTES[algorithm];
      const verifyDer = createPublicVerifier(hash, publicKey);
      return (signed, signature) => signature.length === length && verifyDer(signed, toDerSignature(signature));
    }
    default:
      return createPublicVerifier(null, publicKey);
  }
}

function createMacVerifier(hash: string, secret: KeyObject): VerifySignature {
  return (signed, signature) => {
    const mac = createHmac(hash, secret).update(signed).digest();
    return mac.length === signature.length && timingSafeEqual(mac, signature);
  };
}

function createPublicVerifier(hash: string | null, key: KeyObject): VerifySignature {
  return (signed, signature) => {
    try {
      return verify(hash, signed, key, signature);
    } catch {
      return false;
    }
  };
}
