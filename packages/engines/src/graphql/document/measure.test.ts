import { describe, expect, it } from 'vitest';
import { measureByReference, measureDocument } from '../testing.ts';

/** The counts of the single operation, to compare some of them. */
function countsOf(document: string): unknown {
  const counts = measureDocument(document);
  expect(counts).toHaveLength(1);
  return counts?.[0];
}

describe('the counting rules', () => {
  it.each<[string, string, object | 'cycle']>([
    ['the operation itself is the first level', '{a}', { depth: 1, fields: 1, rootFields: 1, complexity: 1 }],
    ['a field with a selection set goes one deeper', '{a{b{c}}}', { depth: 3, fields: 3, rootFields: 1 }],
    ['an empty selection set is a level too', '{a{}}', { depth: 2, fields: 1 }],
    ['inline fragments add no depth', '{...{...on T{a{b}}}}', { depth: 2, rootFields: 1, complexity: 4 }],
    ['spreads add no depth', '{...F} fragment F on T{a{b}}', { depth: 2, rootFields: 1, complexity: 3 }],
    ['what a spread holds is as deep as it stands', '{a{b{...F}}} fragment F on T{c{d}}', { depth: 4 }],
    [
      'root fields are counted through fragments',
      '{a ...F ...{b}} fragment F on T{c d{e}}',
      { rootFields: 4, fields: 5 },
    ],
    [
      'a fragment counts wherever it is spread',
      '{...F ...F x{...F}} fragment F on T{a b}',
      { fields: 7, rootFields: 5 },
    ],
    ['every field, inline fragment and spread is a visit', '{a ...F ...{b}} fragment F on T{c}', { complexity: 5 }],
    ['an alias counts', '{a:b c:b}', { aliases: 2 }],
    ['an alias that repeats the name does not', '{a:a}', { aliases: 0 }],
    ['aliases are counted through fragments', '{...F ...F} fragment F on T{a:b}', { aliases: 2 }],
    [
      'arguments, variables and directives are no selections',
      'query($v:Int=1 @d){a(b:{c:[1]}) @d(e:{f:1})}',
      { fields: 1, depth: 1, complexity: 1 },
    ],
    [
      'directives are counted wherever they stand',
      'query($v:Int@a$w:Int@b@c)@d{x@e ...@f{y}...F@g} fragment F on T@h{z@i}',
      { directives: 9 },
    ],
    ['directives are counted through fragments', '{...F ...F} fragment F on T@a{b@c}', { directives: 4 }],
    ['directives of what nothing leads to are not', '{a} fragment F on T@a{b@c}', { directives: 0, arguments: 0 }],
    ['nor are those of definitions of types', '{a} type T@a(b:1){c(d:Int=1@e):Int@f}', { directives: 0, arguments: 0 }],
    [
      'arguments of fields and of directives count, whatever is in them',
      'query($v:[Int]=[1 2]@d(a:1)){x(a:[1 2 3]b:{c:1 d:2})@e(f:1 g:$v)...F} fragment F on T@h(i:1){y(j:1)}',
      { arguments: 7, directives: 3 },
    ],
    ['arguments are counted through fragments', '{...F ...F} fragment F on T{a(b:1 c:2)@d(e:3)}', { arguments: 6 }],
    [
      'of a name defined twice the most of each counts',
      '{...F} fragment F on T{a@d@d} fragment F on T{a(b:1)}',
      { directives: 2, arguments: 1 },
    ],
    ['a field costs what its name says, not its alias', '{b x:b b:a}', { cost: 14 }],
    ['a field of another name costs 1', '{c d:e __typename}', { cost: 3 }],
    ['names that every object has are names like others', '{constructor __proto__ toString}', { cost: 1_000_012 }],
    ['letter case matters', '{B X1 Constructor}', { cost: 3 }],
    ['spreads, inline fragments and directives cost nothing', '{...F ...@b{a}} fragment F on T{a(b:1)}', { cost: 0 }],
    ['costs are summed up through fragments', '{...F x{...F}} fragment F on T{b{x1}}', { cost: 2_000_015 }],
    ['an undefined fragment is a visit and holds nothing', '{...Nope}', { complexity: 1, fields: 0, fragmentDepth: 1 }],
    [
      'spreads within spreads are counted',
      '{...A ...C} fragment A on T{...B} fragment B on T{...C} fragment C on T{a}',
      { fragmentDepth: 3 },
    ],
    ['a document without fragments has no such depth', '{...{a}}', { fragmentDepth: 0 }],
    [
      'a fragment that nothing leads to counts nothing',
      '{a} fragment F on T{b{c{__schema}}}',
      { fields: 1, depth: 1, isIntrospective: false },
    ],
    ['nor does a cycle that nothing leads to', '{a} fragment F on T{...G} fragment G on T{...F}', { fields: 1 }],
    ['a fragment that spreads itself', '{...F} fragment F on T{...F}', 'cycle'],
    ['a cycle of two', '{...F} fragment F on T{...G} fragment G on T{...F}', 'cycle'],
    [
      'a cycle behind others',
      '{a{...E}} fragment E on T{x ...F} fragment F on T{...G} fragment G on T{b{...F}}',
      'cycle',
    ],
    ['a cycle in the second definition of a name', '{...F} fragment F on T{a} fragment F on T{...F}', 'cycle'],
    ['a fragment called __schema', '{...__schema} fragment __schema on T{a}', { isIntrospective: false, fields: 1 }],
    ['which spreads itself', '{...__schema} fragment __schema on T{...__schema}', 'cycle'],
    [
      'of a name defined twice the larger counts',
      '{...F} fragment F on T{a b c} fragment F on T{d{e}}',
      { fields: 3, depth: 2, rootFields: 3 },
    ],
    [
      'of a name defined three times too',
      '{...F} fragment F on T{a} fragment F on T{a b c d} fragment F on T{a b}',
      { fields: 4 },
    ],
  ])('%s: %s', (_, document, expected) => {
    const counts = countsOf(document);
    if (expected === 'cycle') expect(counts).toBe('cycle');
    else expect(counts).toMatchObject(expected);
    expect([counts]).toEqual(measureByReference(document));
  });

  it.each([
    ['{__schema{types{name}}}', true],
    ['{__type(name:"A"){name}}', true],
    ['{a{b{c{__schema}}}}', true],
    ['{...F} fragment F on Query{...{__type}}', true],
    ['{x:__schema{y}}', true],
    ['mutation{__schema:__type}', true],
    ['{__typename}', false],
    ['{__schema:name}', false],
    ['{__Schema __TYPE _schema __types __schem}', false],
    ['query __schema($__type:Int){a(__schema:1) @__type}', false],
  ])('introspection in %s: %s', (document, expected) => {
    expect(countsOf(document)).toMatchObject({ isIntrospective: expected });
  });

  it.each([
    ['{...@defer{a}}', true],
    ['{...F@defer(label:"x")} fragment F on T{a}', true],
    ['{a@stream(initialCount:0)}', true],
    ['{...F} fragment F on T{b{...@defer{a}}}', true],
    ['{a@d(e:1)@stream}', true],
    ['{a} fragment F on T{...@defer{a}}', false],
    ['{a@Defer@streams@defe@strea@defer_}', false],
    ['query defer($stream:Int){defer:stream(defer:1)@d(stream:"@defer")...defer} fragment defer on stream{a}', false],
    ['{a} directive @defer on FIELD', false],
  ])('an answer in parts in %s: %s', (document, expected) => {
    const counts = countsOf(document);
    expect(counts).toMatchObject({ isIncremental: expected });
    expect([counts]).toEqual(measureByReference(document));
  });

  it('each operation has its own counts, even if names are the same', () => {
    const document = 'query A{a ...F} query A{b{c}} mutation{d:e} fragment F on T{f g}';
    const counts = measureDocument(document);
    expect(counts?.map((each) => each !== 'cycle' && each.fields)).toEqual([3, 2, 1]);
    expect(counts).toEqual(measureByReference(document));
  });

  it('a document without operations has no counts', () => {
    expect(measureDocument('fragment F on T{a} type T{a:Int}')).toEqual([]);
  });
});

describe('expansion', () => {
  const doubling = (levels: number) =>
    `{...F0} ${Array.from({ length: levels }, (_, i) => `fragment F${i} on T{...F${i + 1} ...F${i + 1}}`).join(' ')} fragment F${levels} on T{a}`;

  it('is exact if it is small', () => {
    expect(measureDocument(doubling(10))).toEqual(measureByReference(doubling(10)));
  });

  it('of 30 doublings is counted without being carried out', () => {
    expect(countsOf(doubling(30))).toMatchObject({ fields: 2 ** 30, complexity: 3 * 2 ** 30 - 1, fragmentDepth: 31 });
  });

  it('of thousands of doublings stays at the maximum count', () => {
    expect(countsOf(doubling(5000))).toMatchObject({ fields: 2 ** 53, complexity: 2 ** 53, fragmentDepth: 5001 });
  });

  it('of thousands of doublings stays there for every count', () => {
    const levels = Array.from({ length: 2000 }, (_, i) => `fragment F${i} on T@d(a:1){...F${i + 1} ...F${i + 1}}`);
    expect(countsOf(`{...F0} ${levels.join(' ')} fragment F2000 on T{x1}`)).toMatchObject({
      directives: 2 ** 53,
      arguments: 2 ** 53,
      cost: 2 ** 53,
    });
  });

  it('adds costs above 32 bits', () => {
    expect(countsOf(`{${'x1 '.repeat(90_000)}b}`)).toMatchObject({ cost: 90_000_000_007 });
    expect(countsOf(`{${'...F '.repeat(1000)}} fragment F on T{${'x1 '.repeat(40_000)}b}`)).toMatchObject({
      cost: 40_000_000_007_000,
    });
  });

  it('does not depend on the order of fragments or on the length of their chain', () => {
    const chain = Array.from({ length: 8000 }, (_, i) => `fragment F${i} on T{a ...F${i + 1}}`);
    const expected = { fields: 8000, fragmentDepth: 8001, depth: 1 };
    expect(countsOf(`{...F0} ${chain.join(' ')}`)).toMatchObject(expected);
    expect(countsOf(`${chain.toReversed().join(' ')} {...F0}`)).toMatchObject(expected);
  });

  it('of thousands of definitions with one name that spread each other is a cycle', () => {
    expect(countsOf(`{${'...A '.repeat(9000)}} ${'fragment A on T{...A} '.repeat(9000)}`)).toBe('cycle');
  });

  it('counts the arguments of a name for all its spreads', () => {
    const spreads = '...A '.repeat(10_000);
    expect(
      countsOf(`{${spreads}} fragment A on T{${spreads.replaceAll('A', 'B')}} fragment B on T{a:b}`),
    ).toMatchObject({
      aliases: 100_000_000,
      complexity: 10_000 + 10_000 * 10_000 * 2,
    });
  });

  it('is not affected by a previous document', () => {
    measureDocument(doubling(3000));
    expect(countsOf('{...F0} fragment F0 on T{a}')).toMatchObject({ complexity: 2, fragmentDepth: 1 });
    expect(measureDocument('{...F} fragment F on T{...F}')).toEqual(['cycle']);
    expect(countsOf('{...F} fragment F on T{b}')).toMatchObject({ complexity: 2 });
  });
});
