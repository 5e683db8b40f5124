import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { toBlockResponse } from '../../../../../packages/policy/src/block-response.ts';
import { deriveDomains, type EffectivePolicy } from '../../../../../packages/policy/src/effective.ts';
import { ENGINE_SPECS, type EngineName, type EngineOptions } from '../../../../../packages/policy/src/engines/index.ts';
import { parsePolicyDocument, policyDocumentSchema } from '../../../../../packages/policy/src/index.ts';
import { rulesOf, valueRulesOf } from '../../forms/model/rules.ts';
import type { FieldDescription, MessageDescription } from '../../forms/schema-source.ts';
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
  ENGINES_TYPE,
  MEMBER_ORDER,
  POLICY_MESSAGES,
  POLICY_TYPE,
} from './policy-messages.ts';
import { POLICY_SNIPPETS, policySource } from './policy-source.ts';

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | false;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly pattern?: string;
}

function message(typeName: string): MessageDescription {
  const found = POLICY_MESSAGES.get(typeName);
  if (!found) throw new Error(`no ${typeName}`);
  return found;
}

function optionsOf<N extends EngineName>({ engines }: EffectivePolicy, name: N): EngineOptions[N] {
  const found = engines.find(({ engine }) => engine === name);
  if (!found) throw new Error(`no ${name}`);
  return found.options as EngineOptions[N];
}

/** Bounds in the names of JSON Schema. */
function boundsOf(field: FieldDescription) {
  const whole = rulesOf(field)?.type;
  const value = valueRulesOf(field)?.type;
  const order = value?.kind === 'number' || value?.kind === 'bigint' ? value.order : undefined;
  const text = value?.kind === 'string' ? value.text : undefined;
  return {
    minimum: order?.gte === undefined ? undefined : Number(order.gte),
    maximum: order?.lte === undefined ? undefined : Number(order.lte),
    minLength: text?.minLen,
    maxLength: text?.maxLen,
    minItems: whole?.kind === 'repeated' ? whole.size.min : undefined,
    slash: text?.prefix === '/' || undefined,
  };
}

/** Walks the description and the schema that validates side by side. */
function compare(description: MessageDescription, schema: JsonSchema, path: string): void {
  const names = Object.keys(schema.properties ?? {});
  expect(description.fields.map(({ name }) => name).toSorted(), path).toEqual(names.toSorted());
  for (const field of description.fields) {
    const at = `${path}.${field.name}`;
    const whole = schema.properties?.[field.name] ?? {};
    const values = whole.additionalProperties;
    const one = field.shape === 'list' ? (whole.items ?? {}) : field.shape === 'map' ? values || {} : whole;
    expect(whole.type === 'array', at).toBe(field.shape === 'list');
    expect(schema.required?.includes(field.name) ?? false, at).toBe(field.required);
    if (at.endsWith('.engines')) continue;
    expect(typeof values === 'object', at).toBe(field.shape === 'map');
    if (field.value.kind === 'message') {
      compare(message(field.value.type), one, at);
      continue;
    }
    const names = field.value.kind === 'enum' ? field.value.values.map(({ name }) => name) : undefined;
    expect(one.enum ?? (one.const === undefined ? undefined : [one.const]), at).toEqual(names);
    if (field.value.kind === 'scalar') {
      expect({ int64: 'integer', double: 'number', bool: 'boolean', string: 'string' }[field.value.type], at).toBe(
        one.type,
      );
    }
    const ours = boundsOf(field);
    const wanted = {
      minimum: one.minimum,
      // The schema language writes the bounds of JavaScript's numbers where there are none
      maximum: one.maximum === Number.MAX_SAFE_INTEGER ? undefined : one.maximum,
      minLength: one.minLength,
      maxLength: one.maxLength,
      minItems: whole.minItems,
      slash: one.pattern?.startsWith('^\\/') || undefined,
    };
    // `keys` of api_key is checked by hand there, not by the schema
    expect({ ...ours, minItems: field.name === 'keys' ? undefined : ours.minItems }, at).toEqual(wanted);
  }
}

describe('the description of the policy language', () => {
  it('has the fields, types, values and bounds of the document that the policy package takes', () => {
    compare(message(POLICY_TYPE), policyDocumentSchema.toJSONSchema() as JsonSchema, '');
  });

  it.each(Object.entries(ENGINE_SPECS))('has those of the engine %s', (name, spec) => {
    const field = message(ENGINES_TYPE).fields.find((each) => each.name === name);
    expect(field?.value.kind).toBe('message');
    if (field?.value.kind === 'message')
      compare(message(field.value.type), spec.schema.toJSONSchema() as JsonSchema, name);
  });

  it('has every engine', () => {
    const { fields } = message(ENGINES_TYPE);
    expect(fields.map(({ name }) => name).toSorted()).toEqual(Object.keys(ENGINE_SPECS).toSorted());
  });
});

describe('the defaults that are told', () => {
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
  /** As the normal form has them, by their names in the document. */
  const told = (type: string, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, defaultOf(type, name)?.replace(', off', '')]));

  it('of the policy are those that hold', () => {
    const { mode, failMode, budgetMs, bodyMaxBytes } = block({});
    expect(told(DEFAULTS_TYPE, ['mode', 'fail_mode', 'timeout', 'inspect_request_body'])).toEqual({
      mode,
      fail_mode: failMode,
      timeout: `${budgetMs}ms`,
      inspect_request_body: String(bodyMaxBytes > 0),
    });
  });

  it('of block_response are those that hold', () => {
    const told = ['format', 'unauthorized_status', 'realm'].map((name) => defaultOf(BLOCK_RESPONSE_TYPE, name));
    expect(told).toEqual(['text', '403', toBlockResponse({ unauthorized_status: 401 })?.realm]);
    expect(toBlockResponse({ format: 'text', unauthorized_status: 403 })).toBeUndefined();
  });

  it('of api_key are those that hold', () => {
    const options = optionsOf(block({ api_key: { keys: [{ sha256: '0'.repeat(64) }] } }), 'api_key');
    const { sources, stripCredential, bindings } = options;
    expect(bindings).toEqual([]);
    expect(told('policy.ApiKey', ['source', 'name', 'strip_credential'])).toEqual({
      source: sources[0]?.source,
      name: expect.stringMatching(new RegExp(`^${sources[0]?.name}$`, 'i')) as string,
      strip_credential: String(stripCredential),
    });
  });

  it('of rate_limit are those that hold', () => {
    const derived = optionsOf(block({ rate_limit: { requests_per_second: 7 } }), 'rate_limit');
    const zero = optionsOf(block({ rate_limit: { requests_per_second: 7, burst: 0 } }), 'rate_limit');
    expect(told('policy.RateLimit', ['key', 'burst'])).toEqual({ key: derived.key, burst: '0' });
    expect(zero.burst).toBe(derived.burst);
  });

  it('of graphql are those that hold', () => {
    const options = optionsOf(block({ graphql: { block_introspection: true } }), 'graphql');
    const off = optionsOf(block({ graphql: { max_depth: 1 } }), 'graphql');
    expect(
      told('policy.Graphql', [
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
    const hint = message('policy.Graphql').fields.find(({ name }) => name === 'content_types')?.hint;
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
  it('say nothing where the policy package says nothing', async () => {
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
  ])('stand where the policy package finds the problem: %s as %s', async (good, bad) => {
    const text = GOOD.replace(good, bad);
    const wanted = check(text);
    expect(wanted.length).toBeGreaterThan(0);
    expect(await lint(text)).toEqual(wanted);
  });
});

describe('snippets of the policy editor', () => {
  it.each(POLICY_SNIPPETS.map((snippet) => [snippet.label, snippet] as const))(
    '%s is sound once it is filled in',
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

it('every message has its members in the one order of them all', () => {
  for (const { type_name: type, fields } of POLICY_MESSAGES.values()) {
    const places = fields.map(({ name }) => MEMBER_ORDER.indexOf(name));
    expect(places, type).toEqual(places.toSorted((a, b) => a - b));
  }
});
