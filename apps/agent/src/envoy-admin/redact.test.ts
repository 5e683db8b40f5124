import { describe, expect, it } from 'vitest';
import { redactDump, TooDeepError } from './redact.ts';
import { REDACTED, redactText } from './redact-text.ts';

const SECRET = 'Hunter2-0123456789';
const KEY = `-----BEGIN RSA PRIVATE KEY-----\nMIIE${SECRET}\n-----END RSA PRIVATE KEY-----\n`;
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
const ADS_SECRET = `flads_${'0a'.repeat(32)}`;

const show = (value: unknown) => JSON.stringify(redactDump(value));

describe('a secret in a configuration dump is hidden', () => {
  it.each<[string, unknown]>([
    [
      'the metadata of the xDS connection',
      { ads_config: { grpc_services: [{ initial_metadata: [{ key: 'x-a', value: SECRET }] }] } },
    ],
    ['the metadata in bytes', { initial_metadata: [{ key: 'x-a-bin', raw_value: SECRET }] }],
    [
      'the metadata of a health check',
      { grpc_health_check: { initial_metadata: [{ header: { key: 'x', value: SECRET } }] } },
    ],
    ['a header that authenticates', { request_headers_to_add: [{ header: { key: 'Authorization', value: SECRET } }] }],
    ['a header with an API key', { headers: [{ key: 'x-vendor-api-key', value: SECRET }] }],
    ['a condition on a header', { match: { headers: [{ name: 'x-auth', string_match: { exact: SECRET } }] } }],
    ['an old condition on a header', { headers: [{ name: 'cookie', exact_match: SECRET }] }],
    ['a condition on a query parameter', { query_parameters: [{ name: 'token', string_match: { prefix: SECRET } }] }],
    ['a private key', { tls_certificates: [{ private_key: { inline_string: SECRET } }] }],
    ['a private key in camel case', { privateKey: { inlineBytes: SECRET } }],
    ['a store of keys', { pkcs12: { inline_bytes: SECRET } }],
    [
      'a provider of keys',
      { private_key_provider: { provider_name: 'p', typed_config: { '@type': 't', n: [SECRET, { a: SECRET }] } } },
    ],
    ['a number of a provider of keys', { private_key_provider: { typed_config: { pin: [987_654_321_012] } } }],
    ['a generic secret', { generic_secret: { secret: { inline_string: SECRET } } }],
    ['several generic secrets', { generic_secret: { secrets: { a: { inline_string: SECRET } } } }],
    ['keys of session tickets', { session_ticket_keys: { keys: [{ inline_bytes: SECRET }] } }],
    ['users of basic authentication', { users: { inline_string: `a:{SHA}${SECRET}` } }],
    ['keys of API clients', { credentials: [{ key: SECRET, client: 'c' }] }],
    ['a password of Redis', { downstream_auth_passwords: [{ inline_string: SECRET }] }],
    ['a symmetric key set', { local_jwks: { inline_string: `{"keys":[{"kty":"oct","k":"${SECRET}"}]}` } }],
    ['an access token', { call_credentials: [{ access_token: SECRET }] }],
    [
      'credentials of a cloud',
      { credentials: { access_key_id: 'a', secret_access_key: SECRET, session_token: SECRET } },
    ],
    ['extensions of a check', { context_extensions: { a: SECRET } }],
    ['the bootstrap on the command line', { command_line_options: { config_yaml: SECRET } }],
    ['free-form metadata', { metadata: { filter_metadata: { x: { apiKey: SECRET, 'client-secret': SECRET } } } }],
    ['free-form numbers', { metadata: { password: 987_654_321_012 } }],
    ['a list of free-form texts', { token: [SECRET] }],
    ['JSON in a text', { '@type': 'StringValue', value: JSON.stringify({ a: [{ password: SECRET }] }) }],
    ['JSON in JSON in a text', { value: JSON.stringify({ v: JSON.stringify({ token: SECRET }) }) }],
    ['JSON that names a member twice', { value: `{"a":{"password":"${SECRET}"},"a":1}` }],
    ['a private key in a script', { inline_code: `local key = [[${KEY}]]` }],
    ['a private key without an end', { inline_code: `-----BEGIN PRIVATE KEY-----\n${SECRET}` }],
    ['an encoded private key', { something: Buffer.from(KEY).toString('base64') }],
    ['a password in a script', { inline_code: `local db_password = "${SECRET}"\nreturn 1` }],
    ['a token in an address', { uri: `https://a.example/x?n=1&access_token=${SECRET}&m=2` }],
    ['a password in an address', { uri: `redis://user:${SECRET}@a.example:6379/0` }],
    ['a bearer token in a text', { body: `Bearer ${SECRET}` }],
    ['the secret of the agent', { anything: `a ${ADS_SECRET} b` }],
    ['a signed token', { default_value: TOKEN }],
  ])('%s', (_, dump) => {
    const shown = show(dump);
    for (const secret of [
      SECRET,
      Buffer.from(SECRET).toString('base64'),
      '987654321012',
      ADS_SECRET,
      TOKEN,
      'UzI1NiJ9',
    ])
      expect(shown).not.toContain(secret);
    expect(shown).toMatch(/redacted|flads_\*/);
  });
});

describe('what is no secret in a configuration dump', () => {
  it.each<[string, unknown]>([
    [
      'a certificate',
      { certificate_chain: { inline_string: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----' } },
    ],
    ['the file of a key', { private_key: { filename: '/etc/key.pem' } }],
    ['the name of a secret', { dynamic_active_secrets: [{ name: 's', secret: { '@type': 't', name: 's' } }] }],
    ['the source of a secret', { tls_certificate_sds_secret_configs: [{ name: 's', sds_config: { ads: {} } }] }],
    [
      'an ordinary header',
      {
        headers: [
          { key: 'x-team', value: 'shop' },
          { key: ':authority', value: 'a.example' },
        ],
      },
    ],
    ['a condition on an ordinary header', { headers: [{ name: ':authority', string_match: { exact: 'a.example' } }] }],
    ['a bucket of tokens', { token_bucket: { max_tokens: 10, tokens_per_fill: 5 } }],
    ['a statistic about authentication', { stats: [{ name: 'http.auth.session_token.rq', value: 3 }] }],
    ['an address with a port', { uri: 'https://a.example:8443/path?x=1' }],
    ['JSON without secrets, as it was written', { value: '{ "a":  [1, 2] }' }],
    ['null, numbers and switches', { a: null, b: 0, c: false, d: 1.5 }],
  ])('stays visible: %s', (_, dump) => {
    expect(redactDump(dump)).toEqual(dump);
  });

  it('stays visible next to a secret: the name of the client, of the provider and of the header', () => {
    expect(
      redactDump({
        credentials: [{ key: 'k', client: 'c' }],
        request_headers_to_add: [{ header: { key: 'cookie', value: 'v' } }],
      }),
    ).toEqual({
      credentials: [{ key: REDACTED, client: 'c' }],
      request_headers_to_add: [{ header: { key: 'cookie', value: REDACTED } }],
    });
  });
});

describe('a hostile dump', () => {
  it('cannot nest deeper than the redactor follows', () => {
    const nest = (levels: number, text: string) =>
      JSON.parse('[{"a":'.repeat(levels) + JSON.stringify(text) + '}]'.repeat(levels));
    expect(() => redactDump(nest(20, 'x'))).not.toThrow();
    expect(() => redactDump(nest(40, 'x'))).toThrow(TooDeepError);
    expect(() => redactDump({ initial_metadata: [{ value: nest(40, 'x') }] })).toThrow(TooDeepError);
    expect(() => redactDump({ value: JSON.stringify(nest(40, 'x')) })).toThrow(TooDeepError);
  });

  it('keeps members with names of prototypes apart', () => {
    const dump = JSON.parse('{"__proto__":{"password":"x"},"constructor":{"token":"y"}}');
    expect(JSON.stringify(redactDump(dump))).toBe(
      '{"__proto__":{"password":"[redacted]"},"constructor":{"token":"[redacted]"}}',
    );
  });

  // A pattern that tries again from every place would need hours.
  it.each(['a-', 'eyJaaaaaaaa-', 'a.', 'Bearer ', '-----BEGIN ', 'token', 'token: ', 'x://', "'", 'LS0tLS1CRUdJTi'])(
    'is read in one pass if it repeats %j',
    (part) => {
      expect(redactText(part.repeat(2_000_000 / part.length)).length).toBeGreaterThan(0);
    },
  );
});
