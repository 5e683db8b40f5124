// The tests of a tier: unit, real programs, whole-system stories. The last line is `N passed, N failed`.
// `npm test` leaves out the files named `*.full.test.ts`; `npm run test:full` runs them, too (docs/guides/tests.md).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureClickHouse } from './clickhouse.mjs';
import { countTests, readResults } from './results.mjs';
import { ensureInstalled, ROOT, runTool } from './setup.mjs';
import { countProven, readFindings, readSpecification } from './specification.mjs';
import { ensureSystemTools } from './system-tools.mjs';

ensureInstalled();
ensureSystemTools();
ensureClickHouse();
ensureBuilt();
const [isFull, paths] = [process.argv.includes('--full'), process.argv.slice(2).filter((word) => word !== '--full')];
const dir = mkdtempSync(join(tmpdir(), 'flotilla-test-'));
const { results, isClean } = runTests(paths);
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
  const report = join(dir, 'report.json');
  const reporters = ['default', 'json', './scripts/slowest-files.mjs'];
  const status = runTool(
    'vitest',
    ['run', ...reporters.map((one) => `--reporter=${one}`), `--outputFile=${report}`, ...files],
    { FLOTILLA_TEST_TIER: isFull ? 'full' : 'commit' },
  );
  return { results: readResults(report), isClean: status === 0 };
}
