import { describe, expect, it } from 'vitest';
import { decideRequest } from '../testing.ts';

const DEEP = '{a{b{c}}}';
const DEEP_JSON = JSON.stringify({ query: DEEP });
const FLAT_JSON = '{"query":"{a}"}';
const TYPE = 'multipart/form-data; boundary=x-yZ';

const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;
const part = (headers: string, content: string) => `--x-yZ\r\n${headers}\r\n\r\n${content}\r\n`;
const toBody = (...parts: string[]) => `${parts.join('')}--x-yZ--\r\n`;
const OPERATIONS = named('operations');

function decide(body: string, { type = TYPE, maxOperations = 0, entry = 'multipart/form-data' } = {}): string {
  const bytes = Buffer.from(body, 'latin1');
  return decideRequest({ maxDepth: 2, maxOperations, contentTypes: [entry] }, { types: [type], body: bytes });
}

describe('a multipart body', () => {
  const upload = (operations: string) =>
    toBody(
      part(OPERATIONS, operations),
      part(named('map'), '{"0":["variables.file"]}'),
      part(`${named('0')}; filename="a.json"\r\nContent-Type: application/json`, '{"query":"name:kettle","size":1}'),
      part(`${named('1')}; filename="a.png"\r\nContent-Type: image/png`, '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff--\r\n\r\n'),
    );

  it.each([
    ['multipart/form-data', TYPE],
    ['multipart/*', TYPE],
    ['*/*', TYPE],
    ['multipart/form-data', 'Multipart/Form-Data; charset="UTF-8"; boundary="x-yZ"'],
    ['multipart/form-data', 'multipart/mixed; boundary=x-yZ'],
    ['multipart/form-data', 'text/plain; multipart; boundary=x-yZ'],
  ])('is inspected with the entry %s if its type is %s, and files pass', (entry, type) => {
    expect(decide(upload(DEEP_JSON), { type, entry })).toBe('depth');
    expect(decide(upload(FLAT_JSON), { type: TYPE, entry })).toBe('allow');
  });

  it.each([
    ['application/json', TYPE],
    ['text/*', TYPE],
    ['multipart/form-data', 'image/png'],
  ])('is not requested with the entry %s if its type is %s', (entry, type) => {
    expect(decide(upload(DEEP_JSON), { type, entry })).toBe('unseen');
  });

  it.each([
    ['JSON that nobody can read', part(OPERATIONS, '{"query":'), 'allow'],
    ['no query', part(OPERATIONS, '{"variables":{}}'), 'allow'],
    ['a query that is no document', part(OPERATIONS, '{"query":"{"}'), 'parse_error'],
    ['one under another name', part(named('filter'), '{"query":"{"}'), 'allow'],
    ['a field that begins like a document', part(named('kind'), 'query'), 'allow'],
    ['a field `query` that is no document', part(named('query'), 'kettle'), 'parse_error'],
    ['a shallow document', part(named('query'), '{a}'), 'allow'],
    ['a type system', part(named('schema'), 'type A { a: B }'), 'allow'],
    ['nothing', '', 'allow'],
  ])('with %s: %s', (_, parts, verdict) => expect(decide(toBody(parts))).toBe(verdict));

  it.each([
    ['operations', OPERATIONS, DEEP_JSON],
    ['a list', OPERATIONS, `[${FLAT_JSON},${DEEP_JSON}]`],
    ['a query that follows one that is no document', named('graphql'), `[{"query":"{"},${DEEP_JSON}]`],
    ['a plain field', named('query'), DEEP],
    ['a field of another name, which `map` may put in the place of a query', named('0'), DEEP],
    ['a file', `${OPERATIONS}; filename="a"\r\nContent-Type: application/octet-stream`, DEEP_JSON],
    ['no name', 'Content-Type: text/plain', DEEP_JSON],
    ['a folded name', 'Content-Disposition: form-data;\r\n name="operations"', DEEP_JSON],
    [
      'UTF-16, as Jackson and .NET detect it',
      OPERATIONS,
      Buffer.from(`\ufeff${DEEP_JSON}`, 'utf16le').toString('latin1'),
    ],
    ['bytes that graphql-php reads otherwise', named('query'), '{a(s:"\xc3"){b}#"){b{c}}\n}'],
  ])('with the content %s is judged', (_, headers, content) => {
    expect(decide(toBody(part(headers, content)))).toBe('depth');
    expect(decide(toBody(part(named('a'), 'b'), part(headers, content)))).toBe('depth');
  });

  it.each([
    ['line feeds alone', toBody(part(OPERATIONS, DEEP_JSON)).replaceAll('\r', '')],
    ['carriage returns alone', toBody(part(OPERATIONS, DEEP_JSON)).replaceAll('\n', '')],
    ['a blank line to some within the headers', toBody(part(`${named('a')}\n\nX: 1`, DEEP_JSON))],
    ['a line among the headers that is no header', toBody(part(`--other\r\n${named('a')}`, DEEP_JSON))],
    ['content behind such a line', toBody(part(`${OPERATIONS}\n\n${DEEP_JSON}\nX: 1`, ''))],
    ['white space in the blank line', `--x-yZ\r\n${OPERATIONS}\r\n \t\r\n${DEEP_JSON}`],
    ['no blank line', `--x-yZ\r\n${OPERATIONS}\r\n${DEEP_JSON}\r\n--x-yZ--`],
    ['a blank line behind the boundary', `--x-yZ\r\n\r\n${named('a')}\r\n\r\n${DEEP_JSON}\r\n--x-yZ--`],
    ['no end', `--x-yZ\r\n${OPERATIONS}\r\n\r\n${DEEP_JSON}`],
    ['a part before the first boundary', `${OPERATIONS}\r\n\r\n${DEEP_JSON}\r\n${toBody(part('', ''))}`],
    ['a part behind the last boundary', `${toBody(part(named('a'), 'b'))}${part(OPERATIONS, DEEP_JSON)}`],
    ['text behind a boundary', `--x-yZ \tgarbage\r\n${OPERATIONS}\r\n\r\n${DEEP_JSON}`],
    ['a boundary within a line', `a--x-yZ\r\n${named('a')}\r\n\r\n${DEEP_JSON}`],
    ['a boundary within a value', toBody(part(OPERATIONS, `{"a":"--x-yZ",\r\n"query":"${DEEP}"}`))],
    ['dashes before a boundary', `-----x-yZ\r\n${OPERATIONS}\r\n\r\n${DEEP_JSON}`],
  ])('with %s is judged', (_, body) => expect(decide(body)).toBe('depth'));

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=x; boundary=y',
    'multipart/form-data; boundary="x\\yZ"',
    "multipart/form-data; boundary*=utf-8''x%79Z",
    'multipart/form-data; boundary*0=x; boundary*1=-yZ',
    'multipart/form-data; boundary=X-YZ',
    'multipart/form-data; boundary=x-y',
    'multipart/form-data; boundary="x-yZ',
    'multipart/form-data, boundary=x-yZ',
    `multipart/form-data; boundary=${'y'.repeat(71)}`,
    'multipart/form-data; boundary=other',
  ])('under a boundary that parsers read differently (%s) is judged under every one', (type) => {
    for (const boundary of ['x', 'y', 'x-yZ', 'x-yz', '"x', '']) {
      const body = `--${boundary}\r\n${OPERATIONS}\r\n\r\n${DEEP_JSON}\r\n--${boundary}--`;
      expect([boundary, decide(body, { type })]).toEqual([boundary, 'depth']);
    }
    expect(decide(upload(FLAT_JSON), { type })).toBe('allow');
  });

  it('with a known boundary may contain files with other boundaries and encodings', () => {
    const mail = `Content-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\nContent-Transfer-Encoding: base64\r\n\r\nYQ==\r\n--m--`;
    expect(decide(toBody(part(OPERATIONS, FLAT_JSON), part(`${named('0')}; filename="a.eml"`, mail)))).toBe('allow');
    const lower = `--x-yz\r\n${named('a')}\r\n\r\n${DEEP_JSON}`;
    expect(decide(`--x-yZ\r\n\r\n${lower}`)).toBe('depth');
  });

  it.each([
    'Content-Transfer-Encoding: base64',
    'content-transfer-encoding:quoted-printable',
    'Content-Transfer-Encoding: (a) base64',
    'Content-Encoding: gzip',
    'Content-Type: text/plain; charset=utf-7',
    'Content-Type: application/json; charset="UTF-16LE"',
    'Content-Type: text/plain; charset=shift_jis',
    'Content-Type: multipart/mixed; boundary=y',
    "Content-Disposition: form-data; name*=utf-8''operations",
    'Content-Disposition: form-data; name*0=oper; name*1=ations',
    'Content-Disposition: form-data; name="oper\\ations"',
    'Content-Disposition: form-data; name="%6fperations"',
    'Content-Disposition: form-data; name="=?utf-8?q?operations?="',
    'Content-Disposition: form-data; name="opera\r\n tions"',
    'Content-Disposition: form-data; name=oper"ations',
    `${OPERATIONS}\r\n\0`,
  ])('with a part that some server would decode (%j) is rejected, whatever its content', (header) => {
    expect(decide(toBody(part(`X: 1\r\n${header}`, 'a')))).toBe('parse_error');
    expect(decide(toBody(part(OPERATIONS, FLAT_JSON), part(header, 'a')))).toBe('parse_error');
  });

  it.each([
    'Content-Transfer-Encoding: 8bit',
    'Content-Transfer-Encoding: binary',
    'Content-Type: text/plain; charset=US-ASCII',
    'Content-Type: text/plain; charset="iso-8859-1"',
    'Content-Length: 15',
    "Content-Disposition: form-data; name=0; filename=a.txt; filename*=utf-8''%c3%a4.txt",
    'Content-Disposition: form-data; name="0"; filename="=?utf-8?q?=c3=a4?=.txt"',
    'Content-Disposition: form-data; name="0"; filename="a\\"b%22.txt"',
    'Content-Disposition: form-data; name="0"; filename="Content-Encoding explained.pdf"',
    'Content-Disposition: form-data; name="0"; filename="src/multipart/parts.ts"',
  ])('with a part like those of usual clients (%s) passes', (header) => {
    expect(decide(toBody(part(OPERATIONS, FLAT_JSON), part(header, 'text')))).toBe('allow');
  });

  it.each(['query ', ' query', 'query\t', 'operations ', 'OPERATIONS\t'])(
    'with white space in the quotes of a name, which Tomcat trims, is read as by the plain name (attack 6): %j',
    (name) => expect(decide(toBody(part(named(name), '{"query":"{"}')))).toBe('parse_error'),
  );

  it('with a name in single quotes, which only PHP accepts, is read as by the plain name (attack 6)', () => {
    const quoted = (name: string) => `Content-Disposition: form-data; name=${name}`;
    expect(decide(toBody(part(quoted("' query'"), '{')))).toBe('parse_error');
    expect(decide(toBody(part(quoted("'a;name=query'"), '{')))).toBe('parse_error');
  });

  it('in a charset that redefines ASCII is rejected', () => {
    for (const charset of ['utf-16', 'utf-7', 'shift_jis'])
      expect(decide(upload(FLAT_JSON), { type: `${TYPE}; charset=${charset}` })).toBe('parse_error');
    expect(decide(toBody(part(named('_charset_'), 'UTF-16')))).toBe('parse_error');
    expect(decide(toBody(part(named('_charset_'), 'UTF-8')))).toBe('allow');
  });

  it.each(['"query"', '"0.query"', "'12.QUERY'", '["0","query"]', '"\\u0071uery"', '"a--x-yZ"'])(
    'whose map leads to a query (%s) is rejected, because one text could be the query of many items',
    (path) => {
      const map = (name: string) => toBody(part(OPERATIONS, '[{},{}]'), part(named(name), `{"0":[${path}]}`));
      expect(decide(map('map'))).toBe('parse_error');
      expect(decide(map('map '))).toBe('parse_error');
      expect(decide(map('maps'))).toBe('allow');
    },
  );

  it('whose map refers to variables is allowed', () => {
    const map = '{"0":["variables.query.0","0.variables.file","variables.query"]}';
    expect(decide(toBody(part(OPERATIONS, FLAT_JSON), part(named('map'), map)))).toBe('allow');
  });

  it.each([
    ['a block string', `{a(s:"""\r\n--x-yZ\r\n"""){b{c}}}`],
    ['a block string that ends a line', `{a(s:"""--x-yZ """){b{c}}}`],
    ['a comment', `{a # --x-yZ\n{b{c}}}`],
    ['a comment behind a document', `{a} # --x-yZ\n query B${DEEP}`],
    ['a string', `{a(s:"--x-yZ"){b{c}}}`],
    ['a description', `"""\n--x-yZ-\n""" query{a{b{c}}}`],
  ])('whose document has the boundary in %s is rejected, because its end is ambiguous', (_, document) => {
    expect(decide(toBody(part(named('query'), document)))).toBe('parse_error');
    expect(decide(toBody(part(named('other'), document)))).toBe('parse_error');
  });

  it.each(['operations', 'query'])(
    'with two parts called %s is rejected, because servers differ on which they use',
    (name) => {
      const [half, other] = name === 'query' ? ['{a', 'b}'] : ['{"query":"{a', 'b}"}'];
      expect(decide(toBody(part(named(name), half), part(named(name.toUpperCase()), other)))).toBe('parse_error');
    },
  );

  it('is a form, too: its lists are counted', () => {
    const list = (count: number, name: (index: number) => string) =>
      toBody(...Array.from({ length: count }, (_, index) => part(named(name(index)), '{a}')));
    for (const name of [(index: number) => `${index}[query]`, () => '_json[][query]']) {
      expect(decide(list(2, name), { maxOperations: 2 })).toBe('allow');
      expect(decide(list(3, name), { maxOperations: 2 })).toBe('batch');
    }
    expect(decide(toBody(part(OPERATIONS, `[${FLAT_JSON},${FLAT_JSON}]`)), { maxOperations: 1 })).toBe('batch');
  });

  it('costs at most a multiple of its length, whatever the names of its parts', () => {
    const names = (count: number, name: string) =>
      Array.from({ length: count }, (_, index) => `name=${name}${index}`).join(';');
    const other = toBody(part(`X: ${names(2_000, 'search-query')}`, 'a'.repeat(200_000)));
    expect(decide(other)).toBe('allow');
    const members = toBody(part(`X: ${names(2_000, 'query.')}`, 'a'.repeat(200_000)));
    expect(decide(members)).toBe('parse_error');
    expect(decide(toBody(part(named('query.a'), 'a'.repeat(900_000))))).toBe('allow');
  });

  it('costs at most a multiple of its length, however its contents overlap', () => {
    const body = `--x-yZ\r\n${OPERATIONS}\r\n${'\n\n{"a":[{}'.repeat(20_000)}`;
    expect(decide(body)).toBe('parse_error');
    const documents = `--x-yZ\r\n${named('a')}\n${'\n\n{a #'.repeat(40_000)}`;
    expect(decide(documents)).toBe('parse_error');
    // For parsers that continue a comment after a carriage return, each content is a list of everything that follows.
    expect(decide('--x-yZ\r\n\r\n[//\r'.repeat(5_000))).toBe('parse_error');
    const wide = Array.from({ length: 5_000 }, () => part('X: 1', '\0{\0"'));
    expect(decide(toBody(...wide))).toBe('parse_error');
    expect(decide(toBody(...Array.from({ length: 5_000 }, (_, index) => part(named(`${index}`), 'text'))))).toBe(
      'allow',
    );
    expect(decide('--x-yZ\r\n\r\na'.repeat(20_000))).toBe('parse_error');
  });
});
