import { describe, expect, it } from 'vitest';
import { decideRequest, type GraphqlRequest } from './testing.ts';

const DEEP = '{a{b{c}}}';
const FORM = 'application/x-www-form-urlencoded';

const decide = (request: GraphqlRequest) =>
  decideRequest({ maxDepth: 2, contentTypes: ['application/json', 'application/graphql', FORM] }, request);

describe('a charset that redefines ASCII', () => {
  it.each([
    'charset=utf-7',
    'charset=UTF_7',
    'charset=utf-.7',
    'charset="utf\\-7"',
    'charset="utf-;7"',
    "charset='u7'",
    'charset=""utf-7',
    'charset=unicode-1-1-utf-7',
    'charset=unicode_escape',
    'charset=raw-unicode-escape',
    'charset=punycode',
    'charset=cp037',
    'charset=iso-2022-kr',
    'charset="utf-8\\";charset=utf-7"',
    'charset=utf-8; charset=utf-7',
    "charset*=us-ascii'en'utf-7",
    'charset*0=utf-;charset*1=7',
    'charset*0*=utf-;charset*1=7',
  ])('%s is rejected, whatever its ASCII content', (parameter) => {
    expect(decide({ types: [`application/json; ${parameter}`], body: '{"query":"{a}"}' })).toBe('parse_error');
    expect(decide({ types: [`application/graphql; ${parameter}`], body: '{a}' })).toBe('parse_error');
    expect(decide({ types: [`${FORM}; ${parameter}`], body: 'a=b' })).toBe('parse_error');
    for (const name of ['query', '%98', '+AHE-uery', '\\x71uery', '~{a', '\u0098'])
      for (const query of [`${name}=b`, `a=b&${name}=b`, `a=b;${name}`])
        expect(decide({ method: 'GET', types: [`text/plain; ${parameter}`], target: `/?${query}` })).toBe(
          'parse_error',
        );
    for (const target of ['/', '/?a=b', '/?id=1&page=%20query+~&[sort]='])
      expect(decide({ method: 'GET', types: [`text/plain; ${parameter}`], target })).toBe('allow');
  });

  it('is rejected for pairs even if Node decodes it', () => {
    for (const charset of ['utf-16', 'u32', 'iso-2022-jp', 'csISO2022JP']) {
      expect(decide({ types: [`${FORM}; charset=${charset}`], body: 'a=b' })).toBe('parse_error');
      expect(decide({ method: 'GET', types: [`;charset=${charset}`], target: '/?query=b' })).toBe('parse_error');
      expect(decide({ types: [`application/json;charset=${charset}`], body: '{"query":"{a}"}' })).toBe('allow');
    }
  });
});

it('more than four charsets are rejected without a lookup, because a name costs more to look up than to write', () => {
  const line = (count: number) =>
    Array.from({ length: count }, (_, index) => `charset=l2${'-'.repeat(index)}`).join(';');
  const get = (count: number, target: string) =>
    decide({ method: 'GET', types: [`text/plain; ${line(count)}`], target });
  expect(get(4, '/?query={a}')).toBe('allow');
  expect(get(5, '/?query={a}')).toBe('parse_error');
  expect(get(5, '/?a=b')).toBe('allow');
  for (const count of [4, 5]) {
    const verdict = count === 4 ? 'allow' : 'parse_error';
    expect(decide({ types: [`${FORM}; ${line(count)}`], body: 'query={a}' })).toBe(verdict);
    expect(decide({ types: [`application/json; ${line(count)}`], body: '{"query":"{a}"}' })).toBe(verdict);
  }
});

it.each([
  'utf-8',
  'UTF8',
  '"utf-8"',
  'utf_8',
  'utf8mb4',
  'us-ascii',
  'ISO-8859-1',
  'latin-1',
  'koi8-r',
  'cp1251',
  'binary',
])('the charset %s needs no decoding', (charset) => {
  const pairs = `query=${DEEP}%e4%ff%80`;
  for (const end of ['', '%23%ff']) {
    expect(decide({ method: 'GET', types: [`;charset=${charset}`], target: `/?query={a}${end}` })).toBe('allow');
    expect(decide({ types: [`${FORM}; charset=${charset}`], body: `query={a}${end}` })).toBe('allow');
  }
  expect(decide({ types: [`application/json; charset=${charset}`], body: '{"query":"{a}"}' })).toBe('allow');
  expect(decide({ types: [`application/json; charset=${charset}`], body: `{"query":"${DEEP}"}` })).toBe('depth');
  expect(decide({ types: [`${FORM}; charset=${charset}`], body: pairs.replace('%e4', '%23') })).toBe('depth');
});

describe('a two-byte charset, in which ASCII may be half a character', () => {
  // In Shift JIS the backslash belongs to the previous byte, so the string ends after it.
  const text = '{a(s:"%81\\"){b{c}}%23"){e}%0A}';

  it.each([
    'shift_jis',
    'sjis',
    'gbk',
    'gb18030',
    'big5',
    'euc-kr',
    'euc_jp',
    'cp932',
    'MS936',
    'x-windows-949',
    'cp950',
  ])('%s: such pairs are rejected', (charset) => {
    expect(decide({ method: 'GET', types: [`text/plain; charset=${charset}`], target: `/?query=${text}` })).toBe(
      'parse_error',
    );
    expect(decide({ types: [`${FORM}; charset=${charset}`], body: `query=${text}` })).toBe('parse_error');
    expect(decide({ types: [`${FORM}; charset=${charset}`], body: 'query={a}&x=%81' })).toBe('allow');
    expect(decide({ types: [`${FORM}; charset=${charset}`], body: `query=${DEEP}` })).toBe('depth');
  });

  it('a document of which one reading exceeds a bound is rejected, whatever the other reading is', () => {
    const body = Buffer.from(`{a(s:"\x81\\"){${'a '.repeat(100_000)}}#"){e}\n}`, 'latin1');
    expect(decide({ types: ['application/graphql; charset=shift_jis'], body })).toBe('parse_error');
  });
});
