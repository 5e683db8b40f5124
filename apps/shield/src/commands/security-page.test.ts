import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../../../', import.meta.url);
const PAGE = await readFile(new URL('docs/security.md', ROOT), 'utf8');

/**
 * `path.test.ts` "name of a test", "another": a name may end in an ellipsis. Paths may omit the folders of the previous
 * one.
 */
const CITED = /`([\w./-]+\.test\.ts)`((?: and its table)?(?:,? "[^"]+"(?: and the next)?)*)/g;

interface Citation {
  readonly path: string;
  readonly names: readonly string[];
}

function listCitations(): Citation[] {
  const whole = new Map<string, string>();
  return [...PAGE.matchAll(CITED)].map(([, path = '', names = '']) => {
    const short = path.slice(path.lastIndexOf('/') + 1);
    if (path.includes('/')) whole.set(short, path);
    return { path: whole.get(short) ?? path, names: [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name) };
  });
}

/** Ignores quotes in names and the values of tables. */
const plain = (text: string) => text.replaceAll(/[\\'`]/g, '').replaceAll(/\s+/g, ' ');

const upTo = (last: number) => Array.from({ length: last }, (_, i) => String(i + 1));

/** Rows of the table in the section with this heading. */
function rowsUnder(heading: string): string[] {
  const [, part = ''] = PAGE.split(`${heading}\n`);
  const [own = ''] = part.split('\n## ');
  return own.split('\n').filter((line) => /^\| (?:\d+|[a-z]) \|/.test(line));
}

describe('the security page', () => {
  const citations = listCitations();

  it.each([
    ['## Known weaknesses of filters, and ours', upTo(31)],
    // The management of the others does not exist yet.
    [
      '## Known weaknesses of controllers, and ours',
      [...upTo(43), ...upTo(64).slice(59), ...upTo(78).slice(72), ...'abcdefg'],
    ],
  ])('names a test for every weakness under %s', (heading, expected) => {
    const rows = rowsUnder(heading);
    expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual(expected);
    expect(rows.filter((row) => !row.includes('.test.ts`')).map((row) => row.split('|')[1]?.trim())).toEqual([]);
  });

  it('refers to existing tests', async () => {
    expect(citations.length).toBeGreaterThan(150);
    const missing: string[] = [];
    for (const { path, names } of citations) {
      const source = await readFile(new URL(path, ROOT), 'utf8').catch(() => undefined);
      if (source === undefined) missing.push(path);
      for (const name of names) {
        const parts = name.split('…').map((part) => plain(part).trim());
        if (source !== undefined && !parts.every((part) => plain(source).includes(part)))
          missing.push(`${path} ${name}`);
      }
    }
    expect(missing).toEqual([]);
  });
});
