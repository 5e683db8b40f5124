import { packPolicies } from '@flotilla/decision';
import { checkPolicyFiles, type PolicyFile } from '@flotilla/policy';
import { stringify } from 'yaml';

const KEYS = [{ key: 'a key that opens nothing' }];
const DIGESTS = [{ sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', subject: 'example' }];

/** Typical content in typical order. */
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
 * Keeps a small policy alive in every form that loading creates. Without a living object of a shape, the next full
 * collection drops the shape and its compiled code: a thread that collects after each bundle would recompile for the
 * next one, which takes a quarter of its time.
 */
export function holdShapes(): void {
  if (held.length > 0) return;
  // The parsers of the two formats create objects of their own shapes.
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
