import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentText, mutatedDocument } from './document/document-arbitrary.ts';
import { decideRequest } from './testing.ts';

const DEEP = '{a{b{c}}}';
const json = (query: unknown) => JSON.stringify({ query });

describe('queries in a URL', () => {
  const get = (query: string) => decideRequest({ maxDepth: 2 }, { method: 'GET', target: `/graphql?${query}` });

  it.each([
    [`query=${encodeURIComponent(DEEP)}`, 'depth'],
    ['query={a%7bb{c}}}', 'depth'],
    ['%71uery={a{b{c}}}', 'depth'],
    ['QUERY={a{b{c}}}', 'depth'],
    ['+query={a{b{c}}}', 'depth'],
    ['%20%51UERY={a{b{c}}}', 'depth'],
    ['query={a}&query={a{b{c}}}', 'depth'],
    ['query={a{b{c}}}&query={a}', 'depth'],
    ['query=&query={a{b{c}}}', 'depth'],
    ['%zz=%&%&=&query={a{b{c}}}', 'depth'],
    ['a=1;query={a{b{c}}}', 'depth'],
    ['query={a}%23;query={a{b{c}}}', 'depth'],
    ['a;b;query={a{b{c}}};c', 'depth'],
    ['query={a(b:"c;d;e")}', 'allow'],
    ['query={a%23;%0A}', 'allow'],
    ['query={a(b:"c;d"){b{c}}}', 'depth'],
    ['query={a(b:"c;query={a{b{c}}}%23")}', 'depth'],
    ['query={a(b:"c;d&query={a(b:"c', 'parse_error'],
    ['query={a(b:"c;d")}&query={a(b:"c', 'parse_error'],
    ['query={a+{+b%0a{c}}}', 'depth'],
    ['query=%EF%BB%BF{a{b{c}}}', 'depth'],
    ['query=%23%FF%FE%0A{a{b{c}}}', 'depth'],
    ['query=query{a...F}&query=fragment+F+on+T{b{c{d}}}', 'depth'],
    ['query={a%23%u000a{b{c}}%0a}', 'depth'],
    ['query={a%23%U000A{b{c}}%0a}', 'depth'],
    ['%u0071uery={a{b{c}}}', 'depth'],
    ['query%00={a{b{c}}}', 'depth'],
    ['query%00x={a{b{c}}}', 'depth'],
    ['[query]={a{b{c}}}', 'depth'],
    ['%5Bquery%5d={a{b{c}}}', 'depth'],
    ['[query]x={a}%23]={a{b{c}}}', 'depth'],
    ['[query]x=%7Ba%7D%23%5d={a{b{c}}}', 'depth'],
    ['[query]x={a}%23%5d={a}%23]={a{b{c}}}', 'depth'],
    ['a=1&[query]={a}', 'allow'],
    ['a[b]=[query]={a{b{c}}}', 'allow'],
    ['[query]x={a{b{c}}}', 'depth'],
    ['query]={a{b{c}}}', 'depth'],
    ['[[query]]%00[={a{b{c}}}', 'depth'],
    ['[%20query={a{b{c}}}', 'depth'],
    ['query={a}&[query]={a{b{c}}}', 'depth'],
    ['_json[][query]={a{b{c}}}', 'depth'],
    ['_json%5B%5D%5Bquery%5D={a}&_json[][query]={a{b{c}}}', 'depth'],
    ['_json[]query={a{b{c}}}', 'depth'],
    ['_json[][][query]={a{b{c}}}', 'depth'],
    ['_json[a]%0A[]query%0Ax={a{b{c}}}', 'depth'],
    ['_jsonquery={a{b{c}}}&_json[]queryx={a{b{c}}}', 'allow'],
    ['query={a...F}%23&gt;%0Afragment+F+on+T{b{c{d}}}', 'depth'],
    ['a=&frac12;&query={a...F}%23&thetasym;&amp;&lt;%0A&query={a...F}%23&Eacute;%0Afragment+F+on+T{b{c{d}}}', 'depth'],
    ['query={a...F}%23&gt;%0Afragment+F+on+T{b(s:"&quot;){b{c}}%23"){e}%0A}', 'depth'],
    ['query={a}&quot;&quot;', 'parse_error'],
    ['query={a}&copy;=1', 'allow'],
    ['query={a}&lang;en&page=1', 'allow'],
    ['a=1&amp;query={a{b{c}}}', 'depth'],
    ['query={a}&amp;a=1&amp;gt;', 'allow'],
    ['query.x={a{b{c}}}', 'depth'],
    ['query[0]={a{b{c}}}', 'depth'],
    ['query%2Ex={a{b{c}}}', 'depth'],
    ['query%5b]={a{b{c}}}', 'depth'],
    ['.query={a{b{c}}}', 'depth'],
    ['%2equery.x={a{b{c}}}', 'depth'],
    ['query[title]=shoes&query.page={1&.query={', 'allow'],
    ['query.x={a}&query={a', 'parse_error'],
    ['x.query={a{b{c}}}&..query={a{b{c}}}&query:x={a{b{c}}}', 'allow'],
    ['0[query]={a{b{c}}}', 'allow'],
    ['x[query]={a{b{c}}}&%00query={a{b{c}}}', 'allow'],
    ['query={a(s:"%c3"){b}%23"){b{c}}%0A}', 'depth'],
    ['query={a(s:"%e4%80"){b}%23"){b{c}}%0A}', 'depth'],
    ['query={a(s:"%ff12"){b}%23"){b{c}}%0A}', 'depth'],
    ['query={a(s:"%c3%a4"){b}%23"){b{c}}%0A}', 'allow'],
    ['query={a(s:"%c3")}', 'allow'],
    ['query={a}%23%c3', 'allow'],
    ['query={a(b:"%u00e9%uD83D%uDE00%u12")}', 'allow'],
    ['query={a%u007bb}', 'parse_error'],
    ['query={a', 'parse_error'],
    ['query={a}%', 'parse_error'],
    ['query=,', 'parse_error'],
    ['query={a}', 'allow'],
    ['query=', 'allow'],
    ['query', 'allow'],
    ['query=+%20%0a', 'allow'],
    ['', 'allow'],
    ['a=query={a{b{c}}}', 'allow'],
    ['queryx={a{b{c}}}&xquery={a{b{c}}}', 'allow'],
    ['page=1&sort=name', 'allow'],
    ['extensions={"persistedQuery":{}}', 'allow'],
  ])('%s: %s', (query, expected) => expect(get(query)).toBe(expected));

  it.each([
    // GraphQL Yoga: new URLSearchParams(url.substring(url.indexOf('?') + 1)).
    ['?query={a{b{c}}}', 'depth'],
    ['??%71uery={a{b{c}}}', 'depth'],
    ['?+query={a{b{c}}}', 'depth'],
    ['?[query]={a{b{c}}}', 'depth'],
    ['?_json[][query]={a{b{c}}}', 'depth'],
    ['?a=1;query={a{b{c}}}', 'depth'],
    ['?a=1&amp;query={a{b{c}}}', 'depth'],
    ['?query={a}&query={a{b{c}}}', 'depth'],
    ['?query={a', 'parse_error'],
    // Servers that look for pairs after the last `?`, or up to the second one (graphql-http).
    ['a=1?query={a{b{c}}}', 'depth'],
    ['/?query={a{b{c}}}', 'depth'],
    ['&?query={a{b{c}}}', 'depth'],
    ['query={a}?query={a{b{c}}}', 'parse_error'],
    ['query={a}%23?query={a{b{c}}}', 'depth'],
    // A byte order mark before a name, which TextDecoder drops.
    ['%EF%BB%BFquery={a{b{c}}}', 'depth'],
    ['?%ef%bb%bfquery={a{b{c}}}', 'depth'],
    // A question mark inside a text does not change it.
    ['query={a(b:"what?")}', 'allow'],
    ['query={a}%23?a=1', 'allow'],
    ['a=what?&query={a}', 'allow'],
    ['a=1?query=shoes', 'allow'],
    ['?', 'allow'],
    ['??????', 'allow'],
    ['?query', 'allow'],
    ['?query=', 'allow'],
  ])('after question marks are inspected (attack 6): %s: %s', (query, expected) => {
    expect(get(query)).toBe(expected);
    expect(decideRequest({ maxDepth: 2 }, { target: `/graphql?${query}`, body: '' })).toBe(expected);
  });

  it.each([
    ['/graphql%3Fquery={a{b{c}}}', 'depth'],
    ['/graphql%3fquery=%7Ba%7Bb%7Bc%7D%7D%7D', 'depth'],
    ['/graphql%3F%3Fquery={a{b{c}}}', 'depth'],
    ['/graphql%253Fquery%253D%257Ba%257Bb%257Bc%257D%257D%257D', 'depth'],
    ['/graphql%3Fa=1?query={a{b{c}}}', 'depth'],
    ['/graphql%3Fquery={a{b{c}}}?query={a}', 'depth'],
    ['/graphql%3Fquery={a}', 'allow'],
    ['/graphql/what%3F', 'allow'],
    ['/graphql/100%25', 'allow'],
  ])(
    'that a program in front of the server derives from an encoded question mark are inspected (attack 6): %s: %s',
    (target, expected) => {
      expect(decideRequest({ maxDepth: 2 }, { method: 'GET', target })).toBe(expected);
    },
  );

  it('get the same verdict as in a body', () => {
    const options = {
      maxDepth: 3,
      maxAliases: 1,
      maxRootFields: 3,
      maxTotalFields: 8,
      maxOperations: 1,
      maxComplexity: 30,
    };
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.oneof(
          documentText,
          mutatedDocument.map((bytes) => bytes.toString('utf8')),
        ),
        (text) => {
          const verdict = decideRequest(options, { body: json(text) });
          seen.add(verdict);
          const query = `query=${encodeURIComponent(text.toWellFormed())}`;
          expect(decideRequest(options, { method: 'GET', target: `/graphql?${query}` })).toBe(verdict);
          expect(decideRequest(options, { target: `/graphql?${query}`, body: '' })).toBe(verdict);
          // A body with a NUL may be UTF-16, where it is another document; JSON and URLs escape it.
          if (text.includes('\0')) return;
          const types = ['application/graphql'];
          expect(decideRequest(options, { types, body: text })).toBe(verdict);
        },
      ),
      { numRuns: 1500 },
    );
    expect([...seen].sort()).toEqual(
      expect.arrayContaining(['aliases', 'allow', 'depth', 'parse_error', 'root_fields']),
    );
  });

  it.each([
    ['\0 }', 'allow'],
    ['\0{\0a\0{\0b\0{\0c\0}\0}\0}', 'depth'],
    ['\0#x\n{a{b{c}}}', 'parse_error'],
  ])('in a body that may be UTF-16 are judged in each reading that yields a document: %j: %s', (body, expected) => {
    expect(decideRequest({ maxDepth: 2 }, { types: ['application/graphql'], body })).toBe(expected);
  });

  it('cost time proportional to their length, with thousands of values', () => {
    expect(get('query=a&'.repeat(20_000))).toBe('parse_error');
    expect(get('query={a}%23&gt;'.repeat(20_000))).toBe('allow');
    expect(get(`query={a}${'&a'.repeat(20_000)}${'a'.repeat(20_000)};`)).toBe('allow');
    expect(get(`${Array.from({ length: 20_000 }, (_, i) => `query={a${i}}`).join('&')}`)).toBe('allow');
  });
});

const FORM = 'application/x-www-form-urlencoded';

/** The pairs in a URL, and in a form. */
const KINDS = [
  ['a URL', (pairs: string) => ({ method: 'GET', target: `/graphql?${pairs}` })],
  ['a form', (pairs: string) => ({ types: [FORM], body: pairs })],
] as const;

describe.each(KINDS)('the list that Rails finds in %s', (_, requestOf) => {
  const decide = (options: Parameters<typeof decideRequest>[0], pairs: readonly string[]) =>
    decideRequest({ contentTypes: [FORM], ...options }, requestOf(pairs.join('&')));
  const item = '_json[][query]={a}%23';

  it('is a batch, also if the queries are equal', () => {
    expect(decide({ maxOperations: 2 }, [item, item])).toBe('allow');
    expect(decide({ maxOperations: 2 }, [item, item, item])).toBe('batch');
    expect(decide({ maxOperations: 2 }, [item, '_json%5B%5D%5BQuery%5D={b}%23', '_json[]query={c}'])).toBe('batch');
    expect(decide({ maxOperations: 1 }, [`${item};${item}`, 'a=1'])).toBe('batch');
    expect(decide({ maxOperations: 0 }, Array(500).fill(item))).toBe('allow');
  });

  it('has no items without a query', () => {
    const blank = ['_json[][query]=', '_json[][query]=+%0A', '_json[][variables]=1', '_json[][query]'];
    expect(decide({ maxOperations: 1 }, [item, ...blank])).toBe('allow');
    expect(decide({ maxOperations: 1 }, [item, ...blank, item])).toBe('batch');
  });

  it('is counted as one server splits it', () => {
    expect(decide({ maxOperations: 1 }, [`${item};`])).toBe('allow');
    expect(decide({ maxOperations: 1, maxComplexity: 1 }, [`${item};`, 'a;b=c'])).toBe('allow');
  });

  it('may cost at most eight times as much as one operation', () => {
    const ten = `_json[][query]={${'a+'.repeat(10)}}%23`;
    expect(decide({ maxComplexity: 10 }, Array(8).fill(ten))).toBe('allow');
    expect(decide({ maxComplexity: 10 }, [...Array(8).fill(ten), 'a;b'])).toBe('allow');
    expect(decide({ maxComplexity: 10 }, Array(9).fill(ten))).toBe('complexity');
    expect(decide({ maxComplexity: 10 }, [...Array(8).fill(ten), item])).toBe('complexity');
  });

  it('gets the same verdict as that list in JSON', () => {
    const options = { maxDepth: 4, maxAliases: 2, maxTotalFields: 12, maxOperations: 3, maxComplexity: 12 };
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(documentText, { maxLength: 4 }), fc.nat({ max: 3 }), (texts, repeated) => {
        const all = [...texts, ...texts.slice(0, repeated)];
        const body = JSON.stringify({ _json: all.map((query) => ({ query })) });
        const verdict = decideRequest(options, { body });
        seen.add(verdict);
        const pairs = all.map((text) => `_json[][query]=${encodeURIComponent(text.toWellFormed())}`);
        // The verdict may differ, because equal texts are judged together.
        expect(decide(options, pairs) === 'allow').toBe(verdict === 'allow');
        expect(decide(options, pairs) === 'batch').toBe(verdict === 'batch');
      }),
      { numRuns: 500 },
    );
    expect([...seen]).toEqual(expect.arrayContaining(['allow', 'batch', 'parse_error']));
  });

  it('costs time proportional to its length', () => {
    const many = 20_000;
    expect(decide({}, Array(many).fill(item))).toBe('allow');
    expect(decide({}, [...Array(many).fill(`${item};${item}`), 'x'])).toBe('allow');
    expect(decide({ maxOperations: many }, Array(many + 1).fill(item))).toBe('batch');
    expect(decide({ maxDepth: 2 }, [...Array(many).fill(item), `_json[][query]=${DEEP}`])).toBe('depth');
    for (const part of ['[', ']', '_json[', '_json[]', '[]query', '%5b', '%5d', '+', '0[', 'query[']) {
      expect(decide({ maxDepth: 2 }, [`_json${part.repeat(many)}=${DEEP}`])).not.toBe('parse_error');
      expect(decide({ maxDepth: 2 }, [`${part.repeat(many)}=`, '0[', `${part.repeat(many)}x=`])).toBe('allow');
    }
  });
});

describe('a form that begins with a question mark', () => {
  const post = (body: string | Buffer, options: object = {}) =>
    decideRequest({ maxDepth: 2, contentTypes: [FORM], ...options }, { types: [FORM], body });

  it.each([
    [`?query=${DEEP}`, 'depth'],
    [`??query=${DEEP}`, 'depth'],
    [`\ufeff?query=${DEEP}`, 'depth'],
    [`?\ufeffquery=${DEEP}`, 'depth'],
    [`?query={a}&query=${DEEP}`, 'depth'],
    [`a=1&?query=${DEEP}`, 'depth'],
    ['?query={a', 'parse_error'],
    ['?query={a}', 'allow'],
    ['a=what?&query={a(s:"?")}', 'allow'],
  ])('is read without it, too (attack 6): %j: %s', (body, expected) => expect(post(body)).toBe(expected));

  it('is still the list that PHP finds in it, item by item (attack 6)', () => {
    expect(post('?[query]={a}&0=&x[query]={a}', { maxOperations: 2 })).toBe('allow');
    expect(post('?[query]={a}&0=&x[query]={a}', { maxOperations: 1 })).toBe('batch');
  });
});

it.each([
  [`{"query":"${DEEP}"}`, 'depth'],
  [DEEP, 'depth'],
  ['query={a...F}%23&%0Afragment+F+on+T{b{c{d}}}', 'depth'],
  ['query={a}&variables={}', 'allow'],
  ['query={a}&query={a', 'parse_error'],
  // Undecoded, `%22` is text inside a string; decoded, it is the third quote that begins a block string.
  ['query={a(s:"%22"){b{c{d}}}}#"""){b}}', 'depth'],
  ['query={a(s:"%22"){b}}#"""){b}}', 'allow'],
])('a form that gqlgen reads as a single value: %s: %s', (body, expected) => {
  expect(decideRequest({ maxDepth: 2, contentTypes: [FORM] }, { types: [FORM], body })).toBe(expected);
});

it('a byte order mark before a form is not part of its first name: Express drops it', () => {
  const read = (end: string) => {
    const body = Buffer.concat([Buffer.from(`\ufeffquery=${DEEP}`), Buffer.from(end, 'latin1')]);
    return decideRequest({ maxDepth: 2, contentTypes: [FORM] }, { types: [FORM], body });
  };
  expect([read(''), read('&a=b'), read('&a=\xff')]).toEqual(['depth', 'depth', 'depth']);
});

it('a form that is not UTF-8 is also read as graphql-php reads it', () => {
  const read = (text: string) =>
    decideRequest({ maxDepth: 2, contentTypes: [FORM] }, { types: [FORM], body: Buffer.from(text, 'latin1') });
  expect(read('query={a(s:"\xc3"){b}#"){b{c}}\n}')).toBe('depth');
  expect(read('query={a(s:"\xc3"){b}#"){b}\n}')).toBe('allow');
  expect(read('query={a(s:"\xc3\xa4")}&x=\xff')).toBe('allow');
});

describe('a form that is a list to PHP', () => {
  const decide = (pairs: string, options: Parameters<typeof decideRequest>[0] = { maxDepth: 2 }) =>
    decideRequest({ contentTypes: [FORM], ...options }, { types: [FORM], body: pairs });

  it.each([
    ['0[query]={a{b{c}}}', 'depth'],
    ['0[QUERY]={a{b{c}}}', 'depth'],
    ['+%200[query]={a{b{c}}}', 'depth'],
    ['%30%5Bquer%79%5d={a{b{c}}}', 'depth'],
    ['0[query]x={a{b{c}}}', 'depth'],
    ['0[query]={a}&x[query]={a{b{c}}}', 'depth'],
    ['x[query]={a{b{c}}}&0[query]={a}', 'depth'],
    ['0[]=1&x[query]={a{b{c}}}', 'depth'],
    ['0[a]&x[query]={a{b{c}}}', 'depth'],
    ['%300=1&0%5b&x[query]={a{b{c}}}', 'depth'],
    ['0[a]&x][query]={a{b{c}}}', 'depth'],
    ['0[a]&%E9+.%u005b[query]={a{b{c}}}', 'depth'],
    ['0[a]&é[query]={a{b{c}}}', 'depth'],
    ['0[query]={a', 'parse_error'],
    ['0[query]={a}&1[query]={b}', 'allow'],
    ['1[query]={a{b{c}}}', 'allow'],
    ['00[query]={a{b{c}}}&-0[query]={a{b{c}}}&a=0[query]', 'allow'],
    ['0[a][query]={a{b{c}}}', 'allow'],
    ['0[query', 'allow'],
    ['0[queryx]={a{b{c}}}&0[xquery]={a{b{c}}}', 'allow'],
  ])('%s: %s', (pairs, expected) => expect(decide(pairs)).toBe(expected));

  it('is a batch', () => {
    const pairs = (count: number) => Array.from({ length: count }, (_, i) => `${i}[query]={a}%23`).join('&');
    expect(decide(pairs(2), { maxOperations: 2 })).toBe('allow');
    expect(decide(pairs(3), { maxOperations: 2 })).toBe('batch');
    expect(decide(pairs(8), { maxComplexity: 1 })).toBe('allow');
    expect(decide(pairs(9), { maxComplexity: 1 })).toBe('complexity');
    expect(decide(pairs(20_000), {})).toBe('allow');
  });
});
