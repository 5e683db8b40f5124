import { describe, expect, it } from 'vitest';
import { countTests, listFailures, listSecondAttempts, mergeAttempts } from '../../../scripts/attempts.mjs';

const ROOT = '/work';

function file(name: string, ...statuses: readonly string[]) {
  const assertionResults = statuses.map((status, i) => ({ status, fullName: `test ${i}` }));
  return { name: `${ROOT}/${name}`, status: statuses.includes('failed') ? 'failed' : 'passed', assertionResults };
}
const unloaded = { name: `${ROOT}/e2e/src/broken.test.ts`, status: 'failed', assertionResults: [] };

describe('a second attempt', () => {
  it('is given to files with real programs that failed or could not be loaded', () => {
    const failed = ['a/b.api.test.ts', 'a/b.real.test.ts', 'e2e/src/c.test.ts'];
    const results = [...failed.map((name) => file(name, 'passed', 'failed')), unloaded, file('a/d.test.ts', 'passed')];
    expect(listSecondAttempts(results, ROOT)).toEqual([...failed, 'e2e/src/broken.test.ts']);
  });

  it('is given to nothing if a unit test failed', () => {
    expect(listSecondAttempts([file('a/b.api.test.ts', 'failed'), file('a/d.test.ts', 'failed')], ROOT)).toEqual([]);
  });

  it('is given to nothing if many files failed', () => {
    const failed = [1, 2, 3, 4, 5].map((i) => file(`a/${i}.api.test.ts`, 'failed'));
    expect(listSecondAttempts(failed.slice(1), ROOT)).toHaveLength(4);
    expect(listSecondAttempts(failed, ROOT)).toEqual([]);
  });

  it('replaces the results of its files, and nothing else', () => {
    const first = [file('a/b.api.test.ts', 'failed', 'passed'), file('a/d.test.ts', 'passed', 'skipped')];
    expect(countTests(first)).toEqual({ passed: 2, failed: 1 });
    expect(listFailures([...first, unloaded], ROOT)).toEqual(['a/b.api.test.ts > test 0', 'e2e/src/broken.test.ts']);
    const merged = mergeAttempts(first, [file('a/b.api.test.ts', 'passed', 'passed')]);
    expect(countTests(merged)).toEqual({ passed: 3, failed: 0 });
    expect(countTests(mergeAttempts(first, [file('a/b.api.test.ts', 'passed', 'failed')]))).toEqual({
      passed: 2,
      failed: 1,
    });
  });
});
