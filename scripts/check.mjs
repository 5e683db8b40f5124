// Runs everything that must be green before a commit: format, lint, boundaries, types, dead code, unit tests.
import { ensureInstalled, runTool } from './setup.mjs';

ensureInstalled();
const STEPS = [
  ['format and lint', 'biome', ['check', '.']],
  ['promises, exhaustiveness, boundaries', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['types', 'tsc', ['-p', 'tsconfig.json']],
  ['types of the screens', 'tsc', ['-p', 'apps/web/tsconfig.json']],
  ['types of their tests', 'tsc', ['-p', 'apps/web/tsconfig.test.json']],
  ['types of the browser tests', 'tsc', ['-p', 'e2e/src/screens/tsconfig.json']],
  ['dead code', 'knip', []],
  ['plain English', 'node', ['scripts/language.mjs']],
  ['unit tests', 'vitest', ['run', '--project', 'unit', '--reporter=dot']],
];
const only = process.argv.includes('--no-tests') ? STEPS.slice(0, -1) : STEPS;
for (const [title, tool, args] of only) {
  console.error(`\n== ${title}`);
  if (runTool(tool, args) !== 0) {
    console.error(`\n${title}: not clean`);
    process.exitCode = 1;
    break;
  }
}
