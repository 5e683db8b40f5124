import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadPolicyFiles } from './load.ts';

const key = createPublicKey(generateKeyPairSync('ed25519').privateKey).export({ format: 'pem', type: 'spki' });

/** The engines of a policy in decision order. */
function orderOf(engines: object): string {
  const content = JSON.stringify({
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'demo' },
    spec: {
      defaults: { inspect_request_body: true, max_request_body_bytes: 1000 },
      domains: [{ hosts: ['api.example.com'], policy: { engines } }],
    },
  });
  const loaded = loadPolicyFiles([
    { path: 'policy.json', content },
    { path: 'files/key.pem', content: key },
  ]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return (loaded.value.domains[0]?.policy.engines ?? []).map(({ engine }) => engine).join(' ');
}

const keys = [{ key: 'secret-one' }];
const jwt = { algorithms: ['EdDSA'], public_key_file: 'files/key.pem' };
const limitBy = (key: string, header?: string) => ({ requests_per_second: 1, key, ...(header ? { header } : {}) });

describe('the order of engines', () => {
  it.each<[string, object, string]>([
    [
      'puts the cheap before the costly, however they are written',
      { graphql: { max_depth: 3 }, jwt, api_key: { keys }, rate_limit: limitBy('ip') },
      'rate_limit api_key jwt graphql',
    ],
    [
      'asks for the method before credentials',
      { jwt, methods: { allow: ['GET'] }, rate_limit: limitBy('ip') },
      'rate_limit methods jwt',
    ],
    ['limits by another header first', { jwt, rate_limit: limitBy('header', 'X-Tenant') }, 'rate_limit jwt'],
    [
      'limits by a token behind the check of the token',
      { jwt, rate_limit: limitBy('header', 'Authorization') },
      'jwt rate_limit',
    ],
    [
      'knows the header of the token by its name',
      { jwt: { ...jwt, header_name: 'X-Token' }, rate_limit: limitBy('header', 'x-token') },
      'jwt rate_limit',
    ],
    [
      'limits by a key behind both credentials',
      { jwt, api_key: { keys }, rate_limit: limitBy('header', 'x-api-key') },
      'api_key jwt rate_limit',
    ],
    [
      'knows every place of a key',
      {
        api_key: { keys, sources: [{ source: 'query', name: 'k' }, { name: 'X-Other' }] },
        rate_limit: limitBy('header', 'x-other'),
      },
      'api_key rate_limit',
    ],
    [
      'does not mistake a query parameter for a header',
      { api_key: { keys, source: 'query', name: 'x-k' }, rate_limit: limitBy('header', 'x-k') },
      'rate_limit api_key',
    ],
  ])('%s', (_, engines, expected) => expect(orderOf(engines)).toBe(expected));
});
