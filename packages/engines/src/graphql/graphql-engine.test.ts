import { ENGINE_REASONS } from '@flotilla/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetExceeded, UNLIMITED } from '../budget.ts';
import { createTestRequest } from '../testing.ts';
import { documentText } from './document/document-arbitrary.ts';
import { createGraphqlEngine, GRAPHQL_REASONS } from './graphql-engine.ts';
import { decideRequest, measureByReference, NO_LIMITS } from './testing.ts';

const DEEP = '{a{b{c}}}';
const json = (query: unknown) => JSON.stringify({ query });

describe('the limits of a policy', () => {
  const post = (options: Parameters<typeof decideRequest>[0], query: string) =>
    decideRequest(options, { body: json(query) });

  it.each<[string, Parameters<typeof decideRequest>[0], string, string]>([
    ['depth', { maxDepth: 2 }, '{a{b}}', '{a{b{c}}}'],
    ['aliases', { maxAliases: 1 }, '{a:b c:c}', '{a:b c:d}'],
    ['root_fields', { maxRootFields: 2 }, '{a ...{b{c}}}', '{a ...F} fragment F on T{b c}'],
    ['total_fields', { maxTotalFields: 3 }, '{a{b c}}', '{a{b ...F}} fragment F on T{c d}'],
    ['operations', { maxOperations: 1 }, 'query A{a}', 'query A{a} query B{b}'],
    ['introspection', { blockIntrospection: true }, '{__typename}', '{...F} fragment F on Query{x:__schema{y}}'],
    [
      'fragment_depth',
      { maxFragmentDepth: 1 },
      '{...A} fragment A on T{b}',
      '{...A} fragment A on T{...B} fragment B on T{c}',
    ],
    ['complexity', { maxComplexity: 3 }, '{a ...{b}}', '{a ...{b c}}'],
    ['directives', { maxDirectives: 2 }, '{a@b@c}', '{a@b ...F} fragment F on T@c{d@e}'],
    ['arguments', { maxArguments: 2 }, '{a(b:[1 2 3])@c(d:1)}', '{a(b:1) ...F} fragment F on T{c(d:1)@e(f:1)}'],
    ['incremental', { blockIncremental: true }, '{a@deferred} fragment F on T{a@stream}', '{...@defer{a}}'],
    ['cost', { maxCost: 3 }, '{a b{c}}', '{a b{c d}}'],
    ['cost', { maxCost: 10, fieldCosts: [['b', 9]] }, '{a x:b(b:1)@b ...b}', '{a x:b c}'],
    ['cost', { maxCost: 1, fieldCosts: [['a', 0]] }, '{a a a b}', '{a b c}'],
  ])('%s: the bound is let through, one more is not', (reason, options, atLimit, over) => {
    expect(post(options, atLimit)).toBe('allow');
    expect(post(options, over)).toBe(reason);
    expect(post({}, over)).toBe('allow');
  });

  it('apply to each operation of a document', () => {
    expect(post({ maxDepth: 2 }, 'query A{a} query B{a{b{c}}}')).toBe('depth');
    expect(post({ maxTotalFields: 2 }, 'query A{a b} query B{a b} query C{a b}')).toBe('allow');
  });

  it('are checked in a fixed order', () => {
    const all = {
      maxDepth: 1,
      maxAliases: 1,
      maxRootFields: 1,
      maxTotalFields: 1,
      maxOperations: 1,
      blockIntrospection: true,
    };
    const extras = { maxDirectives: 1, maxArguments: 1, blockIncremental: true, maxCost: 1 };
    const tight = { ...all, ...extras, maxFragmentDepth: 1, maxComplexity: 1 };
    const everything =
      'query A{a:b(c:1 d:2)@defer@e c:d{__schema} ...F} query B{a} fragment F on T{...G} fragment G on T{x}';
    expect(decideRequest(tight, { body: JSON.stringify([{ query: everything }, { query: '{' }]) })).toBe('batch');
    expect(decideRequest(tight, { body: json(`${everything} {`) })).toBe('parse_error');
    const steps: [string, Parameters<typeof decideRequest>[0]][] = [
      ['operations', { maxOperations: 0 }],
      ['complexity', { maxComplexity: 100 }],
      ['fragment_depth', { maxFragmentDepth: 10 }],
      ['root_fields', { maxRootFields: 0 }],
      ['depth', { maxDepth: 0 }],
      ['aliases', { maxAliases: 0 }],
      ['total_fields', { maxTotalFields: 0 }],
      ['introspection', { blockIntrospection: false }],
      ['directives', { maxDirectives: 0 }],
      ['arguments', { maxArguments: 0 }],
      ['incremental', { blockIncremental: false }],
      ['cost', { maxCost: 0 }],
    ];
    let options = tight;
    for (const [reason, lifted] of steps) {
      expect(post(options, everything)).toBe(reason);
      options = { ...options, ...lifted };
    }
    expect(post(options, everything)).toBe('allow');
  });

  it('treat a cycle of fragments as an infinite fragment depth without counts', () => {
    const cycle = '{...F} fragment F on T{a ...G} fragment G on T{b ...F}';
    expect(post({ maxFragmentDepth: Number.MAX_SAFE_INTEGER }, cycle)).toBe('fragment_depth');
    expect(post({ maxFragmentDepth: 1, maxComplexity: 1 }, cycle)).toBe('fragment_depth');
    expect(post({}, '{...__schema} fragment __schema on T{...__schema}')).toBe('fragment_depth');
  });

  it('stop doubling fragments by their complexity before they cost anything', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `fragment F${i} on T{...F${i + 1} ...F${i + 1}}`);
    expect(post({}, `{...F0} ${levels.join(' ')} fragment F30 on T{a}`)).toBe('complexity');
  });

  it('also stop costs that exceed exact numbers', () => {
    const levels = Array.from({ length: 34 }, (_, i) => `fragment F${i} on T{...F${i + 1} ...F${i + 1}}`);
    const query = `{...F0} ${levels.join(' ')} fragment F34 on T{a}`;
    const most = Number.MAX_SAFE_INTEGER;
    const options = { maxComplexity: most, maxFragmentDepth: 100, maxCost: most };
    expect(post({ ...options, fieldCosts: [['a', 1]] }, query)).toBe('allow');
    expect(post({ ...options, fieldCosts: [['a', 1_000_000]] }, query)).toBe('cost');
  });

  it('are independent of the limits of another policy', () => {
    const query = '{...F ...F} fragment F on T{a(b:1)@c}';
    for (let time = 0; time < 2; time++) {
      expect(post({ maxDirectives: 1 }, query)).toBe('directives');
      expect(post({ maxDepth: 5 }, query)).toBe('allow');
      expect(post({ maxDirectives: 2, maxArguments: 2, maxCost: 2 }, query)).toBe('allow');
      expect(post({ maxArguments: 1 }, query)).toBe('arguments');
    }
  });

  it.each([
    ['a fragment that nothing leads to', (n: number) => `{a} fragment F on T{a${'@b'.repeat(n)}}`],
    ['many of them', (n: number) => `{a}${Array.from({ length: n }, (_, f) => `fragment F${f} on T@b{a}`).join('')}`],
    ['a definition of a type', (n: number) => `{a} scalar A${'@b'.repeat(n)}`],
    ['fragments alone', (n: number) => `fragment F on T${'@b'.repeat(n)}{a}`],
    ['several operations', (n: number) => 'query Q@b@b{a}'.repeat(n >> 1) + 'query Q@b{a}'.repeat(n & 1)],
  ])('a document holds eight times the directives of an operation, also in %s', (_, write) => {
    expect(post({ maxDirectives: 2 }, write(16))).toBe('allow');
    expect(post({ maxDirectives: 2 }, write(17))).toBe('directives');
    expect(post({ maxArguments: 1 }, write(17))).toBe('allow');
  });

  it('reject 2,000 nested selection sets in 6 KB with a parse error', () => {
    expect(post({}, '{a'.repeat(2000) + '}'.repeat(2000))).toBe('parse_error');
  });

  it('reject more than 100,000 tokens with a parse error, also in 5 MB of commas', () => {
    expect(post({ maxComplexity: 1_000_000 }, `{${'a '.repeat(100_000)}}`)).toBe('parse_error');
    expect(post({}, ','.repeat(5_000_000))).toBe('parse_error');
  });

  it('allow thousands of directives at a cost proportional to their length', () => {
    expect(post({ maxDepth: 2 }, `{a${'@b(c:1)'.repeat(14_000)}}`)).toBe('allow');
    expect(post({ maxDepth: 2 }, `{a${'@b(c:1)'.repeat(17_000)}}`)).toBe('parse_error');
  });
});

describe('batches', () => {
  const batch = (options: Parameters<typeof decideRequest>[0], queries: readonly unknown[]) =>
    decideRequest(options, { body: JSON.stringify(queries.map((query) => ({ query }))) });

  it('may contain as many documents as a document may contain operations', () => {
    expect(batch({ maxOperations: 2 }, ['{a}', '{b}'])).toBe('allow');
    expect(batch({ maxOperations: 2 }, ['{a}', '{b}', '{c}'])).toBe('batch');
    expect(batch({ maxOperations: 0 }, Array(500).fill('{a}'))).toBe('allow');
  });

  it('may contain documents that each have as many operations', () => {
    expect(batch({ maxOperations: 2 }, ['query A{a} query B{b}', 'query A{a} query B{b}'])).toBe('allow');
    expect(batch({ maxOperations: 2 }, ['{a}', 'query A{a} query B{b} query C{c}'])).toBe('operations');
  });

  it('do not count items without a query', () => {
    expect(batch({ maxOperations: 1 }, ['', '{a}', ' \n', undefined, null, 7, '\u0020'])).toBe('allow');
    expect(batch({ maxOperations: 1 }, ['', '', ' '])).toBe('allow');
    expect(batch({ maxOperations: 1 }, ['', '{a}', ' \n', '{b}'])).toBe('batch');
  });

  it('count several queries of one object as one item', () => {
    const item = '{"query":"{a}","x":[{}],"QUERY":"{b}","y":{"z":{}},"query":"{c}"}';
    expect(decideRequest({ maxOperations: 1 }, { body: item })).toBe('allow');
    expect(decideRequest({ maxOperations: 1 }, { body: `[${item}]` })).toBe('allow');
    expect(decideRequest({ maxOperations: 1 }, { body: `[${item},${item}]` })).toBe('batch');
    expect(decideRequest({ maxOperations: 2 }, { body: `[${item},${item}][${item}]${item}` })).toBe('allow');
  });

  it('may be an object that is a list to PHP', () => {
    const item = '{"query":"{a}"}';
    expect(decideRequest({ maxOperations: 1 }, { body: `{"0":${item},"1":${item}}` })).toBe('batch');
    expect(decideRequest({ maxOperations: 2 }, { body: `{"0":${item},"1":${item}}` })).toBe('allow');
    expect(decideRequest({ maxOperations: 1 }, { body: `{"a":${item},"b":${item}}` })).toBe('allow');
  });

  it('may be the list that Rails finds under `_json`', () => {
    const item = '{"query":"{a}"}';
    const body = `{"_json":[${item},${item}]}`;
    expect(decideRequest({ maxOperations: 1 }, { body })).toBe('batch');
    expect(decideRequest({ maxOperations: 2 }, { body })).toBe('allow');
    expect(decideRequest({ maxOperations: 1 }, { body: `{"_json":[${item}],"a":[${item}]}` })).toBe('allow');
  });

  it('of a megabyte are inspected up to their last item', () => {
    const items = Array(60_000).fill('{a}');
    expect(batch({}, items)).toBe('allow');
    expect(batch({ maxDepth: 2 }, [...items, DEEP])).toBe('depth');
    expect(batch({ maxOperations: 10 }, items)).toBe('batch');
  });

  it('may cost at most eight times as much as one operation', () => {
    const ten = `{${'a '.repeat(10)}}`;
    expect(batch({ maxComplexity: 10 }, Array(8).fill(ten))).toBe('allow');
    expect(batch({ maxComplexity: 10 }, [...Array(8).fill(ten), '{a}'])).toBe('complexity');
    const operations = Array.from({ length: 9 }, (_, i) => `query Q${i}${ten}`);
    expect(decideRequest({ maxComplexity: 10 }, { body: json(operations.slice(1).join(' ')) })).toBe('allow');
    expect(decideRequest({ maxComplexity: 10 }, { body: json(operations.join(' ')) })).toBe('complexity');
    const target = `/graphql?query=${ten}`;
    expect(decideRequest({ maxComplexity: 10 }, { target, body: json(operations.slice(2).join(' ')) })).toBe('allow');
    expect(decideRequest({ maxComplexity: 10 }, { target, body: json(operations.slice(1).join(' ')) })).toBe(
      'complexity',
    );
  });

  it('may cost at most eight times as much as the fields of one operation', () => {
    const options = { maxCost: 10, fieldCosts: [['b', 10]] as const };
    expect(batch(options, Array(8).fill('{b}'))).toBe('allow');
    expect(batch(options, [...Array(8).fill('{b}'), '{a}'])).toBe('cost');
    expect(batch(options, Array(10_000).fill('{a}'))).toBe('cost');
    expect(batch({ maxCost: Number.MAX_SAFE_INTEGER }, Array(10_000).fill('{a}'))).toBe('allow');
    const target = '/graphql?query={b}';
    expect(decideRequest(options, { target, body: json('query A{b}'.repeat(7)) })).toBe('allow');
    expect(decideRequest(options, { target, body: json('query A{b}'.repeat(8)) })).toBe('cost');
  });

  it('are not read after the document that exceeds a limit, and not at all if there are too many', () => {
    const engine = createGraphqlEngine({ ...NO_LIMITS, maxDepth: 2, maxOperations: 5000 });
    const view = { ...createTestRequest({ headers: [['content-type', 'application/json']] }), method: 'POST' };
    const work = (queries: readonly string[]) => {
      let checks = 0;
      const body = Buffer.from(JSON.stringify(queries.map((query) => ({ query }))));
      const verdict = engine.body?.decide(view, body, { check: () => void checks++ });
      return { checks, reason: verdict?.kind === 'block' ? verdict.reason : 'allow' };
    };
    // A document with this many tokens checks the budget nine times while it is read.
    const long = `{${'a '.repeat(10_000)}}`;
    const few = Array<string>(20).fill(long);
    const all = work([...few, DEEP]);
    const first = work([DEEP, ...few]);
    expect([all.reason, first.reason]).toEqual(['graphql.depth', 'graphql.depth']);
    // The JSON scanner keeps its counter between requests, so it may check once more or less.
    expect(all.checks - first.checks).toBeGreaterThanOrEqual(20 * 9 - 1);
    const tooMany = work([...Array<string>(4981).fill('{a}'), ...few]);
    expect(tooMany.reason).toBe('graphql.batch');
    expect(tooMany.checks).toBeLessThan(all.checks);
  });

  it('are forgotten after the request', () => {
    const engine = createGraphqlEngine({ ...NO_LIMITS, maxComplexity: 10 });
    const view = { ...createTestRequest({ headers: [['content-type', 'application/json']] }), method: 'POST' };
    const body = Buffer.from(JSON.stringify(Array(8).fill({ query: `{${'a '.repeat(10)}}` })));
    for (let i = 0; i < 3; i++) expect(engine.body?.decide(view, body, UNLIMITED)).toEqual({ kind: 'allow' });
  });
});

describe('documents that are request bodies', () => {
  const types = ['application/graphql; charset=utf-16'];

  it('are decoded according to the charset, the byte order mark or the zeros', () => {
    for (const text of [DEEP, `\ufeff${DEEP}`, `# é\n${DEEP}`]) {
      expect(decideRequest({ maxDepth: 2 }, { types, body: Buffer.from(text, 'utf16le') })).toBe('depth');
      const swapped = Buffer.from(text, 'utf16le').swap16();
      expect(decideRequest({ maxDepth: 2 }, { types: ['application/graphql'], body: swapped })).toBe('depth');
    }
    expect(decideRequest({ maxDepth: 2 }, { types, body: Buffer.from('{a{b}}', 'utf16le') })).toBe('allow');
  });

  it('are rejected if no decoding yields a document', () => {
    expect(decideRequest({}, { types, body: Buffer.from('{a', 'utf16le') })).toBe('parse_error');
    expect(decideRequest({}, { types: ['application/graphql'], body: 'no' })).toBe('parse_error');
  });

  it('pass if they are blank', () => {
    expect(decideRequest({}, { types: ['application/graphql'], body: ' \r\n' })).toBe('allow');
    expect(decideRequest({}, { types: ['application/graphql'], body: '' })).toBe('allow');
  });
});

it('every block is medium and 403, and has a reason from the list', () => {
  expect(GRAPHQL_REASONS.map(({ reason }) => reason).toSorted()).toEqual([...ENGINE_REASONS.graphql].toSorted());
  for (const verdict of GRAPHQL_REASONS) expect(verdict).toMatchObject({ severity: 'medium', status: 403 });
});

it('the budget ends any phase of the work', () => {
  const contentTypes = ['application/json', 'application/x-www-form-urlencoded'];
  const engine = createGraphqlEngine({ ...NO_LIMITS, contentTypes, maxComplexity: Number.MAX_SAFE_INTEGER });
  const viewOf = (type: string) => ({ ...createTestRequest({ headers: [['content-type', type]] }), method: 'POST' });
  const view = viewOf('application/json');
  const form = viewOf('application/x-www-form-urlencoded');
  const fragments = Array.from({ length: 9000 }, (_, i) => `fragment F${i} on T{...F${i + 1} a}`).join(' ');
  const bodies: [body: string, request?: typeof view][] = [
    [`[${'[1],'.repeat(20_000)}1]`],
    [`[${'/**/,'.repeat(20_000)}1]`],
    [JSON.stringify(Array(5000).fill({ query: '{a}' }))],
    [json(`{...F0} ${fragments}`)],
    [json('{a}'.padEnd(50_000))],
    [`{"a":"${'x'.repeat(50_000)}"}`],
    ['q&'.repeat(20_000), form],
    [`a=1${'&;'.repeat(20_000)}q`, form],
  ];
  for (const [body, request = view] of bodies) {
    let asked = 0;
    const ask = (limit: number) => {
      asked = 0;
      const check = () => {
        if (++asked > limit) throw new BudgetExceeded();
      };
      return engine.body?.decide(request, Buffer.from(body), { check });
    };
    ask(Number.POSITIVE_INFINITY);
    const all = asked;
    expect(all).toBeGreaterThan(5);
    for (let limit = 0; limit < all; limit += 1 + (limit >> 1)) expect(() => ask(limit)).toThrow(BudgetExceeded);
    // An aborted walk leaves nothing behind.
    expect(engine.body?.decide(view, Buffer.from(json('{a}')), UNLIMITED)).toEqual({ kind: 'allow' });
  }
});

it('a document has the counts of the reference implementation', () => {
  fc.assert(
    fc.property(documentText, fc.nat({ max: 6 }), (text, limit) => {
      const counts = measureByReference(text);
      const verdict = decideRequest({ maxTotalFields: limit + 1, maxFragmentDepth: 100 }, { body: json(text) });
      if (counts === undefined) expect(verdict).toBe('parse_error');
      else if (counts.includes('cycle')) expect(['fragment_depth', 'total_fields']).toContain(verdict);
      else {
        const isOver = counts.some((each) => each !== 'cycle' && each.fields > limit + 1);
        expect(verdict).toBe(isOver ? 'total_fields' : 'allow');
      }
    }),
    { numRuns: 1000 },
  );
});
