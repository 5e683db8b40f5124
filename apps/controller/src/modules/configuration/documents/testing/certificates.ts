import { createServerCertificate } from '@flotilla/testkit';
import { VERSION } from './documents.ts';

const DAY_MS = 86_400_000;

/** A secret to create, with a certificate that ends in `days` days; a negative number means that it has expired. */
export async function makeSecret(name: string, days: number) {
  const { certificatePem, privateKeyPem } = await createServerCertificate(
    `${name}.example.com`,
    new Date(Date.now() + days * DAY_MS),
  );
  const tls = { certificate_chain: { inline_string: certificatePem }, private_key: { inline_string: privateKeyPem } };
  return { name, version: VERSION, resource: { tls_certificate: tls } };
}
