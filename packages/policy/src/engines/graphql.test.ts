import { describe, expect, it } from 'vitest';
import { loadPolicyFiles } from '../load.ts';
import { graphqlSpec } from './graphql.ts';

const NO_FILES = new Map<string, Uint8Array>();

function load(block: unknown, defaults: unknown = { inspect_request_body: true, max_request_body_bytes: 65_536 }) {
  const document = {
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'p' },
    spec: { defaults, domains: [{ hosts: ['a.example.com'], policy: { engines: { graphql: block } } }] },
  };
  return loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
}

function problemsOf(...args: Parameters<typeof load>): string[] {
  const loaded = load(...args);
  return loaded.ok ? [] : loaded.error.map(({ field, rule }) => `${field.split('.graphql').pop() ?? ''} ${rule}`);
}

describe('the options of graphql', () => {
  it.each([
    [{ max_depth: 1 }],
    [{ max_aliases: 1 }],
    [{ max_root_fields: 1 }],
    [{ max_total_fields: 1 }],
    [{ max_operations: 1 }],
    [{ block_introspection: true }],
    [{ max_depth: 0, max_aliases: 3, block_introspection: false }],
    [{ max_depth: 1, content_types: ['application/JSON', 'text/*', '*/*'], paths: ['/graphql', '/%67'] }],
    [{ max_depth: 1, content_types: ['Multipart/form-data', 'multipart/*'], any_method: true }],
    [{ max_depth: 1, content_types: [], paths: [] }],
    [{ max_depth: 1, max_fragment_depth: 0, max_complexity: 0 }],
    [{ max_depth: 1, max_directives: 1, max_arguments: 1, block_incremental: true }],
    [{ max_depth: 1, max_cost: 1 }],
    [{ max_depth: 1, max_cost: 1, field_costs: {} }],
    [{ max_depth: 1, max_cost: 5, field_costs: { a: 0, _b1: 1_000_000, constructor: 2, toString: 3 } }],
    [{ max_depth: 1, max_cost: 5, field_costs: JSON.parse('{"__proto__": 7}') as object }],
    [{ max_depth: 1, max_cost: 0, max_directives: 0, max_arguments: 0, block_incremental: false }],
  ])('accept %j', (block) => expect(problemsOf(block)).toEqual([]));

  it.each([
    [{}, [' graphql.no_limit']],
    [{ max_depth: 0, max_aliases: 0, block_introspection: false }, [' graphql.no_limit']],
    [{ max_fragment_depth: 3, max_complexity: 10 }, [' graphql.no_limit']],
    [{ block_upgrades: true }, [' graphql.no_limit']],
    [{ any_method: true }, [' graphql.no_limit']],
    [{ content_types: ['application/json'], paths: ['/graphql'] }, [' graphql.no_limit']],
    [{ max_depth: -1 }, ['.max_depth schema.too_small']],
    [{ max_depth: 1, max_complexity: -1 }, ['.max_complexity schema.too_small']],
    [{ max_depth: 1, max_fragment_depth: -1 }, ['.max_fragment_depth schema.too_small']],
    [{ max_depth: 1, content_types: ['json'] }, ['.content_types[0] graphql.content_type']],
    [{ max_depth: 1, content_types: ['a/b; charset=utf-8'] }, ['.content_types[0] graphql.content_type']],
    [{ max_depth: 1, content_types: ['*/json'] }, ['.content_types[0] graphql.content_type']],
    [{ max_depth: 1, paths: ['/a?b'] }, ['.paths[0] graphql.path']],
    [{ max_cost: 0, max_directives: 0, max_arguments: 0, block_incremental: false }, [' graphql.no_limit']],
    [{ max_directives: 1 }, [' graphql.no_limit']],
    [{ max_arguments: 1 }, [' graphql.no_limit']],
    [{ block_incremental: true }, [' graphql.no_limit']],
    [{ max_cost: 1, field_costs: { a: 2 } }, [' graphql.no_limit']],
    [{ max_depth: 1, max_directives: -1 }, ['.max_directives schema.too_small']],
    [{ max_depth: 1, max_arguments: -1 }, ['.max_arguments schema.too_small']],
    [{ max_depth: 1, max_cost: -1 }, ['.max_cost schema.too_small']],
    [{ max_depth: 1, field_costs: { a: 1 } }, ['.field_costs graphql.costs_unused']],
    [{ max_depth: 1, max_cost: 0, field_costs: { a: 1 } }, ['.field_costs graphql.costs_unused']],
    [{ max_depth: 1, max_cost: 1, field_costs: { a: -1 } }, ['.field_costs.a schema.too_small']],
    [{ max_depth: 1, max_cost: 1, field_costs: { a: 1_000_001 } }, ['.field_costs.a schema.too_big']],
    [
      { max_depth: 1, max_cost: 1, field_costs: { 'Query.users': 5 } },
      ['.field_costs["Query.users"] graphql.field_cost'],
    ],
    [
      { max_depth: 1, max_cost: 1, field_costs: { '1a': 5, é: 5, '': 5 } },
      ['.1a', '["é"]', '[""]'].map((name) => `.field_costs${name} graphql.field_cost`),
    ],
    [
      { max_depth: 1, max_cost: 1, field_costs: JSON.parse('{"__proto__": -7}') as object },
      ['.field_costs.__proto__ graphql.field_cost'],
    ],
    [
      { max_depth: 1, max_cost: 1, field_costs: JSON.parse('{"__proto__": "1"}') as object },
      ['.field_costs.__proto__ graphql.field_cost'],
    ],
    [
      {
        max_depth: 1,
        max_cost: 1,
        field_costs: Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`f${n}`, 1])),
      },
      ['.field_costs graphql.field_cost'],
    ],
  ])('reject %j', (block, problems) => expect(problemsOf(block)).toEqual(problems));

  it.each([
    [{ max_depth: 1, max_deepness: 2 }],
    [{ max_depth: 1.5 }],
    [{ max_depth: '1' }],
    [{ max_depth: 1, block_introspection: 'yes' }],
    [{ max_depth: 1, any_method: 'PUT' }],
    [{ max_depth: 1, paths: ['graphql'] }],
    [{ max_depth: 1, paths: '/graphql' }],
    [{ max_depth: 1, content_types: [''] }],
    [{ max_depth: 1, block_incremental: 1 }],
    [{ max_depth: 1, max_cost: 1.5 }],
    [{ max_depth: 1, max_cost: 1, field_costs: ['a'] }],
    [{ max_depth: 1, max_cost: 1, field_costs: { a: '5' } }],
    [{ max_depth: 1, max_cost: 1, field_costs: { a: 1.5 } }],
    [{ max_depth: 1, max_cost: 1, field_costs: null }],
    [['max_depth']],
  ])('reject the shape of %j', (block) => {
    const problems = problemsOf(block);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join()).not.toContain('graphql.no_limit');
  });

  it('require body inspection in the defaults', () => {
    expect(problemsOf({ max_depth: 1 }, {})).toContain(' body.not_inspected');
  });

  it('have a normal form', () => {
    expect(graphqlSpec.normalize({ max_depth: 5 }, NO_FILES)).toEqual({
      contentTypes: ['application/json', 'application/graphql'],
      paths: [],
      anyMethod: false,
      maxDepth: 5,
      maxAliases: 0,
      maxRootFields: 0,
      maxTotalFields: 0,
      maxOperations: 0,
      blockIntrospection: false,
      blockUpgrades: undefined,
      maxFragmentDepth: 32,
      maxComplexity: 100_000,
      maxDirectives: 0,
      maxArguments: 0,
      blockIncremental: false,
      maxCost: 0,
      fieldCosts: [],
      trustedDocuments: null,
    });
    expect(
      graphqlSpec.normalize(
        { max_cost: 9, field_costs: JSON.parse('{"b": 2, "__proto__": 3, "constructor": 4, "B": 0}') as object },
        NO_FILES,
      ),
    ).toMatchObject({
      maxCost: 9,
      fieldCosts: [
        ['B', 0],
        ['__proto__', 3],
        ['b', 2],
        ['constructor', 4],
      ],
    });
    const written = {
      content_types: ['Text/Plain'],
      paths: ['//x/../%67raphql'],
      max_fragment_depth: 0,
      max_complexity: 0,
    };
    const switches = { block_introspection: true, block_upgrades: true, any_method: true };
    expect(graphqlSpec.normalize({ ...written, ...switches }, NO_FILES)).toMatchObject({
      contentTypes: ['text/plain'],
      anyMethod: true,
      blockUpgrades: true,
      paths: ['/graphql'],
      maxFragmentDepth: 32,
      maxComplexity: 100_000,
    });
    expect(
      graphqlSpec.normalize({ content_types: [], max_complexity: 7, max_fragment_depth: 2 }, NO_FILES),
    ).toMatchObject({
      contentTypes: ['application/json', 'application/graphql'],
      maxComplexity: 7,
      maxFragmentDepth: 2,
    });
  });
});
