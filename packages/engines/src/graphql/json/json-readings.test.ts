import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRequest, type GraphqlRequest } from '../testing.ts';

const DEEP = '{a{b{c}}}';
const LIMITS = { maxDepth: 2 };

/** `depth` if the deep query was found, `allow` if not. */
function judge(body: string | Buffer, request: GraphqlRequest = {}): string {
  return decideRequest(LIMITS, { ...request, body });
}

/** The deep query in JSON escapes. */
const ESCAPED = [...DEEP].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

describe('a query that some JSON parser would return is inspected', () => {
  it.each([
    ['plain', `{"query":"${DEEP}"}`],
    [
      'behind other members',
      `{"variables":{"a":[1,{"b":null}]},"operationName":"x","query":"${DEEP}","extensions":{}}`,
    ],
    ['with a byte order mark', `\ufeff{"query":"${DEEP}"}`],
    ['with marks and white space anywhere', `\ufeff\u00a0\v\f {\u2003"query"\u3000:\u2028"${DEEP}"\u0085}`],
    ['the first of two keys', `{"query":"${DEEP}","query":"{a}"}`],
    ['the last of two keys', `{"query":"{a}","query":"${DEEP}"}`],
    ['a key in capitals (Go, PHP)', `{"query":"{a}","QUERY":"${DEEP}"}`],
    ['a key in mixed case', `{"qUeRy":"${DEEP}"}`],
    ['a key with underscores (Go, newer package)', `{"qu_e-ry":"${DEEP}"}`],
    ['an escaped key', `{"\\u0071uery":"${DEEP}"}`],
    ['an escaped key in capitals', `{"\\u0051\\u0055ERY":"${DEEP}"}`],
    ['a key escaped as JSON5 has it', `{"\\x71uery":"${DEEP}"}`],
    ['a key with a needless escape', `{"\\qu\\ery":"${DEEP}"}`],
    ['an escaped value', `{"query":"${ESCAPED}"}`],
    ['a value escaped as JSON5 has it', `{"query":"\\x7ba\\x7bb\\x7bc\\x7d\\x7d\\x7d"}`],
    ['a value with needless escapes', `{"query":"\\{a\\{b\\{c}}}"}`],
    ['a value that only some read as deep', `{"query":"{a#\\x0a{b{c}}\\n}"}`],
    ['a value with a line continued', `{"query":"{a{b\\\n{c}}}"}`],
    ['a value with raw line ends', `{"query":"{a\n{b\r\n\t{c}}}"}`],
    ['a value with control characters in a comment', `{"query":"#\u0001\u0000\\n${DEEP}"}`],
    ['a value with bytes that are no UTF-8', Buffer.from(`{"query":"#\xff\xfe\xc3\\n${DEEP}"}`, 'latin1')],
    ['members with bytes that are no UTF-8', Buffer.from(`{"\xff":"\xff","query":"${DEEP}"}`, 'latin1')],
    ['letters of the key spelled too long (Jackson)', Buffer.from(`{"\xc1\xb1u\xe0\x81\xa5ry":"${DEEP}"}`, 'latin1')],
    ['a line end spelled too long', Buffer.from('{"query":"{a#\xc0\x8a{b{c}}\\n}"}', 'latin1')],
    ['a line end spelled much too long', Buffer.from('{"query":"{a#\xe0\x80\x8a{b{c}}\\n}"}', 'latin1')],
    ['letters of three bytes', `{"\u0e01":"\u0e01","query":"#\u0e01\\n${DEEP}"}`],
    ['NaN and Infinity', `{"a":NaN,"b":-Infinity,"c":[Infinity,NaN],"query":"${DEEP}"}`],
    ['undefined and capital literals', `{"a":undefined,"b":TRUE,"c":None,"query":"${DEEP}"}`],
    ['numbers of other kinds', `{"a":[0x1F,+1,.5,1.,007,1e400,-0,0b1,1_000],"query":"${DEEP}"}`],
    ['a number as long as 10,000 digits', `{"a":${'9'.repeat(10_000)},"query":"${DEEP}"}`],
    ['trailing commas', `[{"query":"${DEEP}",},]`],
    ['leading and doubled commas', `[,,{,"query":"${DEEP}",,},,]`],
    ['a member without a value', `{"a":,"query":"${DEEP}"}`],
    ['block comments', `/*"*/{/*{*/"query"/*}*/:/**/"${DEEP}"/*"*/}/*`],
    ['line comments', `//x\n{//"\n"query"://,\r\n"${DEEP}"//}\n}//`],
    ['hash comments', `#x\n{#"\n"query":"${DEEP}"#}\n}`],
    ['a line comment that ends at a return to most', `{//\r"query":"${DEEP}"}`],
    ['a line comment that goes on behind a return to some', `{//\r}\n"query":"${DEEP}"}`],
    ['a line comment that ends at U+2028 to some', `{//\u2028"query":"${DEEP}"}`],
    ['single quotes', `{'query':'${DEEP}'}`],
    ['single quotes with the other kind within', `{'a"':'"','query':'${DEEP}'}`],
    ['a key without quotes', `{query:"${DEEP}"}`],
    ['a key without quotes, escaped', `{\\u0071uery:"${DEEP}"}`],
    ['keys and values without quotes', `{a:hello world,b:don't,c:x"y,query:"${DEEP}"}`],
    ['other separators', `{"a"=1;"b"=>2;"query"=>"${DEEP}"}`],
    ['constructors', `{"a":new Date(1, 2),"b":ObjectId("x,}"),"query":"${DEEP}"}`],
    ['parentheses in words without quotes', `{a:new Date(1,query:"${DEEP}",b:2}`],
    ['a parenthesis that nothing opened', `{a:1),query:"${DEEP}"}`],
    ['something behind the value', `{"query":"${DEEP}"}garbage]}"`],
    ['a zero behind the value', `{"query":"${DEEP}"}\0\0`],
    ['a second value', `{}{"query":"${DEEP}"}`],
    ['lines of values', `{"query":"{a}"}\n{"query":"${DEEP}"}\n`],
    ['a record separator first', `\u001e{"query":"${DEEP}"}\n`],
    ['the prefix against scripts', `)]}'\n{"query":"${DEEP}"}`],
    ['an item of a list', `[{"query":"{a}"},{"query":"${DEEP}"}]`],
    ['the first field of a struct that comes in a list (serde)', `["${DEEP}",null,{}]`],
    ['a list that has this field alone', `["\\u007ba\\x7Bb{c}}}"]`],
    ['another field of a struct in a list', `[null,"{a}","${DEEP}"]`],
    ['such a struct in a list of them', `[["{a}"],["${DEEP}",null,null]]`],
    ['a list with other things in it', `[1,"x",null,[[]],{"query":"${DEEP}"}]`],
    ['a list as Rails hands it over', `{"_json":[{"query":"{a}"},{"query":"${DEEP}"}]}`],
    [
      'such a list behind other keys, its own escaped',
      `{"a":[{}],"query":"{a}","\\u005fjson":[{"x":{},"query":"${DEEP}"}]}`,
    ],
    ['an object that is a list to PHP', `{"0":{"query":"${DEEP}"}}`],
    ['any entry of such an object', `{"x":{"query":"${DEEP}"},"\\u0030":{}}`],
    ['nesting beyond any stack', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)},"query":"${DEEP}"}`],
    [
      'nesting of objects beyond any stack',
      `{"a":${'{"b":'.repeat(100_000)}1${'}'.repeat(100_000)},"query":"${DEEP}"}`,
    ],
    ['a key with all of its escapes twice as long', `{"${' '.repeat(1000)}":1,"query":"${DEEP}"}`],
  ])('%s', (_, body) => expect(judge(body)).toBe('depth'));

  it.each<[string, Buffer]>([
    ['UTF-16, little end first', Buffer.from(`{"query":"${DEEP}"}`, 'utf16le')],
    ['UTF-16, big end first', Buffer.from(`{"query":"${DEEP}"}`, 'utf16le').swap16()],
    ['UTF-16 with a mark', Buffer.from(`\ufeff{"query":"${DEEP}"}`, 'utf16le')],
    ['UTF-16 with a mark, big end first', Buffer.from(`\ufeff{"query":"${DEEP}"}`, 'utf16le').swap16()],
    ['UTF-32, little end first', toUtf32(`{"query":"#😀\n${DEEP}"}`, true)],
    ['UTF-32, big end first', toUtf32(`{"query":"#😀\n${DEEP}"}`, false)],
    ['UTF-32 with a mark', toUtf32(`\ufeff{"query":"${DEEP}"}`, true)],
    ['UTF-32 with a mark, big end first', toUtf32(`\ufeff{"query":"${DEEP}"}`, false)],
    ['UTF-16 cut in the middle of the garbage behind', Buffer.from(`{"query":"${DEEP}"}xx`, 'utf16le').subarray(0, -1)],
    ['UTF-32 cut likewise', toUtf32(`{"query":"${DEEP}"}xx`, true).subarray(0, -1)],
  ])('in %s, whether declared or not', (_, body) => {
    expect(judge(body)).toBe('depth');
    for (const charset of ['utf-8', 'utf-16', 'utf-16le', 'UTF-32BE', 'unicode', 'iso-8859-1']) {
      expect(judge(body, { types: [`application/json; charset=${charset}`] })).toBe('depth');
    }
  });

  it.each([
    ['UTF-16 that begins with white space of two bytes', Buffer.from(`\u3000{"query":"${DEEP}"}`, 'utf16le'), 'utf-16'],
    ['the same, big end first', Buffer.from(`\u3000{"query":"${DEEP}"}`, 'utf16le').swap16(), 'utf-16'],
    [
      'Shift JIS, where a backslash is half a letter',
      Buffer.from(`{"a":"\x83\x5c","query":"${DEEP}","b":"\\""}`, 'latin1'),
      'shift_jis',
    ],
    ['a charset of ISO 2022', Buffer.from(`{"a":"\x1b$B\x22\x22\x1b(B","query":"${DEEP}"}`, 'latin1'), '"iso-2022-jp"'],
  ])('in %s', (_, body, charset) => {
    expect(judge(body, { types: [`application/json;charset=${charset}`] })).toBe('depth');
  });
});

function toUtf32(text: string, isLittle: boolean): Buffer {
  const points = [...text].map((char) => char.codePointAt(0) ?? 0);
  const body = Buffer.alloc(points.length * 4);
  for (const [index, point] of points.entries()) {
    if (isLittle) body.writeUInt32LE(point, index * 4);
    else body.writeUInt32BE(point, index * 4);
  }
  return body;
}

describe('a text that no parser would return passes', () => {
  it.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['text', 'hello'],
    ['text before the value', `hello {"query":"${DEEP}"}`],
    ['markup', `<query>${DEEP}</query>`],
    ['a document alone', DEEP],
    ['a document with arguments alone', '{a(b:1){c{d}}}'],
    ['a string alone', `"${DEEP}"`],
    ['a form', `query=${DEEP}`],
    ['a value that does not end', `{"query":"${DEEP}"`],
    ['a string that does not end', `{"query":"${DEEP}`],
    ['a list that does not end', `[{"query":"${DEEP}"}`],
    ['a bracket of the wrong kind', `{"query":"${DEEP}"]`],
    ['members without a separator', `{"a":1 "query":"${DEEP}"}`],
    ['strings without a separator', `{"a":"x" "query":"${DEEP}"}`],
    ['objects without a separator', `[{} {"query":"${DEEP}"}]`],
    ['a key without a colon', `{"query" "${DEEP}"}`],
    ['a key without a value', `{"query":}`],
    ['a comment that does not end', `{"query":"${DEEP}"/*}`],
    ['no query', '{"extensions":{"persistedQuery":{"version":1}},"id":"x"}'],
    ['a query that is no string', `{"query":["${DEEP}"]}`],
    ['a query that is an object', `{"query":{"query":"${DEEP}"}}`],
    ['variables called query', `{"query":"{a}","variables":{"query":"${DEEP}"}}`],
    ['strings of a list that are no documents', '["x","{","{{a}","\\u007b",["} {a"]]'],
    ['a string in a list that nobody takes for a struct', `[[["${DEEP}"]],{"a":["${DEEP}"]}]`],
    ['a list under a key', `{"a":["${DEEP}"],"_json":[["${DEEP}"]],"0":["${DEEP}"]}`],
    ['a query in a list in a list', `[[{"query":"${DEEP}"}]]`],
    ['an object that is no list to anybody', `{"1":{"query":"${DEEP}"}}`],
    ['a list in an object that nobody looks into', `{"json":[{"query":"${DEEP}"}],"_json":[[{"query":"${DEEP}"}]]}`],
    ['what stands behind such a list', `{"_json":[{"query":"{a}"}],"a":[{"query":"${DEEP}"}]}`],
    ['an object whose value looks like a list', `{"1":{"0":{},"query":"${DEEP}"}}`],
    ['other keys', `{"queries":"${DEEP}","quer":"${DEEP}","aquery":"${DEEP}","":"${DEEP}","kuery":"${DEEP}"}`],
    ['an empty query', '{"query":""}'],
    ['a blank query', '{"query":" \\n\\t\\u0020 "}'],
    ['a list of nothing', '[]'],
  ])('%s', (_, body) => expect(judge(body)).toBe('allow'));
});

describe('an ambiguous body is rejected', () => {
  it.each([
    ['UTF-7, in which ASCII says other things', '{"que+AHI-y":"x"}', 'utf-7'],
    ['ISO 2022 of a kind that Node has not', '{}', 'iso-2022-kr'],
    ['HZ', '{}', 'hz-gb-2312'],
    ['bytes in a charset that Node has not', Buffer.from('{"query":"x"}').map((byte) => byte ^ 0x80), 'ibm037'],
  ])('%s', (_, body, charset) => {
    expect(judge(Buffer.from(body), { types: [`application/json; charset=${charset}`] })).toBe('parse_error');
  });

  it('if it has too many charsets', () => {
    const names = ['koi8-r', 'gbk', 'utf-16', 'windows-1250', 'big5'];
    const types = names.map((name) => `application/json; charset=${name}`);
    expect(judge('{}', { types })).toBe('parse_error');
    expect(judge('{}', { types: types.slice(0, 4) })).toBe('allow');
  });

  it('if two of its spellings contain different queries', () => {
    expect(judge('{//\r"query":"{a}"}\n"query":"{b}"}')).toBe('parse_error');
  });

  it('if it contains an unpaired surrogate, as in the reference', () => {
    expect(judge('{"query":"{a(b:\\"\\ud83d\\")}"}')).toBe('parse_error');
    expect(judge('{"query":"{a} #\\ude00"}')).toBe('parse_error');
    expect(judge('{"query":"{a(b:\\"\\ud83d\\ude00\\")} #\\ud83d\\ude00"}')).toBe('allow');
  });
});

describe('structs in the form of lists', () => {
  const judgeBatch = (body: string) => decideRequest({ maxDepth: 2, maxOperations: 2 }, { body });

  it('are a batch inside a list, and only those with a document count', () => {
    expect(judgeBatch('[["{a}"],["{b}",null],["{c}"]]')).toBe('batch');
    expect(judgeBatch('[["{a}"],["{b}",null],["no {c"],["",null],["x"]]')).toBe('allow');
    expect(judgeBatch('["{a}","{b}","{c}"]')).toBe('allow');
  });

  it('are rejected above the bounds of a document', () => {
    for (const query of [`{${'a '.repeat(100_000)}}`, '{a'.repeat(900) + '}'.repeat(900)])
      expect(judge(JSON.stringify([query]))).toBe('parse_error');
  });
});

describe('against JSON.parse', () => {
  const query = fc.constantFrom('{a}', DEEP, '{a{b{c{d}}}} # "\\ \u2028 é😀', '', ' ');
  const document = fc.oneof(
    fc.record({ query, variables: fc.jsonValue(), operationName: fc.string() }, { requiredKeys: [] }),
    fc.array(fc.record({ query, extensions: fc.jsonValue() }, { requiredKeys: [] }), { maxLength: 4 }),
    fc.jsonValue(),
  );
  it('finds every query that it finds, and no other', () => {
    let deep = 0;
    fc.assert(
      fc.property(document, fc.nat({ max: 3 }), (value, indent) => {
        const items: unknown[] = Array.isArray(value) ? value : [value];
        const isDeep = items.some((item) => {
          const text = typeof item === 'object' && item !== null && 'query' in item ? item.query : '';
          return typeof text === 'string' && text.startsWith('{a{');
        });
        if (isDeep) deep++;
        expect(judge(JSON.stringify(value, null, indent))).toBe(isDeep ? 'depth' : 'allow');
      }),
      { numRuns: 2000 },
    );
    expect(deep).toBeGreaterThan(200);
  });

  it('never throws on any bytes', () => {
    const pieces = fc.constantFrom(
      ...['{', '}', '[', ']', '"', "'", ',', ':', '\\', '//', '/*', '*/', '#', '\n', '\r', '\u2028', '(', ')', '0'],
      ...['query', '"query":"{a}"', '{"query":', '\\u', '\\x', '\ufeff', '\0', ' ', 'NaN', '=>', ';'],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), fc.boolean(), (list, isWide) => {
        const body = Buffer.from(list.join(''), isWide ? 'utf16le' : 'utf8');
        expect(['allow', 'parse_error', 'depth']).toContain(judge(body));
      }),
      { numRuns: 5000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(['allow', 'parse_error']).toContain(judge(Buffer.from(bytes)));
      }),
      { numRuns: 2000 },
    );
  });
});
