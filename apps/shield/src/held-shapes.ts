import { packPolicies } from '@flotilla/decision';
import { checkPolicyFiles, type PolicyFile } from '@flotilla/policy';
import { stringify } from 'yaml';

const KEYS = [{ key: 'a key that opens nothing' }];
const DIGESTS = [{ sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', subject: 'example' }];

/** What people write most, in the order in which they write it. */
const EXAMPLE = {
  apiVersion: 'flotilla.dev/v1',
  kind: 'SecurityPolicy',
  metadata: { name: 'example' },
  spec: {
    defaults: { mode: 'block', inspect_request_body: true, max_request_body_bytes: 65_536 },
    domains: [
      {
        hosts: ['example.com'],
        policy: { engines: { rate_limit: { requests_per_second: 10, burst: 20 }, api_key: { keys: KEYS } } },
        routes: [
          { match: { path_prefix: '/inherited' }, policy: {} },
          { match: { path_prefix: '/detected' }, policy: { mode: 'detect', engines: { api_key: { keys: DIGESTS } } } },
          {
            match: { path_prefix: '/token' },
            policy: { engines: { jwt: { algorithms: ['HS256'], hmac_secret_file: 'example.secret' } } },
          },
          { match: { path_prefix: '/graphql' }, policy: { engines: { graphql: { max_depth: 5 } } } },
        ],
      },
      { hosts: ['example.org'], policy: { engines: { api_key: { keys: KEYS } } } },
    ],
  },
};

const SECRET: PolicyFile = { path: 'example.secret', content: 'a secret that guards nothing, of thirty-two bytes' };

const held: unknown[] = [];

/**
 * Keeps a small policy in every form that reading makes of one. While no object of a shape lives, the next full collection
 * forgets the shape, and with it the machine code that was made for it: a thread that collects behind each bundle would
 * compile anew for the next one, which takes a quarter of its time.
 */
export function holdShapes(): void {
  if (held.length > 0) return;
  // Readers of the two forms make objects of their own.
  for (const file of [
    { path: 'example.yaml', content: stringify(EXAMPLE) },
    { path: 'example.json', content: JSON.stringify(EXAMPLE) },
  ]) {
    const checked = checkPolicyFiles([file, SECRET]);
    if (!checked.ok) throw new Error(`the example is no valid policy: ${checked.error[0]?.message}`);
    const domains = [...checked.value.domains()];
    held.push(checked.value, domains, [...packPolicies(domains)]);
  }
}
