import { expect, it } from 'vitest';
import { findRule } from './find-rule.ts';
import { readStructure } from './structure.ts';

const TEXT = `spec:
  domains:
    - hosts: ["*"]
      policy:
        engines:
          rate_limit: { requests_per_second: 5 }
    - hosts: ["*.example.com", a.example.com]
      policy:
        engines:
          api_key: { keys: [] }
      routes:
        - match: { path_prefix: /limited/ }
          policy:
            engines:
              rate_limit: { requests_per_second: 1 }
`;

function find(host: string, route: string, engine: string) {
  const parsed = readStructure(TEXT);
  return parsed.ok ? findRule(parsed.structure, { host, route, engine }) : undefined;
}

it('a rule leads to the engine of the route, or of the domain if the route inherits it', () => {
  expect(find('a.example.com', '/limited/', 'rate_limit')).toEqual({ line: 15, place: 'd1.r0' });
  expect(find('B.example.com', '/limited/', 'api_key')).toEqual({ line: 10, place: 'd1.r0' });
});

it('a rule leads to the domain that matches the host most specifically', () => {
  expect(find('a.example.com', '', 'api_key')).toEqual({ line: 10, place: 'd1' });
  expect(find('example.com', '', 'rate_limit')).toEqual({ line: 6, place: 'd0' });
});

it('a rule without an engine leads to its route or domain, and a rule whose route or domain was removed leads nowhere', () => {
  expect(find('a.example.com', '/limited/', 'body')).toEqual({ line: 12, place: 'd1.r0' });
  expect(find('a.example.com', '/gone/', 'rate_limit')).toBeUndefined();
});
