import { expect, it } from 'vitest';
import { holdsSecret } from './holds-secret.ts';

it.each([
  JSON.stringify({ tls_certificates: [{ private_key: { inline_string: 'x' } }] }),
  JSON.stringify({ tlsCertificates: [{ privateKey: { inlineString: 'x' } }] }),
  JSON.stringify({ brokenText: { language: 'json', text: '{ "auth_password": {' } }),
  JSON.stringify({ brokenText: { language: 'yaml', text: 'a:\n  - password : x\n  b: [' } }),
  JSON.stringify({ any: { inline_string: '-----BEGIN EC PRIVATE KEY-----\nx' } }),
])('%s may hold a secret', (text) => {
  expect(holdsSecret(text)).toBe(true);
});

it.each([
  JSON.stringify({ name: 'password', secret_name: 'www', sds_config: { ads: {} }, connect_timeout: '1s' }),
  JSON.stringify({ tls_certificate_sds_secret_configs: [{ name: 'private_key' }] }),
])('%s holds no secret', (text) => {
  expect(holdsSecret(text)).toBe(false);
});

it('a long text without a secret is searched within milliseconds', () => {
  expect(holdsSecret(`${'secret '.repeat(200_000)}${'"'.repeat(200_000)}`)).toBe(false);
});
