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
    ['x[query]={a{b{c}}}&%00query={a{b{c}}}', 'allow'],
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

  it('have the verdict that the same query has in a body', () => {
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

  it('thousands of values cost what their length says', () => {
    expect(get('query=a&'.repeat(20_000))).toBe('parse_error');
    expect(get(`${Array.from({ length: 20_000 }, (_, i) => `query={a${i}}`).join('&')}`)).toBe('allow');
  });
});
