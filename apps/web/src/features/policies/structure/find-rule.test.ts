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
  const reading = readStructure(TEXT);
  return reading.ok ? findRule(reading.structure, { host, route, engine }) : undefined;
}

it('leads to the engine of the route, and of the domain where the route inherits it', () => {
  expect(find('a.example.com', '/limited/', 'rate_limit')).toEqual({ line: 15, place: 'd1.r0' });
  expect(find('B.example.com', '/limited/', 'api_key')).toEqual({ line: 10, place: 'd1.r0' });
});

it('leads to the domain that covers the host most closely', () => {
  expect(find('a.example.com', '', 'api_key')).toEqual({ line: 10, place: 'd1' });
  expect(find('example.com', '', 'rate_limit')).toEqual({ line: 6, place: 'd0' });
});

it('leads to the part itself where the engine is not named, and nowhere where the part is gone', () => {
  expect(find('a.example.com', '/limited/', 'body')).toEqual({ line: 12, place: 'd1.r0' });
  expect(find('a.example.com', '/gone/', 'rate_limit')).toBeUndefined();
});
