import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FINDINGS, type FindingRow, formatRows, readFindings } from '../../../scripts/specification.mjs';
import { containsTitle } from './test-titles.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = `${ROOT}docs/findings.md`;
const rows = readFindings(ROOT);

const count = (kind: string, last: number) => Array.from({ length: last }, (_, i) => `${kind}${i + 1}`);
/** The findings of the review, under the names that it gave them. */
const REVIEW = [
  ...count('attack ', 15),
  ...count('fault H', 2),
  ...count('fault M', 9),
  ...count('fault L', 21),
  'fault: filter kill -9',
  ...count('screen bug ', 15),
  'issue 17 wire',
  'contradiction: clean-up without a digest',
  'contradiction: collector settings',
  'contradiction: /ha',
];

/** The numbers in `attacks 1 and 2`, `attacks 4, 5, 10 to 13`. */
function readNumbers(list: string): string[] {
  const words = list.split(/(, | and | to )/);
  return words.flatMap((word, i) => {
    if (i % 2 === 1) return [];
    const [, letter = '', last = ''] = /^([HML]?)(\d+)$/.exec(word) ?? [];
    const first = words[i - 1] === ' to ' ? Number(words[i - 2]?.replace(/\D/, '')) : Number(last);
    return Array.from({ length: Number(last) - first + 1 }, (_, n) => `${letter}${first + n}`);
  });
}

/** Whether a title names the finding. */
function namesFinding(title: string, id: string): boolean {
  const [, kind, number = ''] = /^(attack|fault|screen bug) ([HML]?\d+)$/.exec(id) ?? [];
  if (kind === undefined) return title.includes(id);
  const lists = title.matchAll(new RegExp(`\\b${kind}s? ([HML]?\\d+(?:(?:, | and | to )[HML]?\\d+)*)\\b`, 'g'));
  return [...lists].some(([, list = '']) => readNumbers(list).includes(number));
}

const isThere = (file: string, title: string) =>
  existsSync(`${ROOT}${file}`) && containsTitle(readFileSync(`${ROOT}${file}`, 'utf8'), title);

function formatPage(): string {
  const link = (file: string) => `[${file.split('/').at(-1)}](../${file})`;
  const lines = rows.map(({ id, says, tests = [], answer }) => {
    const files = [...new Set(tests.map(({ file }) => file))].map(link).join('<br>');
    return `| ${id} | ${says} | ${files} | ${answer === undefined ? '' : `[${answer.slice(4, 8)}](${answer})`} |`;
  });
  return `${HEAD}${lines.join('\n')}\n`;
}

const HEAD = `# Findings of the review

A review attacked commit 3a872b94, operated it under faults and used its screens. This table shows for each finding the tests that prove the
fix, and the decision that explains it or answers what was not changed. The tests have the names of the findings in their titles.
[findings.json](findings.json) lists the titles; \`npm test\` counts how many findings are proven. The longest measurements are in the full
tier: [how long a request holds the event loop](../apps/controller/src/platform/http/event-loop/requests.loop.full.test.ts).

| finding | what was wrong | tests | decision |
|---|---|---|---|
`;

describe('the table of findings', () => {
  it('has every finding of the review once', () => {
    expect(rows.map(({ id }) => id).toSorted()).toEqual(REVIEW.toSorted());
  });

  it('has tests or an answer for each', () => {
    expect(rows.filter(({ tests = [], answer }) => tests.length === 0 && answer === undefined)).toEqual([]);
  });

  it('refers only to existing tests that are named after the finding', () => {
    const wrong = rows.flatMap(({ id, tests = [] }: FindingRow) =>
      tests.filter(({ file, title }) => !namesFinding(title, id) || !isThere(file, title)),
    );
    expect(wrong).toEqual([]);
  });

  it('refers only to tests that npm test runs', () => {
    const tests = rows.flatMap(({ tests = [] }) => tests);
    expect(tests.filter(({ file }) => file.endsWith('.full.test.ts'))).toEqual([]);
  });

  it('recognises the findings in a title', () => {
    expect(namesFinding('a (attacks 1 and 2)', 'attack 2')).toBe(true);
    expect(namesFinding('a (attacks 4, 5, 10 to 13)', 'attack 12')).toBe(true);
    expect(namesFinding('a (attack 15)', 'attack 1')).toBe(false);
    expect(namesFinding('a (attack 8, fault H1)', 'fault H1')).toBe(true);
  });

  it('and its page are up to date (GOLDEN=write rewrites them)', () => {
    const text = formatRows(rows);
    if (process.env.GOLDEN === 'write') {
      writeFileSync(`${ROOT}${FINDINGS}`, text);
      writeFileSync(PAGE, formatPage());
    }
    expect(readFileSync(`${ROOT}${FINDINGS}`, 'utf8') === text).toBe(true);
    expect(readFileSync(PAGE, 'utf8') === formatPage()).toBe(true);
  });
});
