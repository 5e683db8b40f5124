import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import type { Violation } from '@flotilla/kit';

const TLS = 'envoy.extensions.transport_sockets.tls.v3';

/** The expected content of a field, and a parser that throws for anything else. */
const PEM_FIELDS: ReadonlyMap<string, { readonly what: string; readonly read: (pem: string) => unknown }> = new Map([
  [`${TLS}.TlsCertificate.certificate_chain`, { what: 'a PEM certificate', read: readCertificates }],
  [`${TLS}.TlsCertificate.private_key`, { what: 'an unencrypted PEM private key', read: createPrivateKey }],
  [`${TLS}.CertificateValidationContext.trusted_ca`, { what: 'PEM certificates', read: readCertificates }],
]);

/**
 * Reports inline certificates and keys that Envoy cannot load. These are warnings, because Envoy uses its own library.
 */
export function warnOfPem(api: EnvoyApi, type: string, resource: JsonObject): Violation[] {
  const found: Violation[] = [];
  api.walk(type, resource, {
    field: ({ path, field, value }) => {
      const expected = PEM_FIELDS.get(`${field.owner}.${field.name}`);
      const pem = expected && textOf(value);
      if (!expected || pem === undefined || isReadable(expected.read, pem)) return undefined;
      found.push({ path, rule: 'pem', message: `is not ${expected.what}: Envoy will refuse it` });
      return undefined;
    },
  });
  return found;
}

/** The inline content of a DataSource. */
function textOf(source: JsonValue): string | undefined {
  if (!isJsonObject(source)) return undefined;
  const { inline_string: text, inline_bytes: bytes } = source;
  if (typeof text === 'string') return text;
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString('latin1') : undefined;
}

function readCertificates(pem: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new TypeError('holds no certificate');
  for (const block of blocks) new X509Certificate(block);
}

function isReadable(read: (pem: string) => unknown, pem: string): boolean {
  try {
    read(pem);
    return true;
  } catch {
    return false;
  }
}
