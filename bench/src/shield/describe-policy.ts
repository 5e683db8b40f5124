import { type LoadedPolicies, loadPolicyFiles } from '@flotilla/policy';

export const HOST = 'api.example.com';
export const KEY = 'the-key';

/** Engine blocks that the benchmarks combine. */
export const ENGINES = {
  api_key: { api_key: { keys: [{ key: KEY, subject: 'bench' }] } },
  rate_limit: { rate_limit: { requests_per_second: 1e9, burst: 1_000_000_000 } },
  exhausted: { rate_limit: { requests_per_second: 0.000_001, burst: 1 } },
  graphql: { graphql: { max_depth: 10, max_aliases: 15, max_total_fields: 500, paths: ['/v1/'] } },
} as const;

/** A policy with `domains` hosts and three routes each; requests go to the first. */
export function describePolicy(engines: object, domains = 1): string {
  const spec = {
    defaults: { inspect_request_body: true, max_request_body_bytes: 512 * 1024 },
    domains: Array.from({ length: domains }, (_, n) => ({
      hosts: [n === 0 ? HOST : `d${n}.example.com`],
      policy: { engines },
      routes: ['/v1/users', '/v1/orders', '/admin'].map((path_prefix) => ({ match: { path_prefix }, policy: {} })),
    })),
  };
  return JSON.stringify({ apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'bench' }, spec });
}

export function loadPolicy(engines: object, domains = 1): LoadedPolicies {
  const loaded = loadPolicyFiles([{ path: 'bench.json', content: describePolicy(engines, domains) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error[0]));
  return loaded.value;
}
