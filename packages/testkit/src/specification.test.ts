import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { countProven, formatRows, readSpecification, TABLE } from '../../../scripts/specification.mjs';
import { TEST_ENVOY_VERSIONS } from './envoy.ts';
import { containsTitle } from './test-titles.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const file = 'a.test.ts';
const results = [
  {
    name: `${ROOT}${file}`,
    assertionResults: [
      { status: 'passed', fullName: 'a passes' },
      { status: 'failed', fullName: 'a fails' },
      { status: 'skipped', fullName: 'a is skipped' },
      { status: 'failed', fullName: 'a fails once' },
      { status: 'passed', fullName: 'a fails once' },
    ],
  },
];
const row = (id: string, ...titles: string[]) => ({ id, tests: titles.map((title) => ({ file, title })) });

describe('the table of the specification', () => {
  it('counts a row if all its tests have passed', () => {
    const run = { results, root: ROOT, isWhole: true };
    expect(countProven([row('one', 'a passes'), { id: 'two' }], run)).toEqual({ proven: 1, total: 2, problems: [] });
  });

  it.each(['a fails', 'a is skipped', 'a was renamed', 'a fails once'])(
    'names a row whose test does not pass: %s',
    (title) => {
      const run = { results, root: ROOT, isWhole: true };
      expect(countProven([row('one', 'a passes', title)], run)).toEqual({
        proven: 0,
        total: 1,
        problems: [`one: "${title}" has not passed in a.test.ts`],
      });
    },
  );

  it('ignores tests of files that were not requested, and those that a filter has skipped', () => {
    const other = { id: 'two', tests: [{ file: 'b.test.ts', title: 'b passes' }] };
    const run = { results, root: ROOT, isWhole: false };
    const rows = [row('one', 'a passes'), other, row('three', 'a is skipped'), row('four', 'a passes', 'a is skipped')];
    expect(countProven(rows, run)).toEqual({ proven: 1, total: 4, problems: [] });
    expect(countProven([row('one', 'a fails')], run).problems).toHaveLength(1);
  });

  it('has every row once, and each with existing tests or with what is missing', () => {
    const rows = readSpecification(ROOT);
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    expect(rows.filter(({ tests = [], missing = '' }) => tests.length > 0 === (missing !== ''))).toEqual([]);
    expect(rows.flatMap(({ tests = [] }) => tests).filter((test) => !existsSync(`${ROOT}${test.file}`))).toEqual([]);
  });

  it('refers only to tests that exist', () => {
    const tests = readSpecification(ROOT).flatMap(({ tests = [] }) => tests);
    const sources = new Map(tests.map(({ file }) => [file, readFileSync(`${ROOT}${file}`, 'utf8')]));
    expect(tests.filter(({ file, title }) => !containsTitle(sources.get(file) ?? '', title))).toEqual([]);
  });

  it('refers only to tests that npm test runs', () => {
    const tests = readSpecification(ROOT).flatMap(({ tests = [] }) => tests);
    const isFullOnly = ({ file, title }: { file: string; title: string }) =>
      file.endsWith('.full.test.ts') || title.includes(`Envoy ${TEST_ENVOY_VERSIONS.oldest}`);
    expect(tests.filter(isFullOnly)).toEqual([]);
  });

  it('is formatted canonically (GOLDEN=write rewrites it)', () => {
    const text = formatRows(readSpecification(ROOT));
    if (process.env.GOLDEN === 'write') writeFileSync(`${ROOT}${TABLE}`, text);
    expect(readFileSync(`${ROOT}${TABLE}`, 'utf8') === text).toBe(true);
  });
});
