// The tests of a tier: unit, real programs, whole-system stories. The last line is `N passed, N failed`.
// `npm test` leaves out the files named `*.full.test.ts`; `npm run test:full` runs them, too (docs/guides/tests.md).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, ROOT, runTool } from './setup.mjs';
import { countProven, readFindings, readSpecification } from './specification.mjs';
import { ensureSystemTools } from './system-tools.mjs';

ensureInstalled();
ensureSystemTools();
ensureBuilt();
const [isFull, paths] = [process.argv.includes('--full'), process.argv.slice(2).filter((word) => word !== '--full')];
const dir = mkdtempSync(join(tmpdir(), 'flotilla-test-'));
const report = join(dir, 'report.json');
const args = [
  'run',
  '--reporter=default',
  '--reporter=json',
  '--reporter=./scripts/slowest-files.mjs',
  `--outputFile=${report}`,
  ...paths,
];
// Tests of real programs get a second attempt: a busy machine delays programs that they wait for.
const status = runTool('vitest', args, {
  FLOTILLA_TEST_RETRIES: '1',
  FLOTILLA_TEST_TIER: isFull ? 'full' : 'commit',
});
const { numPassedTests: passed = 0, numFailedTests: failed = 0, testResults: results = [] } = readReport();
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
// A file that fails to load, an error outside any test, or a row whose test did not run fails the run without a failed test.
const broken = failed === 0 && (status !== 0 || problems.length > 0) ? 1 : 0;
console.log(`${passed} passed, ${failed + broken} failed`);
process.exitCode = failed + broken === 0 ? 0 : 1;

function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return {};
  }
}
