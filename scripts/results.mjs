// The results of a run.
import { readFileSync } from 'node:fs';

/** Reads a report of vitest; without one nothing ran. */
export function readResults(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return [];
  }
}

export function countTests(results) {
  const all = results.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const count = (wanted) => all.filter((status) => status === wanted).length;
  return { passed: count('passed'), failed: count('failed') };
}
