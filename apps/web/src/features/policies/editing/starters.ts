import { isScalar, parseDocument } from 'yaml';

export interface Starter {
  readonly id: string;
  readonly label: string;
  readonly purpose: string;
  readonly make: (about: { name: string; host: string; key: string }) => string;
}

const head = (name: string, mode: 'block' | 'detect') => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata:
  name: ${JSON.stringify(name)}
spec:
  defaults:
    mode: ${mode}
    fail_mode: fail_close
`;

export const STARTERS: readonly Starter[] = [
  {
    id: 'api-key',
    label: 'API keys for a host',
    purpose: 'Who presents no known key gets 403. Paths can need a scope that a key carries.',
    make: ({ name, host, key }) => `${head(name, 'block')}  domains:
    - hosts: [${JSON.stringify(host)}]
      policy:
        engines:
          api_key:
            name: X-Api-Key
            keys:
              - subject: first-caller
                key: ${key}
                scopes: [admin]
            require_scope_for_path:
              - { path_prefix: /admin/, scope: admin }
      routes:
        - match: { path_prefix: /health }
          policy: { engines: { api_key: null } } # no key needed here
`,
  },
  {
    id: 'rate-limit',
    label: 'Rate limit per address',
    purpose: 'Each client address gets so many requests per second; more get 429 with Retry-After.',
    make: ({ name, host }) => `${head(name, 'block')}  domains:
    - hosts: [${JSON.stringify(host)}]
      policy:
        engines:
          rate_limit: { requests_per_second: 20, burst: 40, key: ip }
      routes:
        - match: { path_prefix: /login }
          policy: { engines: { rate_limit: { requests_per_second: 1, burst: 5, key: ip } } }
`,
  },
  {
    id: 'detect',
    label: 'Detect only',
    purpose: 'Counts what would be blocked and lets it through: to see the effect of a policy before it holds.',
    make: ({ name, host, key }) => `${head(name, 'detect')}  domains:
    - hosts: [${JSON.stringify(host)}]
      policy:
        engines:
          api_key:
            keys:
              - { subject: first-caller, key: ${key} }
          rate_limit: { requests_per_second: 20, burst: 40, key: ip }
`,
  },
  {
    id: 'graphql',
    label: 'GraphQL limits',
    purpose: 'Queries that are too deep, too wide or ask for the schema get 403; bodies are read for it.',
    make: ({ name, host }) => `${head(name, 'block')}    inspect_request_body: true
    max_request_body_bytes: 262144
  domains:
    - hosts: [${JSON.stringify(host)}]
      routes:
        - match: { path_prefix: /graphql }
          policy:
            engines:
              graphql: { max_depth: 10, max_aliases: 15, max_root_fields: 20, max_operations: 10, block_introspection: true }
`,
  },
  {
    id: 'empty',
    label: 'Empty',
    purpose: 'Covers no host yet, and so allows everything.',
    make: ({ name }) => `${head(name, 'block')}  domains: []
`,
  },
];

/** Changes the name in the text; returns the text unchanged if the name is not found. */
export function withName(text: string, name: string): string {
  const document = parseDocument(text, { logLevel: 'silent' });
  const node = document.errors.length > 0 ? undefined : document.getIn(['metadata', 'name'], true);
  if (!isScalar(node) || !node.range) return text;
  return `${text.slice(0, node.range[0])}${JSON.stringify(name)}${text.slice(node.range[1])}`;
}

/** Returns 128 random bits as 32 hex digits. */
export function makeKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
