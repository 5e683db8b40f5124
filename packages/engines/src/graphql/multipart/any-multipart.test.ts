import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRequest, measureByReference } from '../testing.ts';

const MULTIPART = ['multipart/form-data'];
const BOUNDARY = 'x-yZ';

/** The fields that Node's own parser finds in a body. */
async function readByNode(type: string, body: Buffer): Promise<(readonly [string, string])[]> {
  try {
    const request = new Request('http://a.example.com/', { method: 'POST', headers: { 'content-type': type }, body });
    const fields = [...(await request.formData())];
    return await Promise.all(
      fields.map(async ([name, value]) => [name, typeof value === 'string' ? value : await value.text()] as const),
    );
  } catch {
    return [];
  }
}

/** The queries that a server executes if it reads these fields: those in `operations`, and all that `map` may refer to. */
function listQueries(fields: readonly (readonly [string, string])[]): string[] {
  return fields.flatMap(([name, value]) => {
    if (name !== 'operations') return [value];
    try {
      const operations = [JSON.parse(value)].flat() as readonly { readonly query?: unknown }[];
      return operations.flatMap(({ query }) => (typeof query === 'string' ? [query] : []));
    } catch {
      return [];
    }
  });
}

const isDeep = (query: string) => measureByReference(query)?.some((count) => count === 'cycle' || count.depth > 2);

/** Bytes that end parts, lines or headers for some parser. */
const anyMark = fc.constantFrom(
  `--${BOUNDARY}`,
  `\r\n--${BOUNDARY}\r\n`,
  `\n--${BOUNDARY}`,
  `--${BOUNDARY}--`,
  `--${BOUNDARY.toLowerCase()}`,
  '--x',
  '\r\n\r\n',
  '\n\n',
  '\r',
  'a: b\r\n',
  '',
);
const anyDocument = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('{a{b{c}}}', '{a}', '\ufeff{a{b{c}}}', 'query', '{a{b{c}}') },
  anyMark.map((mark) => `{a(s:"""${mark}"""){b{c}}}`),
  anyMark.map((mark) => `{a}#${mark}\nquery B{a{b{c}}}`),
);
const anyContent = fc.oneof(
  anyDocument,
  fc.tuple(anyDocument, anyMark).map(([query, before]) => JSON.stringify({ before, query })),
  fc.array(anyDocument, { maxLength: 3 }).map((queries) => JSON.stringify(queries.map((query) => ({ query })))),
);
const anyName = fc.constantFrom('operations', 'operations', 'query', 'map', '0', 'variables');
const anyDisposition = fc
  .tuple(anyName, fc.constantFrom('', '; filename="a"', '; filename=""', '; name="x"'))
  .map(([name, more]) => `Content-Disposition: form-data; name="${name}"${more}`);
const anyLineEnd = fc.oneof({ weight: 12, arbitrary: fc.constant('\r\n') }, fc.constantFrom('\n', '\r', ' \r\n'));
const anyPart = fc
  .tuple(anyMark, anyDisposition, anyLineEnd, anyLineEnd, fc.constantFrom('', '', '', 'X: 1\r\n'), anyContent)
  .map(([, disposition, line, blank, more, content]) => `${more}${disposition}${line}${blank}${content}\r\n`);
const anyBody = fc
  .tuple(fc.constantFrom('', '', '', '\r\n', 'a\r\n'), fc.array(anyPart, { minLength: 1, maxLength: 4 }), anyMark)
  .map(
    ([before, parts, end]) =>
      `${before}${parts.map((part) => `--${BOUNDARY}\r\n${part}`).join('')}--${BOUNDARY}--${end}`,
  );
const anyType = fc.constantFrom(
  `multipart/form-data; boundary=${BOUNDARY}`,
  `multipart/form-data; boundary=${BOUNDARY}`,
  `multipart/form-data; boundary="${BOUNDARY}"`,
  `multipart/form-data; boundary=${BOUNDARY}; boundary=x`,
  `Multipart/Form-Data;a=b;boundary=${BOUNDARY}`,
);

describe('any multipart body', () => {
  it('is blocked if another parser finds a deep query in it', async () => {
    let deep = 0;
    await fc.assert(
      fc.asyncProperty(anyType, anyBody, async (type, text) => {
        const body = Buffer.from(text);
        if (!listQueries(await readByNode(type, body)).some(isDeep)) return;
        deep++;
        expect(decideRequest({ maxDepth: 2, contentTypes: MULTIPART }, { types: [type], body })).not.toBe('allow');
      }),
      { numRuns: 1_000 },
    );
    expect(deep).toBeGreaterThan(100);
  });

  it('gets a verdict, even if it is truncated and mixed at random', () => {
    const anyPiece = fc.oneof(
      anyMark,
      anyPart,
      anyContent,
      fc.string(),
      fc.constant('Content-Disposition: form-data; name='),
    );
    const anyHeaderSign = fc.constantFrom(
      '',
      '=',
      '"',
      "'",
      ' ',
      '\t',
      '\0',
      '*',
      ';',
      '\\',
      'charset=',
      'name',
      'encoding',
    );
    fc.assert(
      fc.property(anyType, fc.array(fc.oneof(anyPiece, anyHeaderSign), { maxLength: 20 }), (type, pieces) => {
        const body = Buffer.from(`--${BOUNDARY}\r\n${pieces.join('')}`);
        decideRequest({ maxDepth: 2, contentTypes: MULTIPART }, { types: [type], body });
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    'name ',
    'name*',
    '\n\t',
    '\r',
    'Content-Transfer-Encoding:',
    'charset=',
    'x="\\',
    '--',
    '--x',
    '\n{',
    '\n\n[{"a":',
    '"""',
    '\n\n"""',
    '=?',
  ])('that repeats one piece (%j) gets a verdict quickly', (piece) => {
    const size = 1 << 18;
    for (const type of ['multipart/form-data; boundary=x', 'multipart/form-data']) {
      const head = '--x\r\nContent-Disposition: form-data; name="operations"\r\n';
      for (const start of [head, `${head}\r\n`]) {
        const body = Buffer.from(`${start}${piece.repeat(size / piece.length)}`);
        decideRequest({ maxDepth: 2, contentTypes: MULTIPART }, { types: [type], body });
      }
    }
  });
});
