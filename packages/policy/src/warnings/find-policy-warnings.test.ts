import { describe, expect, it } from 'vitest';
import { loadPolicyFiles } from '../load.ts';
import type { PolicyFile } from '../yaml-source.ts';
import { findPolicyWarnings } from './find-policy-warnings.ts';

const HEAD = 'apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: demo }\n';

function warn(spec: string, files: readonly PolicyFile[] = []): string[] {
  const bundle = [{ path: 'p.yaml', content: `${HEAD}spec:\n${spec}` }, ...files];
  const loaded = loadPolicyFiles(bundle);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return findPolicyWarnings(bundle).map(({ file, line, field, rule }) => `${file}:${line}:${field} [${rule}]`);
}

const domain = (text: string) => `  domains:\n    - hosts: [a.example]\n${text.replaceAll(/^/gm, '      ')}\n`;
const policy = (engines: string) => domain(`policy:\n  engines:\n${engines.replaceAll(/^/gm, '    ')}`);
const DOMAIN = 'spec.domains[0]';
const ENGINES = `${DOMAIN}.policy.engines`;

describe('a policy without faults', () => {
  it('has no warnings', () => {
    expect(
      warn(
        domain(
          [
            'policy:',
            '  engines:',
            `    api_key: { keys: [{ sha256: "${'a'.repeat(64)}", scopes: [x] }], require_scope_for_path: [{ path_prefix: /x, scope: x }] }`,
            '    rate_limit: { requests_per_second: 1 }',
            'routes:',
            '  - match: { path_prefix: /open }',
            '    policy: { engines: { api_key: null } }',
            '  - match: { path_prefix: /open/kept }',
            '    policy: { }',
          ].join('\n'),
        ),
      ),
    ).toEqual([]);
  });
});

describe('an element that protects nothing', () => {
  it('may be a document without domains or a domain without engines', () => {
    expect(warn('  domains: []\n')).toEqual(['p.yaml:5:spec.domains [policy.empty]']);
    expect(warn(domain('routes: [{ match: { path_prefix: / }, policy: { mode: detect } }]'))).toEqual([
      `p.yaml:6:${DOMAIN}.hosts [policy.empty]`,
    ]);
  });

  it('may be a data file that nobody refers to', () => {
    const files = [{ path: 'files/left-over.pem', content: 'x' }];
    expect(warn(policy('rate_limit: { requests_per_second: 1 }'), files)).toEqual([
      'files/left-over.pem:1: [file.unused]',
    ]);
  });
});

describe('an ignored field', () => {
  it('may be a realm without a challenge; a route with another response has an effect', () => {
    const engines = 'engines: { rate_limit: { requests_per_second: 1 } }';
    const route = 'routes: [{ match: { path_prefix: /x }, policy: { block_response: { realm: shop } } }]';
    const spec = `  defaults: { block_response: { realm: shop, unauthorized_status: 401 } }\n${domain(`policy: { ${engines} }\n${route}`)}`;
    expect(warn(spec)).toEqual([
      `p.yaml:9:${DOMAIN}.routes[0].policy.block_response.realm [block_response.realm_ignored]`,
    ]);
    expect(warn(spec.replace(', unauthorized_status: 401', ''))).toContain(
      'p.yaml:5:spec.defaults.block_response.realm [block_response.realm_ignored]',
    );
  });

  it('may be the header of a limiter with another key', () => {
    expect(warn(policy('rate_limit: { requests_per_second: 1, key: ip, header: X-User }'))).toEqual([
      `p.yaml:9:${ENGINES}.rate_limit.header [rate_limit.header_ignored]`,
    ]);
  });

  it('may be a default for bodies that nobody reads', () => {
    const limit = policy('rate_limit: { requests_per_second: 1 }');
    expect(warn(`  defaults: { max_request_body_bytes: 10, timeout: 10ms }\n${limit}`)).toEqual([
      'p.yaml:5:spec.defaults.max_request_body_bytes [defaults.cap_ignored]',
      'p.yaml:5:spec.defaults.timeout [defaults.timeout_ignored]',
    ]);
    expect(warn(`  defaults: { inspect_request_body: true, max_request_body_bytes: 10 }\n${limit}`)).toEqual([
      'p.yaml:5:spec.defaults.inspect_request_body [defaults.bodies_unused]',
    ]);
  });

  it('may be a block that no path gets to, or a route that changes nothing', () => {
    const routes = [
      'policy: { engines: { rate_limit: { requests_per_second: 1 } } }',
      'routes:',
      '  - { match: { path_prefix: / }, policy: { engines: { rate_limit: { requests_per_second: 2 } } } }',
      '  - { match: { path_prefix: /a }, policy: { engines: { rate_limit: null } } }',
    ];
    expect(warn(domain(routes.join('\n')))).toEqual([`p.yaml:7:${ENGINES}.rate_limit [engine.unreachable]`]);
    expect(
      warn(domain([routes[0], 'routes:', '  - { match: { path_prefix: /a//b }, policy: { } }'].join('\n'))),
    ).toEqual([
      `p.yaml:9:${DOMAIN}.routes[0].match.path_prefix [route.normalized]`,
      `p.yaml:9:${DOMAIN}.routes[0].match.path_prefix [route.without_effect]`,
    ]);
    expect(warn(policy('rate_limit: { requests_per_second: 1 }\napi_key: null'))).toEqual([
      `p.yaml:10:${ENGINES}.api_key [engine.null_without_effect]`,
    ]);
  });
});

describe('warnings about keys', () => {
  it('cover scopes that nobody requires, scopes that nobody has, and keys in plain text', () => {
    const block = [
      'api_key:',
      '  source: query',
      '  keys:',
      '    - key: SECRET-KEY',
      '      scopes: [read, write]',
      '  require_scope_for_path:',
      '    - { path_prefix: /a, scope: write }',
      '    - { path_prefix: /b, scope: admin }',
    ].join('\n');
    expect(warn(policy(block))).toEqual([
      `p.yaml:10:${ENGINES}.api_key.source [api_key.query]`,
      `p.yaml:12:${ENGINES}.api_key.keys[0].key [api_key.raw_key]`,
      `p.yaml:13:${ENGINES}.api_key.keys[0].scopes[0] [api_key.scope_unused]`,
      `p.yaml:16:${ENGINES}.api_key.require_scope_for_path[1].scope [api_key.binding_unsatisfiable]`,
    ]);
    const bundle = [{ path: 'p.yaml', content: `${HEAD}spec:\n${policy(block)}` }];
    expect(JSON.stringify(findPolicyWarnings(bundle))).not.toContain('SECRET');
  });

  it('cover bindings to paths that their route never gets', () => {
    const route = [
      'routes:',
      '  - match: { path_prefix: /v1 }',
      '    policy:',
      '      engines:',
      '        api_key:',
      `          keys: [{ sha256: "${'a'.repeat(64)}", scopes: [x] }]`,
      '          require_scope_for_path:',
      '            - { path_prefix: /v1/admin, scope: x }',
      '            - { path_prefix: /V, scope: x }',
      '            - { path_prefix: /admin, scope: x }',
    ].join('\n');
    expect(warn(domain(route))).toEqual([
      `p.yaml:16:${DOMAIN}.routes[0].policy.engines.api_key.require_scope_for_path[2].path_prefix [api_key.binding_unreachable]`,
    ]);
  });

  it('cover methods that differ from known ones in case', () => {
    const keys = `keys: [{ sha256: "${'a'.repeat(64)}", methods: [GET, Head, purge] }]`;
    expect(warn(policy(`api_key: { ${keys} }`))).toEqual([
      `p.yaml:9:${ENGINES}.api_key.keys[0].methods[1] [api_key.method_case]`,
      `p.yaml:9:${ENGINES}.api_key.keys[0].methods[2] [api_key.method_case]`,
    ]);
  });
});

describe('methods of keys that a body field can override', () => {
  const keys = (methods: string) => policy(`api_key: { keys: [{ sha256: "${'a'.repeat(64)}"${methods} }] }`);
  const INSPECTED = '  defaults: { inspect_request_body: true, max_request_body_bytes: 10, timeout: 10ms }\n';

  it('cause a warning if bodies are not inspected', () => {
    const unseen = `p.yaml:9:${ENGINES}.api_key.keys [api_key.bodies_unseen]`;
    for (const methods of ['[GET, POST]', '[PUT]', '[DELETE]'])
      expect(warn(keys(`, methods: ${methods}`))).toEqual([unseen]);
    expect(warn(keys(', methods: [GET, HEAD]'))).toEqual([]);
    expect(warn(keys(''))).toEqual([]);
  });

  it('count as a use of body inspection', () => {
    expect(warn(`${INSPECTED}${keys(', methods: [GET, POST]')}`)).toEqual([]);
    expect(warn(`${INSPECTED}${keys('')}`).map((warning) => warning.replace(/.*\[/, '['))).toEqual([
      '[defaults.bodies_unused]',
      '[defaults.timeout_ignored]',
    ]);
  });
});

describe('a list of methods that a body field can override', () => {
  const INSPECTED = '  defaults: { inspect_request_body: true, max_request_body_bytes: 10 }\n';

  it('causes a warning at the list if bodies are not inspected', () => {
    for (const methods of ['[GET, POST]', '[PUT]', '[PATCH]', '[DELETE]'])
      expect(warn(policy(`methods: { allow: ${methods} }`))).toEqual([
        `p.yaml:9:${ENGINES}.methods.allow [methods.bodies_unseen]`,
      ]);
    expect(warn(policy('methods: { allow: [GET, HEAD, OPTIONS] }'))).toEqual([]);
  });

  it('causes one for each list, and says what it means and what to do', () => {
    const route = [
      'policy: { engines: { methods: { allow: [POST] } } }',
      'routes:',
      '  - match: { path_prefix: /reads }',
      '    policy: { engines: { methods: { allow: [GET] } } }',
      '  - match: { path_prefix: /writes }',
      '    policy:',
      '      engines:',
      '        methods:',
      '          allow:',
      '            [POST, PUT]',
      '  - match: { path_prefix: /any }',
      '    policy: { engines: { methods: null } }',
    ].join('\n');
    const found = findPolicyWarnings([{ path: 'p.yaml', content: `${HEAD}spec:\n${domain(route)}` }]);
    expect(found.map(({ line, field, rule }) => `${line} ${field} ${rule}`)).toEqual([
      `7 ${DOMAIN}.policy.engines.methods.allow methods.bodies_unseen`,
      `15 ${DOMAIN}.routes[1].policy.engines.methods.allow methods.bodies_unseen`,
    ]);
    expect(found[0]?.message).toBe(
      'has a method that a field of a body (_method) turns into another one, unseen, where the upstream takes it: set inspect_request_body and max_request_body_bytes in spec.defaults. Ignore this if no upstream reads methods from bodies',
    );
  });

  it('causes none if bodies are inspected, which is a use of body inspection', () => {
    expect(warn(`${INSPECTED}${policy('methods: { allow: [GET, POST] }')}`)).toEqual([]);
    expect(warn(`${INSPECTED}${policy('methods: { allow: [GET] }')}`)).toEqual([
      'p.yaml:5:spec.defaults.inspect_request_body [defaults.bodies_unused]',
    ]);
  });
});

it('a method in lower case causes a warning in a list of methods, too', () => {
  expect(warn(policy('methods: { allow: [GET, get, Options] }'))).toEqual([
    `p.yaml:9:${ENGINES}.methods.allow[1] [methods.method_case]`,
    `p.yaml:9:${ENGINES}.methods.allow[2] [methods.method_case]`,
  ]);
});

describe('warnings about claims of tokens', () => {
  it('cover claims that are never texts, and claims for paths that their route never gets', () => {
    const files = [{ path: 'files/key', content: 'a secret of sixty-four characters, which is enough for any hash' }];
    const route = [
      'routes:',
      '  - match: { path_prefix: /v1 }',
      '    policy:',
      '      engines:',
      '        jwt:',
      '          { issuer: i, audience: a, algorithms: [HS256], hmac_secret_file: files/key, require_claims_for_path: [',
      '            { path_prefix: /v1/a, claim: scope, any_of: [x] },',
      '            { path_prefix: /v1/b, claim: exp, any_of: ["1"] },',
      '            { path_prefix: /admin, claim: scope, any_of: [x] }] }',
    ].join('\n');
    const at = `${DOMAIN}.routes[0].policy.engines.jwt.require_claims_for_path`;
    expect(warn(domain(route), files)).toEqual([
      `p.yaml:14:${at}[1].claim [jwt.binding_unsatisfiable]`,
      `p.yaml:15:${at}[2].path_prefix [jwt.binding_unreachable]`,
    ]);
  });
});

describe('warnings about ineffective limits', () => {
  it('cover limits keyed by a header that any client may choose', () => {
    const limit = 'rate_limit: { requests_per_second: 1, key: header, header: X-User }';
    expect(warn(policy(limit))).toEqual([`p.yaml:9:${ENGINES}.rate_limit.header [rate_limit.header_forgeable]`]);
    expect(warn(policy(`${limit}\napi_key: { keys: [{ sha256: "${'a'.repeat(64)}" }] }`))).toEqual([]);
  });

  it("cover GraphQL limits without one for batches, and body limits above Envoy's buffer", () => {
    const defaults = '  defaults: { inspect_request_body: true, max_request_body_bytes: 1048576 }\n';
    expect(warn(`${defaults}${policy('graphql: { max_depth: 5 }')}`)).toEqual([
      'p.yaml:5:spec.defaults.max_request_body_bytes [defaults.cap_above_buffer]',
      `p.yaml:10:${ENGINES}.graphql [graphql.batches_unlimited]`,
    ]);
  });

  it('cover GraphQL fields that cost more than a query may', () => {
    const defaults = '  defaults: { inspect_request_body: true, max_request_body_bytes: 65536 }\n';
    const costs = 'graphql: { max_operations: 1, max_cost: 10, field_costs: { a: 10, b: 11, __proto__: 12 } }';
    expect(warn(`${defaults}${policy(costs)}`)).toEqual([
      `p.yaml:10:${ENGINES}.graphql.field_costs.b [graphql.field_never_passes]`,
      `p.yaml:10:${ENGINES}.graphql.field_costs.__proto__ [graphql.field_never_passes]`,
    ]);
  });
});

it('are not given for rejected documents, which have problems', () => {
  const content = `${HEAD}spec:\n${policy('rate_limit: { requests_per_second: 0, header: X }')}`;
  expect(findPolicyWarnings([{ path: 'p.yaml', content }])).toEqual([]);
  expect(findPolicyWarnings([{ path: 'p.yaml', content: '{' }])).toEqual([]);
});
