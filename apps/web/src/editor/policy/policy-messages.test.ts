import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { toBlockResponse } from '../../../../../packages/policy/src/block-response.ts';
import { deriveDomains, type EffectivePolicy } from '../../../../../packages/policy/src/effective.ts';
import type { EngineName, EngineOptions } from '../../../../../packages/policy/src/engines/index.ts';
import { parsePolicyDocument, policyDocumentSchema } from '../../../../../packages/policy/src/index.ts';
import { cursorAt } from '../document/cursor-at.ts';
import { formatPath } from '../document/path.ts';
import { readDocument } from '../document/read.ts';
import { lintDocument } from '../schema/lint.ts';
import { withTypes } from '../schema/types.ts';
import { writeValue } from '../suggest/skeleton.ts';
import { suggestAt } from '../suggest/suggest.ts';
import { marked } from '../testing/marked.ts';
import {
  BLOCK_RESPONSE_TYPE,
  DEFAULTS_TYPE,
  defaultOf,
  MEMBER_ORDER,
  POLICY_MESSAGES,
  POLICY_TYPE,
} from './policy-messages.ts';
import { POLICY_SNIPPETS, policySource } from './policy-source.ts';

function optionsOf<N extends EngineName>({ engines }: EffectivePolicy, name: N): EngineOptions[N] {
  const found = engines.find(({ engine }) => engine === name);
  if (!found) throw new Error(`no ${name}`);
  return found.options as EngineOptions[N];
}

describe('the defaults that are shown', () => {
  const block = (engines: Record<string, unknown>) => {
    const document = policyDocumentSchema.parse({
      apiVersion: 'flotilla.dev/v1',
      kind: 'SecurityPolicy',
      metadata: { name: 'x' },
      spec: { domains: [{ hosts: ['a'], policy: { engines } }] },
    });
    const [domain] = deriveDomains(document, new Map());
    if (!domain) throw new Error('no domain');
    return domain.policy;
  };
  /** The defaults by field name. */
  const defaults = (type: string, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, defaultOf(type, name)]));

  it('of a policy are those that apply', () => {
    const { mode, failMode, budgetMs, bodyMaxBytes } = block({});
    expect(defaults(DEFAULTS_TYPE, ['mode', 'fail_mode', 'timeout', 'inspect_request_body'])).toEqual({
      mode,
      fail_mode: failMode,
      timeout: `${budgetMs}ms`,
      inspect_request_body: String(bodyMaxBytes > 0),
    });
  });

  it('of block_response are those that apply', () => {
    const defaults = ['format', 'unauthorized_status', 'realm'].map((name) => defaultOf(BLOCK_RESPONSE_TYPE, name));
    expect(defaults).toEqual(['text', '403', toBlockResponse({ unauthorized_status: 401 })?.realm]);
    expect(toBlockResponse({ format: 'text', unauthorized_status: 403 })).toBeUndefined();
  });

  it('of api_key are those that apply', () => {
    const options = optionsOf(block({ api_key: { keys: [{ sha256: '0'.repeat(64) }] } }), 'api_key');
    const { sources, stripCredential, bindings } = options;
    expect(bindings).toEqual([]);
    expect(defaults('policy.ApiKey', ['source', 'name', 'strip_credential'])).toEqual({
      source: sources[0]?.source,
      name: expect.stringMatching(new RegExp(`^${sources[0]?.name}$`, 'i')) as string,
      strip_credential: String(stripCredential),
    });
  });

  it('of rate_limit are those that apply', () => {
    const derived = optionsOf(block({ rate_limit: { requests_per_second: 7 } }), 'rate_limit');
    const zero = optionsOf(block({ rate_limit: { requests_per_second: 7, burst: 0 } }), 'rate_limit');
    expect(defaults('policy.RateLimit', ['key', 'burst'])).toEqual({ key: derived.key, burst: '0' });
    expect(zero.burst).toBe(derived.burst);
  });

  it('of graphql are those that apply', () => {
    const options = optionsOf(block({ graphql: { block_introspection: true } }), 'graphql');
    const off = optionsOf(block({ graphql: { max_depth: 1 } }), 'graphql');
    expect(
      defaults('policy.Graphql', [
        'max_depth',
        'max_aliases',
        'max_root_fields',
        'max_total_fields',
        'max_operations',
        'max_fragment_depth',
        'max_complexity',
        'block_introspection',
        'any_method',
        'max_directives',
        'max_arguments',
        'max_cost',
        'block_incremental',
      ]),
    ).toEqual({
      max_depth: String(options.maxDepth),
      max_aliases: String(options.maxAliases),
      max_root_fields: String(options.maxRootFields),
      max_total_fields: String(options.maxTotalFields),
      max_operations: String(options.maxOperations),
      max_fragment_depth: String(options.maxFragmentDepth),
      max_complexity: String(options.maxComplexity),
      block_introspection: String(off.blockIntrospection),
      any_method: String(off.anyMethod),
      max_directives: String(off.maxDirectives),
      max_arguments: String(off.maxArguments),
      max_cost: String(off.maxCost),
      block_incremental: String(off.blockIncremental),
    });
    expect([off.blockUpgrades, defaultOf('policy.Graphql', 'block_upgrades')]).toEqual([undefined, undefined]);
    const hint = POLICY_MESSAGES.get('policy.Graphql')?.fields.find(({ name }) => name === 'content_types')?.hint;
    for (const type of options.contentTypes) expect(hint).toContain(type);
  });
});

const GOOD = `
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata:
  name: shop
spec:
  defaults: { mode: block, fail_mode: fail_close, inspect_request_body: true, max_request_body_bytes: 65536 }
  domains:
    - hosts: [shop.example.com]
      policy:
        engines:
          rate_limit: { requests_per_second: 10, key: ip }
      routes:
        - match: { path_prefix: /api }
          policy:
            engines:
              rate_limit: null
              api_key:
                keys: [{ sha256: "${'0'.repeat(64)}", subject: x, scopes: [read] }]
`;

async function lint(text: string) {
  const tree = readDocument(text, 'yaml');
  return (await withTypes(policySource, (types) => lintDocument(POLICY_TYPE, tree, types, 'policy')))
    .map(({ path }) => formatPath(path))
    .toSorted();
}

function check(text: string): string[] {
  const parsed = parsePolicyDocument({ path: 'p.yaml', content: text });
  return parsed.ok ? [] : parsed.error.map(({ field }) => field).toSorted();
}

describe('quick checks of a policy', () => {
  it('accept a policy that the policy package accepts', async () => {
    expect(check(GOOD)).toEqual([]);
    expect(await lint(GOOD)).toEqual([]);
  });

  it.each([
    ['kind: SecurityPolicy', 'kind: Policy'],
    ['mode: block', 'mode: Block'],
    ['mode: block', 'mode: 5'],
    ['fail_close', 'fail_maybe'],
    ['name: shop', 'name: 5'],
    ['hosts: [shop.example.com]', 'hosts: []'],
    ['hosts: [shop.example.com]', 'hosts: shop.example.com'],
    ['requests_per_second: 10', 'requests_per_second: 0'],
    ['requests_per_second: 10', 'requests_per_second: "10"'],
    ['requests_per_second: 10, ', ''],
    ['requests_per_second: 10', 'requestsPerSecond: 10'],
    ['key: ip', 'key: cookie'],
    ['path_prefix: /api', 'path_prefix: api'],
    ['rate_limit: null', 'graphql: { max_depth: -5 }'],
    ['rate_limit: null', 'graphql: { max_depth: 1, max_cost: 5, field_costs: { a: -1 } }'],
    ['rate_limit: null', 'graphql: { max_depth: 1, max_cost: 5, field_costs: [a] }'],
    ['rate_limit: null', 'jwt: { public_key_file: a.pem, algorithms: [none] }'],
    ['rate_limit: null', 'jwt: { public_key_file: a.pem }'],
    ['rate_limit: null', 'waf: {}'],
    ['scopes: [read]', 'scopes: [""]'],
    ['  name: shop', '  name: null'],
  ])('find a problem where the policy package does: %s as %s', async (good, bad) => {
    const text = GOOD.replace(good, bad);
    const wanted = check(text);
    expect(wanted.length).toBeGreaterThan(0);
    expect(await lint(text)).toEqual(wanted);
  });
});

describe('snippets of the policy editor', () => {
  it.each(POLICY_SNIPPETS.map((snippet) => [snippet.label, snippet] as const))(
    '%s is valid when it is filled in',
    (_, snippet) => {
      const filled = writeValue(snippet.value, 'yaml')
        .replaceAll('\t', '  ')
        .replaceAll('sha256: #{}', `sha256: "${'0'.repeat(64)}"`)
        .replaceAll('public_key_file: #{}', 'public_key_file: keys/a.pem')
        .replaceAll('name: #{}', 'name: x')
        .replaceAll('- #{}', '- a.example.com')
        .replaceAll('#{}', '{}')
        .replaceAll('subject: {}', 'subject: x');
      const value: unknown = parse(filled);
      const base = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'x' } };
      const inRoute = (policy: unknown) => ({
        ...base,
        spec: {
          defaults: { inspect_request_body: true, max_request_body_bytes: 65_536 },
          domains: [{ hosts: ['a'], routes: [{ match: { path_prefix: '/' }, policy }] }],
        },
      });
      const whole = {
        'policy.SecurityPolicy': value,
        'policy.Domain': { ...base, spec: { domains: [value] } },
        'policy.Route': { ...base, spec: { domains: [{ hosts: ['a'], routes: [value] }] } },
        'policy.Engines': inRoute({ engines: value }),
      }[snippet.type];
      expect(check(stringify(whole))).toEqual([]);
    },
  );

  it('are offered where they fit', async () => {
    const labels = async (source: string) => {
      const { text, offset } = marked(source);
      const cursor = cursorAt(text, offset, 'yaml');
      const found = cursor
        ? await suggestAt(cursor, {
            source: policySource,
            type: POLICY_TYPE,
            language: 'yaml',
            snippets: POLICY_SNIPPETS,
          })
        : [];
      return found.map(({ label }) => label);
    };
    expect(await labels('|')).toContain('new policy');
    expect(await labels('spec:\n  domains:\n    - |')).toContain('new domain');
    expect(await labels('spec:\n  domains:\n    |')).toContain('new domain');
    expect(await labels('spec:\n  domains:\n    - routes:\n        - |')).toContain('new route');
    expect(await labels('spec:\n  domains:\n    - policy:\n        engines:\n          |')).toEqual(
      expect.arrayContaining(['new api_key', 'api_key', 'rate_limit', 'jwt', 'new graphql']),
    );
    expect(
      await labels('spec:\n  domains:\n    - policy:\n        engines:\n          rate_limit:\n            key: |'),
    ).toEqual(['ip', 'host', 'header']);
  });
});

it('the members of every message have the common order', () => {
  for (const { type_name: type, fields } of POLICY_MESSAGES.values()) {
    const places = fields.map(({ name }) => MEMBER_ORDER.indexOf(name));
    expect(places, type).toEqual(places.toSorted((a, b) => a - b));
  }
});
