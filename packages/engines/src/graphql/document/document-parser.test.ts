import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetExceeded, UNLIMITED } from '../../budget.ts';
import { measureByReference, measureDocument } from '../testing.ts';
import { documentText, mutatedDocument } from './document-arbitrary.ts';
import { DocumentParser, NESTING_MAX } from './document-parser.ts';
import { DocumentSource } from './document-source.ts';
import { Outline } from './outline.ts';
import { TOKENS_MAX } from './tokenizer.ts';

describe('a document over a bound', () => {
  /** Number of tokens that were read. */
  const readOf = (text: string) => {
    const source = new DocumentSource();
    source.setBytes(Buffer.from(text));
    const parser = new DocumentParser();
    expect(parser.parse(source, new Outline(), UNLIMITED)).toBe(false);
    return parser.tokens.count;
  };
  const tail = 'a '.repeat(50_000);

  it('is not read after its first error', () => {
    expect(readOf(`{a)${tail}}`)).toBe(3);
    expect(readOf(`{a(b:"\n")${tail}}`)).toBeLessThanOrEqual(6);
    expect(readOf(`{a}\0${tail}`)).toBeLessThanOrEqual(4);
  });

  it('is not read after the bracket or token that exceeds the bound', () => {
    expect(readOf(`${'{a'.repeat(NESTING_MAX + 1)}${tail}`)).toBeLessThanOrEqual(2 * NESTING_MAX + 1);
    expect(readOf(`{${'a '.repeat(300_000)}}`)).toBe(TOKENS_MAX + 1);
  });
});

describe('against graphql-js', { timeout: 120_000 }, () => {
  it('generated documents are accepted or rejected alike, with the same counts', () => {
    let accepted = 0;
    fc.assert(
      fc.property(documentText, (text) => {
        const expected = measureByReference(text);
        if (expected !== undefined) accepted++;
        expect(measureDocument(text)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(1000);
  });

  it('mutated documents are accepted or rejected alike, with the same counts', () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(mutatedDocument, (bytes) => {
        const expected = measureByReference(bytes);
        if (expected === undefined) refused++;
        else accepted++;
        expect(measureDocument(bytes)).toEqual(expected);
      }),
      { numRuns: 4000 },
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(150);
  });

  it('any bytes are accepted or rejected alike', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      'a',
      '"',
      '"""',
      '\\',
      '\\u',
      '...',
      'on',
      '#',
      '\n',
      '(',
      ')',
      ':',
      '0',
      '.',
      '-',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 12 }).map((list) => list.join('')),
        ),
        (text) => {
          for (const each of [text, `{a(b:${text})}`, `{a(b:"${text}")}`, `{a(b:"""${text}""")}`, `{a}${text}`]) {
            expect(measureDocument(each)).toEqual(measureByReference(each));
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    '',
    ' ',
    ',',
    '\ufeff{a}',
    '{\ufeffa\ufeff}',
    '{a}\ufeff',
    '\ufeff',
    '{}',
    '{a{}}',
    '{a()}',
    'query($a:Int=$b){a}',
    'query(){a}',
    '{a(b:$c)}',
    'query @a(b:$c) {a}',
    '{a @b(c:[$d])}',
    '{...}',
    '{...on}',
    '{...on{a}}',
    '{... on on {a}}',
    '{...onA}',
    '{... @a {b}}',
    'fragment on on on {a}',
    'fragment a on b {c}',
    'fragment a($b:Int) on c {d}',
    '{...a(b:1)}',
    '"x" {a}',
    '"x" query {a}',
    '"x" fragment a on b {c}',
    '"x" extend type A {a:B}',
    '"x" "y" query {a}',
    '"""x""" type A',
    'query("x" $a:Int){a}',
    '{a:b:c}',
    '{a: :c}',
    '{1}',
    '{a(b:1c)}',
    '{a(b:01)}',
    '{a(b:-)}',
    '{a(b:1.)}',
    '{a(b:1.e3)}',
    '{a(b:1.5.5)}',
    '{a(b:1...c)}',
    '{a(b:+1)}',
    '{a(b:.5)}',
    '{a(b:0x1)}',
    '{a(b:1e)}',
    '{a(b:"\\u12")}',
    '{a(b:"\\u{}")}',
    '{a(b:"\\u{0}")}',
    '{a(b:"\\u{10FFFF}")}',
    '{a(b:"\\u{110000}")}',
    '{a(b:"\\u{0000000041}")}',
    '{a(b:"\\u{00000041}")}',
    '{a(b:"\\u{FFFFFFFF}")}',
    '{a(b:"\\u{D800}")}',
    '{a(b:"\\uD83D\\uDE00")}',
    '{a(b:"\\uD83D")}',
    '{a(b:"\\uDE00")}',
    '{a(b:"\\uDE00\\uDE00")}',
    '{a(b:"\\uD83D\\uD83D")}',
    '{a(b:"\\uD83D\\u{DE00}")}',
    '{a(b:"\\uD83D\\n")}',
    '{a(b:"\\x41")}',
    '{a(b:"\\\'")}',
    '{a(b:"x\ny")}',
    '{a(b:"x\ry")}',
    '{a(b:"x\u2028y")}',
    '{a(b:"x\0y")}',
    '{a(b:"""x\0y\n""")}',
    '{a(b:"""\\"""")}',
    '{a(b:"""\\""""""")}',
    '{a(b:"""""""")}',
    '{a(b:"",c:"")}',
    '{a}#',
    '{a}#\0x\n{b}',
    '#x\r{a}',
    '{a}\0',
    '\0{a}',
    '{a}\u00a0',
    '{a\u00a0b}',
    '{é}',
    "{a(b:'c')}",
    '{a..b}',
    '{a(b:{c:1,d:[]})}',
    '{a(b:{c})}',
    '{a(b:[}])}',
    'query($a:[[A!]]!){b}',
    'query($a:[A){b}',
    'query($a:A!!){b}',
    'enum A {true}',
    'enum A {a null}',
    'schema {query:A}',
    'schema {a:B}',
    'schema',
    'extend schema',
    'extend schema @a',
    'extend scalar A',
    'extend type A',
    'extend type A implements B',
    'extend union A',
    'extend union A = | B | C',
    'union A = | B |',
    'extend enum A {}',
    'extend input A {a:B=1}',
    'extend directive @a @b',
    'extend directive @a',
    'extend query {a}',
    'type A implements & B & C {a(b:C=1 @d):[E!]! @f}',
    'type A {}',
    'type A implements',
    'interface A implements B',
    'directive @a(b:C) repeatable on FIELD | QUERY',
    'directive @a on toString',
    'directive @a on | FIELD',
    'directive @a repeatable',
    'directive @a @b on FIELD',
    'Query {a}',
    'queryA {b}',
    'query query {query}',
    'query query query {a}',
    'subscription {a} mutation {b}',
    '{a} {b}',
    '{a}}',
    '{{a}}',
  ])('the document %j is judged alike', (text) => expect(measureDocument(text)).toEqual(measureByReference(text)));

  it.each([
    ['bytes that are no UTF-8 in a string', Buffer.from('{a(b:"\xff\xc3\xed\xa0\x80")}', 'latin1')],
    ['bytes that are no UTF-8 in a comment', Buffer.from('{a}#\xff\xfe', 'latin1')],
    ['bytes that are no UTF-8 in a name', Buffer.from('{a\xff}', 'latin1')],
    ['half a byte order mark', Buffer.from('\xef\xbb{a}', 'latin1')],
  ])('%s are judged alike', (_, bytes) => expect(measureDocument(bytes)).toEqual(measureByReference(bytes)));

  it('100,000 tokens are accepted and one more is rejected', () => {
    for (const count of [99_998, 99_999]) {
      const text = `{${'a '.repeat(count)}}`;
      const expected = measureByReference(text);
      expect(measureDocument(text)).toEqual(expected);
      expect(expected === undefined).toBe(count === 99_999);
    }
  });

  it('comments, commas and byte order marks are not tokens', () => {
    const text = `{a ${'#x\n,\ufeff'.repeat(100_000)}}`;
    expect(measureDocument(text)).toEqual(measureByReference('{a}'));
  });

  it.each([
    ['selection sets', (n: number) => `${'{a'.repeat(n)}${'}'.repeat(n)}`],
    ['inline fragments', (n: number) => `${'{...'.repeat(n - 1)}{a}${'}'.repeat(n - 1)}`],
    ['lists', (n: number) => `{a(b:${'['.repeat(n - 1)}${']'.repeat(n - 1)})}`],
    ['objects', (n: number) => `{a(b:${'{c:'.repeat(n - 1)}1${'}'.repeat(n - 1)})}`],
    ['types', (n: number) => `query($a:${'['.repeat(n)}A${']'.repeat(n)}){a}`],
  ])('%s nest as deep as the bound and no deeper', (_, build) => {
    expect(measureDocument(build(NESTING_MAX))).toEqual(measureByReference(build(NESTING_MAX)));
    expect(measureDocument(build(NESTING_MAX))).toHaveLength(1);
    expect(measureDocument(build(NESTING_MAX + 1))).toBeUndefined();
  });
});

describe('nothing overflows', () => {
  it.each([
    ['2,000 selection sets in 6 KB', '{a'.repeat(2000) + '}'.repeat(2000)],
    ['a million open braces', '{a'.repeat(500_000)],
    ['a million open lists', `{a(b:${'['.repeat(1_000_000)}`],
    ['a million open types', `query($a:${'['.repeat(1_000_000)}`],
    ['5 MB of commas', ','.repeat(5_000_000)],
    ['a name of a megabyte with nothing behind it', `{${'a'.repeat(1_000_000)}`],
    ['a string that does not end', `{a(b:"${'\\n'.repeat(500_000)}`],
    ['a block string that does not end', `{a(b:"""${'""\\'.repeat(300_000)}`],
  ])('%s is not a document', (_, text) => expect(measureDocument(text)).toBeUndefined());

  it('thousands of directives are ordinary tokens', () => {
    const text = `{a${'@a'.repeat(40_000)}}`;
    expect(measureDocument(text)).toEqual(measureByReference(text));
  });
});

it('the budget ends a walk through runs without tokens', () => {
  const documents = [
    ','.repeat(100_000),
    `#${'x'.repeat(100_000)}`,
    `{${'a'.repeat(100_000)}}`,
    `{a(b:"${'x'.repeat(100_000)}")}`,
    `{a(b:"${'\\n'.repeat(100_000)}")}`,
    `{a(b:"""${'"\\'.repeat(100_000)}""")}`,
    `{a(b:${'1'.repeat(100_000)})}`,
    `{${'a '.repeat(50_000)}}`,
  ];
  for (const document of documents) {
    const source = new DocumentSource();
    source.setBytes(Buffer.from(document));
    let asked = 0;
    const parse = (limit: number) => {
      asked = 0;
      const check = () => {
        if (++asked > limit) throw new BudgetExceeded();
      };
      return new DocumentParser().parse(source, new Outline(), { check });
    };
    expect(() => parse(3)).toThrow(BudgetExceeded);
    parse(Number.POSITIVE_INFINITY);
    expect(asked).toBeGreaterThan(15);
  }
});
