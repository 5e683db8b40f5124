// The tests of a tier: unit, real programs, whole-system stories. The last line is `N passed, N failed`.
// `npm test` leaves out the files named `*.full.test.ts`; `npm run test:full` runs them, too (docs/guides/tests.md).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTests, listFailures, listSecondAttempts, mergeAttempts, readResults } from './attempts.mjs';
import { ensureBuilt } from './build.mjs';
import { ensureClickHouse } from './clickhouse.mjs';
import { ensureInstalled, ROOT, runTool } from './setup.mjs';
import { countProven, readFindings, readSpecification } from './specification.mjs';
import { ensureSystemTools } from './system-tools.mjs';

ensureInstalled();
ensureSystemTools();
ensureClickHouse();
ensureBuilt();
const [isFull, paths] = [process.argv.includes('--full'), process.argv.slice(2).filter((word) => word !== '--full')];
const dir = mkdtempSync(join(tmpdir(), 'flotilla-test-'));
const first = runTests(paths);
const { results, isClean } = first.isClean || isFull ? first : repeatFailedFiles(first);
rmSync(dir, { recursive: true, force: true });
const isWhole = paths.length === 0;
const tables = { specification: readSpecification(ROOT), findings: readFindings(ROOT).filter(({ tests }) => tests) };
const problems = Object.entries(tables).flatMap(([name, rows]) => {
  const { proven, total, problems } = countProven(rows, { results, root: ROOT, isWhole });
  // Without a report nothing ran: that is said below.
  if (results.length > 0) for (const problem of problems) console.log(`${name}: ${problem}`);
  console.log(`${name}: ${proven} of ${total}${isWhole ? '' : ' by the tests of this run alone'}`);
  return problems;
});
const { passed, failed } = countTests(results);
// A file that fails to load, an error outside any test, or a row whose test did not run fails the run without a failed test.
const broken = failed === 0 && (!isClean || problems.length > 0) ? 1 : 0;
console.log(`${passed} passed, ${failed + broken} failed`);
process.exitCode = failed + broken === 0 ? 0 : 1;

function runTests(files) {
  const [report, errors] = [join(dir, 'report.json'), join(dir, 'errors')];
  for (const file of [report, errors]) rmSync(file, { force: true });
  const reporters = ['default', 'json', './scripts/slowest-files.mjs', './scripts/outside-errors.mjs'];
  const status = runTool(
    'vitest',
    ['run', ...reporters.map((one) => `--reporter=${one}`), `--outputFile=${report}`, ...files],
    { FLOTILLA_TEST_TIER: isFull ? 'full' : 'commit', FLOTILLA_TEST_ERRORS: errors },
  );
  return { results: readResults(report), isClean: status === 0, hasOutsideErrors: readText(errors) !== '0' };
}

/**
 * Runs the failed files with real programs once more, in new processes, when the rest is done (ADR 33). Each test that
 * passes only then is named at the end of the run: it has a defect, or shows one.
 */
function repeatFailedFiles(before) {
  const files = before.hasOutsideErrors ? [] : listSecondAttempts(before.results, ROOT);
  if (files.length === 0) return before;
  const failures = listFailures(before.results, ROOT);
  console.log(`\nSecond attempt of ${files.length} files: ${files.join(', ')}`);
  const again = runTests(files);
  const results = mergeAttempts(before.results, again.results);
  const still = new Set(listFailures(results, ROOT));
  for (const failure of failures.filter((one) => !still.has(one)))
    console.log(`passed only in its second attempt: ${failure}`);
  return { results, isClean: again.isClean && again.results.length === files.length };
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
