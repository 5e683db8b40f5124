import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

cryptoProvider.set(crypto);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** A self-signed server certificate for a test's upstream. Its validity starts a day before now or before its end. */
export async function createServerCertificate(
  dnsName: string,
  endsAt = new Date(Date.now() + DAY_MS),
): Promise<{ certificatePem: string; privateKeyPem: string }> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${dnsName}`,
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(Math.min(Date.now(), endsAt.getTime()) - DAY_MS),
    notAfter: endsAt,
    extensions: [
      new BasicConstraintsExtension(true),
      new SubjectAlternativeNameExtension([{ type: 'dns', value: dnsName }]),
    ],
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    certificatePem: certificate.toString('pem'),
    privateKeyPem: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  };
}
