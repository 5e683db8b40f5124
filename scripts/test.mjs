// Every test: unit, real programs, whole-system stories. The last line is `N passed, N failed`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, runTool } from './setup.mjs';
import { ensureSystemTools } from './system-tools.mjs';

ensureInstalled();
ensureSystemTools();
ensureBuilt();
const dir = mkdtempSync(join(tmpdir(), 'flotilla-test-'));
const report = join(dir, 'report.json');
const args = [
  'run',
  '--reporter=default',
  '--reporter=json',
  '--reporter=./scripts/second-attempts.mjs',
  `--outputFile=${report}`,
  ...process.argv.slice(2),
];
// Tests of real programs get a second attempt here, and are named when they need it.
const status = runTool('vitest', args, { FLOTILLA_TEST_RETRIES: '1' });
const { passed, failed } = readCounts();
rmSync(dir, { recursive: true, force: true });
// A file that fails to load, or an error outside any test, fails the run without a failed test.
const broken = status !== 0 && failed === 0 ? 1 : 0;
console.log(`${passed} passed, ${failed + broken} failed`);
process.exitCode = status === 0 && failed === 0 ? 0 : 1;

function readCounts() {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}
