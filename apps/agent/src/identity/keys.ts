import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** ECDSA on P-256 with SHA-256. The controller accepts no other algorithm. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Creates a private key in PKCS#8, as PEM. */
export async function createKeyPem(): Promise<string> {
  const { privateKey } = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY');
}

/** Creates a certificate request (PKCS#10, DER), signed with the key. The controller sets the subject. */
export async function createRequest(keyPem: string): Promise<Uint8Array> {
  const pkcs8 = x509.PemConverter.decodeFirst(keyPem);
  const privateKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, true, ['sign']);
  const { d: _, key_ops: __, ...publicJwk } = await webcrypto.subtle.exportKey('jwk', privateKey);
  const publicKey = await webcrypto.subtle.importKey('jwk', publicJwk, ALGORITHM, true, ['verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=flotilla agent',
    keys: { privateKey, publicKey },
    signingAlgorithm: ALGORITHM,
  });
  return new Uint8Array(request.rawData);
}

export function toCertificatePem(der: Uint8Array): string {
  return new X509Certificate(der).toString();
}
