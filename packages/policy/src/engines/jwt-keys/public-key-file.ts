import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { fittingAlgorithms, type JwtAlgorithm } from './algorithms.ts';
import { decodeKeyFile, type KeyFileResult, refuseKeyFile } from './key-file.ts';

/** Lax form of RFC 7468 section 2: tools write text around the block. */
const BEGIN = /-----BEGIN ([^-\r\n]*)-----/g;
const BLOCK = /-----BEGIN (PUBLIC KEY|CERTIFICATE)-----[ \t]*\r?\n([A-Za-z0-9+/=\s]+)-----END \1-----/;

/**
 * The single key of a PEM file: a public key (`PUBLIC KEY`, RFC 5480) or that of an X.509 certificate. Ignores the
 * certificate's validity and issuer, because the file is trusted as part of the bundle.
 */
export function readPublicKeyFile(content: Uint8Array, algorithms: readonly JwtAlgorithm[]): KeyFileResult {
  const text = decodeKeyFile(content);
  const labels = [...(text ?? '').matchAll(BEGIN)].map(([, label = '']) => label);
  if (labels.some((label) => label.includes('PRIVATE KEY'))) {
    return refuseKeyFile(
      'holds a private key, which has no business here: put the public one into the bundle',
      'jwt.private_key',
    );
  }
  const block = BLOCK.exec(text ?? '');
  if (block === null || labels.length !== 1) {
    return refuseKeyFile('must hold one PEM block, either PUBLIC KEY or CERTIFICATE');
  }
  const [, label, base64 = ''] = block;
  const key = parseBlock(label === 'CERTIFICATE', Buffer.from(base64, 'base64'));
  if (key === undefined) return refuseKeyFile(`holds no readable ${label?.toLowerCase()}`);
  const fitting = fittingAlgorithms(key);
  if (typeof fitting === 'string') {
    return refuseKeyFile(`holds a key that ${fitting}`, fitting.includes('bits') ? 'jwt.weak_key' : 'jwt.key_file');
  }
  return { ok: true, keys: [toJwtKey(key, null, intersect(algorithms, fitting))] };
}

function parseBlock(isCertificate: boolean, der: Buffer): KeyObject | undefined {
  try {
    if (isCertificate) return new X509Certificate(der).publicKey;
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

export function intersect(listed: readonly JwtAlgorithm[], fitting: readonly JwtAlgorithm[]): readonly JwtAlgorithm[] {
  return listed.filter((algorithm) => fitting.includes(algorithm));
}

export function toJwtKey(key: KeyObject, kid: string | null, algorithms: readonly JwtAlgorithm[]) {
  const base64 = key.export({ format: 'der', type: 'spki' }).toString('base64');
  return { kid, algorithms, material: { form: 'spki', base64 } } as const;
}
