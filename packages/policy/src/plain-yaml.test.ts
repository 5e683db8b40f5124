import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { readPlainYaml } from './plain-yaml.ts';

/** The result of the general parser; undefined on an error. */
function readGenerally(text: string): unknown {
  const [document, ...others] = parseAllDocuments(text, { version: '1.2', uniqueKeys: true, prettyErrors: false });
  if (document === undefined || !('errors' in document) || others.length > 0) return undefined;
  return document.errors.length + document.warnings.length > 0 ? undefined : document.toJS();
}

function expectSame(text: string): boolean {
  const value = readPlainYaml(text);
  if (value !== undefined) expect(value, JSON.stringify(text)).toStrictEqual(readGenerally(text));
  return value !== undefined;
}

const scalarTexts = [
  ...[
    'a',
    'b c',
    '1',
    '-1',
    '+1',
    '007',
    '1.5',
    '.5',
    '5.',
    '-.5',
    '1e3',
    '1E-3',
    '.',
    '-',
    '+',
    '..',
    '1_000',
    '0x1f',
    '0o7',
  ],
  ...[
    '.inf',
    '-.INF',
    '.nan',
    'true',
    'True',
    'tRue',
    'FALSE',
    'null',
    'Null',
    'NULL',
    '~',
    '~x',
    'yes',
    'NaN',
    'Infinity',
  ],
  ...[
    '"a"',
    "'a'",
    '"a b: c # d"',
    "'it''s'",
    '"\\u00e9\\n\\/"',
    '"\\x41"',
    '"\\ud83d\\ude00"',
    '"',
    "'",
    '""',
    "''",
    '"a"b',
    "'a' 'b'",
  ],
  ...[
    'http://x/y',
    'a:b',
    'a: b',
    'a:',
    ':a',
    '::1',
    '2001:db8::1',
    'a#b',
    'a #b',
    '#a',
    '*.example.com',
    '*',
    '&a',
    '!a',
    '|',
    '>-',
    '%a',
    '@a',
  ],
  ...[
    '-a',
    '--- a',
    '---',
    '...',
    '- a',
    '? a',
    '?a',
    ', a',
    'a, b',
    '[',
    ']',
    '{',
    '}',
    '[a',
    'a]',
    'é',
    'ü: ö',
    '\u00a0',
    'a\u2028b',
    '😀',
  ],
  ...[
    '2001-01-01',
    '12:30',
    '1.2.3.4',
    '12345678901234567890',
    '1e400',
    '-0',
    '=',
    '<<',
    '__proto__',
    '/v1/users',
    '$x',
    '(x)',
    'a\\b',
    '`a`',
  ],
];
const scalar = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('a', 'b c', '1', '"a"', "'it''s'", '/v1', 'null') },
  { weight: 1, arbitrary: fc.constantFrom(...scalarTexts) },
);
const flow = fc.letrec<{ value: string; list: string; mapping: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalar, tie('list'), tie('mapping')),
  list: fc
    .tuple(
      fc.array(tie('value'), { maxLength: 3 }),
      fc.constantFrom(',', ', ', ' , ', ',\n  '),
      fc.constantFrom('', ' ', ','),
    )
    .map(([items, comma, end]) => `[${items.join(comma)}${end}]`),
  mapping: fc
    .tuple(
      fc.array(fc.tuple(scalar, fc.constantFrom(':', ': ', ' : ', ''), tie('value')), { maxLength: 3 }),
      fc.constantFrom(',', ', ', ',\n '),
      fc.constantFrom('', ' '),
    )
    .map(([entries, comma, end]) => `{${end}${entries.map((entry) => entry.join('')).join(comma)}${end}}`),
})).value;

/** Lines of every shape at every depth: both parsers reject most such texts and must agree on the others. */
const key = fc.oneof({ weight: 20, arbitrary: fc.constantFrom('a', 'b', 'c', '"d"', "'e'", 'f-g', '"h i"') }, scalar);
const line = fc
  .tuple(
    fc.constantFrom(0, 0, 0, 0, 0, 0, 2, 2, 2, 4, 4, 1),
    fc.constantFrom('', '', '', '', '', '', '- ', '- ', '- - ', '-   ', '? '),
    fc.oneof(
      {
        weight: 20,
        arbitrary: fc
          .tuple(
            key,
            fc.constantFrom(': ', ': ', ': ', ': ', ':', ' : ', ':   '),
            fc.oneof(fc.constant(''), scalar, flow),
          )
          .map((parts) => parts.join('')),
      },
      { weight: 1, arbitrary: scalar },
      { weight: 1, arbitrary: flow },
      { weight: 1, arbitrary: fc.constantFrom('', '# comment', '-', '---', '...', '%YAML 1.1', '\t') },
    ),
    fc.constantFrom('', '', '', '', '', '', '', '', ' ', ' # comment', '#x', ' #', '\r', '\t'),
  )
  .map(([indent, dash, content, end]) => ' '.repeat(indent) + dash + content + end);

/** Documents with proper indentation, in every style that a person may use. */
const value = fc.letrec<{ node: unknown; text: string }>((tie) => ({
  text: fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.constantFrom('true', '1', '', ' x', 'x ', 'a: b', '- a'),
  ),
  node: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.constantFrom('a', 'x y', '/v1/users'), tie('text'), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom('a', 'key', 'path_prefix', 'x-y') },
        { weight: 1, arbitrary: tie('text').map(String) },
      ),
      tie('node'),
      {
        maxKeys: 4,
      },
    ),
  ),
}));

describe('readPlainYaml', () => {
  it('agrees with the general parser or gives up on lines of every shape', () => {
    let plain = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), fc.boolean(), (lines, hasEnd) => {
        if (expectSame(lines.join('\n') + (hasEnd ? '\n' : ''))) plain += 1;
      }),
      { numRuns: 20_000 },
    );
    expect(plain).toBeGreaterThan(300);
  });

  it('agrees with the general parser or gives up on single values', () => {
    for (const text of scalarTexts) {
      for (const shape of [
        `a: ${text}\n`,
        `a:${text}`,
        `- ${text}`,
        `a:\n- ${text}\n`,
        `a: [${text}]`,
        `a: { b: ${text} }`,
      ])
        expectSame(shape);
      for (const shape of [`${text}: 1`, `a:\n  ${text}: 1\n`, `a: {${text}: 1}`, `a: {${text}:1}`]) expectSame(shape);
    }
    fc.assert(
      fc.property(flow, fc.constantFrom('a: ', 'a:\n  - ', 'a:\n  b: '), (text, begin) => {
        expectSame(`${begin}${text}\nz: 1\n`);
      }),
      { numRuns: 5000 },
    );
  });

  it('agrees with the general parser or gives up on what programs write', () => {
    let plain = 0;
    fc.assert(
      fc.property(
        value.node,
        fc.record({
          indent: fc.constantFrom(2, 4),
          indentSeq: fc.boolean(),
          flow: fc.boolean(),
          lineWidth: fc.constantFrom(0, 80),
          isJson: fc.boolean(),
        }),
        (node, { indent, indentSeq, flow: isFlow, lineWidth, isJson }) => {
          const text = isJson
            ? JSON.stringify({ node })
            : stringify(
                { node },
                { indent, indentSeq, lineWidth, ...(isFlow && { collectionStyle: 'flow' as const }) },
              );
          if (expectSame(text)) plain += 1;
        },
      ),
      { numRuns: 3000 },
    );
    expect(plain).toBeGreaterThan(300);
  });

  it('reads every document of ordinary words in block style, whatever its shape', () => {
    const words = fc.constantFrom('a', 'read', '/v1/users', '*.example.com', 'one two', '1', 'true', '');
    const node = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 5 },
        fc.oneof(words, fc.nat(), fc.boolean(), fc.constant(null)),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('hosts', 'key', 'path_prefix', 'x-y'), tie('node'), {
          maxKeys: 4,
          noNullPrototype: true,
        }),
      ),
    })).node;
    fc.assert(
      fc.property(node, fc.constantFrom(2, 4), fc.boolean(), (spec, indent, indentSeq) => {
        expect(readPlainYaml(stringify({ spec }, { indent, indentSeq }))).toStrictEqual({ spec });
      }),
      { numRuns: 1000 },
    );
  });

  it('agrees with the general parser or gives up on a damaged text', () => {
    const sign = fc.constantFrom(
      '',
      ' ',
      '\n',
      ':',
      '-',
      '#',
      '"',
      "'",
      ',',
      '[',
      '}',
      'x',
      '\n  ',
      '  ',
      ': ',
      '- ',
      '&',
      '\t',
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(POLICY.length), fc.nat(3), sign), { minLength: 1, maxLength: 3 }),
        (edits) => {
          let text = POLICY;
          for (const [at, cut, by] of edits) text = text.slice(0, at) + by + text.slice(at + cut);
          expectSame(text);
        },
      ),
      { numRuns: 10_000 },
    );
  });

  it('accepts the texts of typical policies', () => {
    expect(expectSame(POLICY)).toBe(true);
    expect(expectSame(`---\n${POLICY}`)).toBe(true);
    expect(expectSame(POLICY.replaceAll(/^#.*\n/gm, '').trimEnd())).toBe(true);
  });

  it.each([
    ['an anchor', 'a: &x 1\nb: *x\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a key that comes twice', 'a: 1\na: 2\n'],
    ['a key that comes twice in a flow mapping', 'x: { a: 1, "a": 2 }\n'],
    ['a member called __proto__', 'a: { __proto__: 1 }\n'],
    ['a key that is no text', '1: a\n'],
    ['a second document', 'a: 1\n---\nb: 1\n'],
    ['a directive', '%YAML 1.1\n---\na: 1\n'],
    ['a value of several lines', 'a: b\n  c\n'],
    ['a block scalar', 'a: |\n  b\n'],
    ['a tab', 'a:\tb\n'],
    ['a text that is no mapping', '- a\n'],
    ['no text', ''],
    ['deep nesting', `a: ${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['deep nesting by dashes', `a:\n ${'- '.repeat(100_000)}x`],
    ['deep nesting by indentation', Array.from({ length: 1000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
  ])('leaves %s to the general parser', (_, text) => {
    expect(readPlainYaml(text)).toBeUndefined();
  });

  it('takes linear time: a megabyte of any character, of dashes or of open lists is read or given up', () => {
    for (const sign of [' ', '\n', '#', 'a', '- ', '[', '{', '"', "'", ':', 'a: ', '# \n', 'a:\n', '[a, ', '"\\'])
      readPlainYaml(`a: ${sign.repeat(1_000_000)}`);
  });
});

const POLICY = `# A policy
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }   # its name
spec:
  defaults:
    mode: block
    inspect_request_body: true
    max_request_body_bytes: 65536
    timeout: 50ms
  domains:
    - hosts: [api.example.com, "*.example.com", "[2001:db8::1]"]
      policy:
        engines:
          api_key:
            keys:
            - sha256: "8f7f8f2e80cd2e7e1f7f5f6fa0e0ca4c2e2a0c2a11c4e84ddb8f4c5b0e4b5e62"
              subject: 'team ''a'''
              scopes: [read, write]
# between
            - { key: the-key }

          rate_limit: { requests_per_second: 0.5, burst: 10 }
      routes:
        - match: { path_prefix: /admin }
          policy: {}
        - match:
            path_prefix: /open
          policy:
            engines:
              api_key: null
              graphql:
                paths: ["/graphql"]
                max_depth: 10
    -
      hosts:
        - other.example.com
`;
