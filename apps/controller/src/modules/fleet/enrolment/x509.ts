import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { failEnrolment } from '@flotilla/contract';
import { CONTROLLER_TLS_NAME } from '@flotilla/proto';
import * as x509 from '@peculiar/x509';

/** ECDSA on P-256 with SHA-256 (RFC 5480, RFC 5758) throughout. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const CA_DAYS = 3650;
const DAY_MS = 86_400_000;
/** Certificates start in the past, so that a host whose clock is slightly behind accepts them. */
const BACKDATE_MS = 5 * 60_000;

export interface AuthorityKeys {
  readonly certificate: x509.X509Certificate;
  readonly privateKey: webcrypto.CryptoKey;
}

export interface IssuedCertificate {
  readonly der: Buffer;
  /** 32 lower-case hex digits. */
  readonly serial: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

export async function createAuthority(now: Date): Promise<{ certificateDer: Buffer; keyDer: Buffer; expiresAt: Date }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const expiresAt = new Date(now.getTime() + CA_DAYS * DAY_MS);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: createSerial(),
    name: `CN=Flotilla ${randomBytes(4).toString('hex')}`,
    notBefore: new Date(now.getTime() - BACKDATE_MS),
    notAfter: expiresAt,
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const keyDer = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { certificateDer: Buffer.from(certificate.rawData), keyDer, expiresAt };
}

export async function importAuthority(certificateDer: Buffer, keyDer: Buffer): Promise<AuthorityKeys> {
  return {
    certificate: new x509.X509Certificate(new Uint8Array(certificateDer)),
    privateKey: await webcrypto.subtle.importKey('pkcs8', new Uint8Array(keyDer), ALGORITHM, false, ['sign']),
  };
}

/**
 * The public key of a certificate request whose holder has proved possession of the private key. Throws
 * enrolment.csr_invalid.
 */
export async function readRequest(csrDer: Uint8Array): Promise<x509.PublicKey> {
  let request: x509.Pkcs10CertificateRequest;
  try {
    request = new x509.Pkcs10CertificateRequest(new Uint8Array(csrDer));
  } catch {
    throw failEnrolment('enrolment.csr_invalid', { reason: 'it is not a PKCS#10 request in DER' });
  }
  const { name, namedCurve } = request.publicKey.algorithm as { name?: string; namedCurve?: string };
  if (name !== 'ECDSA' || namedCurve !== 'P-256') {
    throw failEnrolment('enrolment.csr_invalid', { reason: 'the key must be an EC key on the curve P-256' });
  }
  const isProved = await request.verify().catch(() => false);
  if (!isProved) throw failEnrolment('enrolment.csr_invalid', { reason: 'its signature does not fit its key' });
  return request.publicKey;
}

export async function issueClientCertificate(
  authority: AuthorityKeys,
  subject: { clientId: string; projectId: string; publicKey: x509.PublicKey },
  validity: { now: Date; lifetimeMs: number },
): Promise<IssuedCertificate> {
  const { clientId, projectId, publicKey } = subject;
  return issue(authority, validity, {
    subject: `O=${projectId}, CN=${clientId}`,
    publicKey,
    extensions: [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth], true),
      new x509.SubjectAlternativeNameExtension([{ type: 'url', value: `flotilla://${projectId}/${clientId}` }]),
    ],
  });
}

export async function issueServerCertificate(
  authority: AuthorityKeys,
  names: { dns: readonly string[]; ip: readonly string[] },
  validity: { now: Date; lifetimeMs: number },
): Promise<IssuedCertificate & { keyPem: string }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const issued = await issue(authority, validity, {
    subject: `CN=${CONTROLLER_TLS_NAME}`,
    publicKey: await x509.PublicKey.create(keys.publicKey),
    extensions: [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth], true),
      new x509.SubjectAlternativeNameExtension([
        ...[CONTROLLER_TLS_NAME, ...names.dns].map((value) => ({ type: 'dns' as const, value })),
        ...names.ip.map((value) => ({ type: 'ip' as const, value })),
      ]),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { ...issued, keyPem: x509.PemConverter.encode(key, 'PRIVATE KEY') };
}

export function toPem(certificateDer: Uint8Array): string {
  return x509.PemConverter.encode(new Uint8Array(certificateDer), 'CERTIFICATE');
}

async function issue(
  { certificate, privateKey }: AuthorityKeys,
  { now, lifetimeMs }: { now: Date; lifetimeMs: number },
  request: { subject: string; publicKey: x509.PublicKey; extensions: x509.Extension[] },
): Promise<IssuedCertificate> {
  const serial = createSerial();
  // X.509 times have whole seconds.
  const expiresAt = new Date(Math.floor((now.getTime() + lifetimeMs) / 1000) * 1000);
  const issued = await x509.X509CertificateGenerator.create({
    serialNumber: serial,
    issuer: certificate.subject,
    subject: request.subject,
    notBefore: new Date(Math.min(now.getTime(), expiresAt.getTime()) - BACKDATE_MS),
    notAfter: expiresAt,
    signingAlgorithm: ALGORITHM,
    signingKey: privateKey,
    publicKey: request.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      await x509.AuthorityKeyIdentifierExtension.create(certificate.publicKey),
      ...request.extensions,
    ],
  });
  return { der: Buffer.from(issued.rawData), serial, issuedAt: now, expiresAt };
}

/** 126 random bits; the first byte keeps it positive and of constant length (RFC 5280 section 4.1.2.2). */
function createSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}
