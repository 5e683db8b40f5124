import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Document, isCollection, parse, parseDocument, visit } from 'yaml';
import { editText, type TextEdit } from './edit-text.ts';
import { isSameValue, removeIn, setIn } from './plain.ts';

const POLICY = `# who may do what
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: shop } # never renamed
spec:
  defaults:
    mode: "block"   # enforced

  domains:
    # the shop
    - hosts: [shop.example.com, "*.shop.example.com"]
      policy:
        engines:
          rate_limit: { requests_per_second: 10, key: ip }
      routes:
        - match: { path_prefix: /api } # public
          policy:
            engines:
              rate_limit: null
        # people only
        - match:
            path_prefix: '/admin'
          policy: {}
    - hosts:
        - other.example.com
`;

const set = (path: TextEdit['path'], value: unknown, order?: readonly string[]): TextEdit => ({
  kind: 'set',
  path,
  value,
  ...(order && { order }),
});
const remove = (path: TextEdit['path']): TextEdit => ({ kind: 'remove', path });

/** Returns the lines that differ, in the format of a diff. */
function diff(before: string, after: string | undefined): string[] {
  const [a, b] = [before.split('\n'), (after ?? '').split('\n')];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return [
    ...a.slice(start, a.length - end).map((line) => `-${line}`),
    ...b.slice(start, b.length - end).map((line) => `+${line}`),
  ];
}

describe('editText', () => {
  it.each<[string, TextEdit, string[]]>([
    [
      'keeps the quotes, the spaces and the comment beside a value',
      set(['spec', 'defaults', 'mode'], 'detect'),
      ['-    mode: "block"   # enforced', '+    mode: "detect"   # enforced'],
    ],
    [
      'adds a member after those that precede it',
      set(['spec', 'defaults', 'fail_mode'], 'fail_open', ['mode', 'fail_mode']),
      ['+    fail_mode: fail_open'],
    ],
    [
      'changes only the value within braces',
      set(['spec', 'domains', 0, 'policy', 'engines', 'rate_limit', 'requests_per_second'], 2.5),
      [
        '-          rate_limit: { requests_per_second: 10, key: ip }',
        '+          rate_limit: { requests_per_second: 2.5, key: ip }',
      ],
    ],
    [
      'adds a member within braces',
      set(['spec', 'domains', 0, 'policy', 'engines', 'rate_limit', 'burst'], 20),
      [
        '-          rate_limit: { requests_per_second: 10, key: ip }',
        '+          rate_limit: { requests_per_second: 10, key: ip, burst: 20 }',
      ],
    ],
    [
      'creates the parents of a value if they do not exist or are empty',
      set(['spec', 'domains', 0, 'routes', 1, 'policy', 'engines', 'rate_limit'], null),
      ['-          policy: {}', '+          policy:', '+            engines:', '+              rate_limit: null'],
    ],
    [
      'adds a member before those that follow it',
      set(['spec', 'defaults', 'first'], 1, ['first', 'mode']),
      ['+    first: 1'],
    ],
    ['keeps a comment above its member', set(['first'], 1, ['first', 'apiVersion']), ['+first: 1']],
    [
      'applies the order on every level that it writes',
      set(['spec', 'domains', 1, 'policy', 'engines', 'rate_limit'], null, ['hosts', 'policy', 'engines', 'routes']),
      ['+      policy:', '+        engines:', '+          rate_limit: null'],
    ],
    [
      'adds an item with its members',
      set(['spec', 'domains', 1, 'routes', 0], { match: { path_prefix: '/x' }, policy: {} }),
      ['+      routes:', '+        - match:', '+            path_prefix: /x', '+          policy: {}'],
    ],
    [
      'adds a word to a list in brackets',
      set(['spec', 'domains', 0, 'hosts', 2], 'b.example.com'),
      [
        '-    - hosts: [shop.example.com, "*.shop.example.com"]',
        '+    - hosts: [ shop.example.com, "*.shop.example.com", b.example.com ]',
      ],
    ],
    ['adds an item to a list with one item per line', set(['spec', 'domains', 1, 'hosts', 1], '*'), ['+        - "*"']],
    [
      'removes an item with the comment about it',
      remove(['spec', 'domains', 0, 'routes', 1]),
      ['-        # people only', '-        - match:', "-            path_prefix: '/admin'", '-          policy: {}'],
    ],
    [
      'leaves an empty list after the last item is removed',
      remove(['spec', 'domains', 1, 'hosts', 0]),
      ['-    - hosts:', '-        - other.example.com', '+    - hosts: []'],
    ],
    [
      'removes a member right after a dash',
      remove(['spec', 'domains', 0, 'routes', 1, 'match']),
      ['-        - match:', "-            path_prefix: '/admin'", '-          policy: {}', '+        - policy: {}'],
    ],
    [
      'keeps single quotes, and doubles those in the value',
      set(['spec', 'domains', 0, 'routes', 1, 'match', 'path_prefix'], "/o'er"),
      ["-            path_prefix: '/admin'", "+            path_prefix: '/o''er'"],
    ],
    [
      'turns null into a block',
      set(['spec', 'domains', 0, 'routes', 0, 'policy', 'engines', 'rate_limit'], { requests_per_second: 1 }),
      ['-              rate_limit: null', '+              rate_limit:', '+                requests_per_second: 1'],
    ],
  ])('%s', (_, edit, lines) => {
    expect(diff(POLICY, editText(POLICY, [edit]))).toEqual(lines);
  });

  it('keeps a JSON document valid JSON', () => {
    expect(editText('{"a": {"b": 1}}', [set(['a', 'c'], [true])])).toBe(
      '{\n  "a": {\n    "b": 1,\n    "c": [\n      true\n    ]\n  }\n}\n',
    );
  });

  it('returns undefined if the text is broken or the value is an alias', () => {
    expect(editText('a: [', [set(['a'], 1)])).toBeUndefined();
    expect(editText('a: &x 1\nc: *x\n', [remove(['a'])])).toBeUndefined();
    expect(editText('a: 1\n', [set(['a', 0], 2)])).toBeUndefined();
    expect(editText('a: &x { b: 1 }\nc: { d: *x }\n', [set(['c', 'd', 'b'], 2)])).toBeUndefined();
    expect(editText('a: &x { b: 1 }\nc: { d: *x }\n', [remove(['c', 'd', 'b'])])).toBeUndefined();
  });

  it('replaces an alias by its content, and does not change the anchor', () => {
    expect(editText('a: &x { b: 1 }\nc: *x\n', [set(['c', 'b'], 2)])).toBe('a: &x { b: 1 }\nc:\n  b: 2\n');
  });

  it('returns the same text if nothing changes', () => {
    expect(editText(POLICY, [set(['spec', 'defaults', 'mode'], 'block'), remove(['spec', 'nothing'])])).toBe(POLICY);
  });

  it('parses unquoted words as text, even if they look like another type', () => {
    for (const word of ['yes', '1', 'null', '# x', 'a: b', 'a, b]', '*', '{', "it's", 'line\nbreak', ''])
      for (const path of [
        ['metadata', 'name'],
        ['spec', 'defaults', 'mode'],
        ['spec', 'domains', 1, 'hosts', 0],
        ['new'],
      ])
        expect(readBack(POLICY, [set(path, word)], path), JSON.stringify([word, path])).toBe(word);
  });
});

function readBack(text: string, edits: readonly TextEdit[], path: TextEdit['path']): unknown {
  const next = editText(text, edits);
  return path.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], parse(next ?? ''));
}

const key = fc.constantFrom('hosts', 'policy', 'routes', 'mode', 'engines', 'a b', '7', 'key');
const scalar = fc.oneof(
  fc.constantFrom('/api', 'block', '*.example.com', 'a: b', "it's", '', 'x #y', '0', 'true', '[a', 'two\nlines'),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const root = fc.dictionary(key, tree, { minKeys: 1, maxKeys: 4, noNullPrototype: true });

/** Writes the data in a random style: with comments anywhere and some collections in braces. */
function print(value: unknown, style: { readonly flow: readonly boolean[]; readonly indentSeq: boolean }): string {
  const document = new Document(value);
  let count = 0;
  visit(document, {
    Node(_, node) {
      count += 1;
      const isFlow = style.flow[count % style.flow.length] === true;
      if (isCollection(node)) node.flow = isFlow && count > 1;
      else if (!isFlow) node.comment = ` c${count}`;
    },
    Pair(_, { key: name }) {
      count += 1;
      if (style.flow[count % style.flow.length] === true && name !== null && typeof name === 'object')
        (name as { commentBefore?: string }).commentBefore = ` k${count}`;
    },
  });
  return document.toString({ indentSeq: style.indentSeq, lineWidth: 60 });
}

/** Writes the data like `print`, but without comments that the library itself cannot parse. */
function printReadable(...about: Parameters<typeof print>): string {
  const text = print(...about);
  fc.pre(parseDocument(text).errors.length === 0 && isSameValue(parse(text), about[0]));
  return text;
}

function pathsOf(value: unknown, path: TextEdit['path'] = []): TextEdit['path'][] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item, index) => pathsOf(item, [...path, index]))];
  if (typeof value === 'object' && value !== null)
    return [path, ...Object.entries(value).flatMap(([name, item]) => pathsOf(item, [...path, name]))];
  return [path];
}

it('applies any edit to any text, and leaves everything above the edited place unchanged', () => {
  const style = fc.record({ flow: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), indentSeq: fc.boolean() });
  fc.assert(
    fc.property(
      root,
      style,
      tree,
      fc.nat(),
      fc.constantFrom('set', 'remove', 'add'),
      (value, look, other, pick, kind) => {
        const text = printReadable(value, look);
        const paths = pathsOf(value).filter(({ length }) => length > 0);
        const path = paths[pick % paths.length] ?? [];
        const at = kind === 'add' ? [...path.slice(0, -1), 'new'] : path;
        const edit: TextEdit = kind === 'remove' ? remove(path) : set(at, other);
        const wanted = kind === 'remove' ? removeIn(value, path) : setIn(value, at, other);
        const next = editText(text, [edit]);
        if (!wanted) expect(next).toBeUndefined();
        else expect(isSameValue(parse(next ?? ''), wanted.value), `${text}\n---\n${next}`).toBe(true);
      },
    ),
    { numRuns: 400 },
  );
});

it('never loses comments outside the removed or replaced value', () => {
  const style = fc.record({ flow: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), indentSeq: fc.boolean() });
  fc.assert(
    fc.property(root, style, scalar, fc.nat(), (value, look, other, pick) => {
      const text = printReadable(value, look);
      const leaves = pathsOf(value).filter((path) => {
        const leaf = path.reduce<unknown>((node, step) => (node as Record<string | number, unknown>)[step], value);
        return path.length > 0 && (typeof leaf !== 'object' || leaf === null);
      });
      const path = leaves[pick % Math.max(1, leaves.length)];
      if (!path) return;
      const next = editText(text, [set(path, other)]) ?? '';
      // After the header of a block scalar, such text is part of the value.
      for (const [comment] of text.replaceAll(/[|>][-+\d]* # c\d+/g, '').matchAll(/# [ck]\d+/g))
        expect(next, text).toContain(comment);
    }),
    { numRuns: 300 },
  );
});
