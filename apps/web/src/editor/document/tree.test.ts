import { describe, expect, it } from 'vitest';
import { formatPath, parsePath } from './path.ts';
import { readDocument } from './read.ts';
import { type Language, locatePath, positionAt } from './tree.ts';

const TEXTS: Record<Language, string> = {
  json: '{\n  "name": "x",\n  "filters": [{ "odd key": { "@type": "t", "n": 5 } }],\n  "empty": {}\n}',
  yaml: 'name: x\nfilters:\n  - odd key:\n      "@type": t\n      n: 5\nempty: {}\n',
};

describe.each(['json', 'yaml'] as const)('a range in %s', (language) => {
  const text = TEXTS[language];
  const tree = readDocument(text, language);
  const at = (path: string, what: 'key' | 'value' = 'value') => {
    const { from, to, exact } = locatePath(tree, parsePath(path), what);
    return { text: text.slice(from, to).replaceAll('"', ''), exact };
  };

  it('is that of the value, or of its key', () => {
    expect(at('filters[0]["odd key"].n')).toEqual({ text: '5', exact: true });
    expect(at('filters[0]["odd key"].n', 'key')).toEqual({ text: 'n', exact: true });
    expect(at('name')).toEqual({ text: 'x', exact: true });
    expect(at('filters')).toEqual({ text: 'filters', exact: true });
  });

  it('is that of the nearest ancestor if the path does not exist', () => {
    expect(at('empty.a.b')).toEqual({ text: 'empty', exact: false });
    expect(at('filters[3].x')).toEqual({ text: 'filters', exact: false });
  });

  it('can be mapped back to its path', () => {
    const offset = text.indexOf('5');
    expect(formatPath(positionAt(tree.root, offset)?.path ?? [])).toBe('filters[0]["odd key"].n');
    const key = text.indexOf('odd key');
    expect(positionAt(tree.root, key)).toMatchObject({ path: ['filters', 0, 'odd key'], at: 'key' });
  });
});

describe('the YAML reader', () => {
  it('explains duplicate keys and tabs', () => {
    expect(readDocument('a: 1\na: 2\n', 'yaml').problems).toMatchObject([{ rule: 'duplicate_key', from: 5 }]);
    expect(readDocument('a:\n\tb: 1\n', 'yaml').problems.map(({ message }) => message)).toContain(
      'Indented with a tab. YAML only allows spaces',
    );
  });

  it('rejects aliases that would expand without end', () => {
    const bomb = [
      'a: &a [x, x]',
      ...[...'bcdefghijklmnop'].map(
        (name, index) => `${name}: &${name} [*${'abcdefghijklmnop'[index]}, *${'abcdefghijklmnop'[index]}]`,
      ),
    ].join('\n');
    expect(readDocument(bomb, 'yaml').root).toBeDefined();
    expect(readDocument('a: &a [*a]', 'yaml')).toBeDefined();
    expect(readDocument('['.repeat(50_000), 'yaml').problems.length).toBeGreaterThan(0);
  });
});
