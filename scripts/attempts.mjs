// The results of a run and of the second attempt of its failed files.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Files with real programs: a busy machine delays what they wait for. A unit test has one attempt. */
const WITH_PROGRAMS = /^e2e\/|\.(api|real)\.test\.ts$/;
/** A busy machine fails one test or two in a whole run. More failures are a defect. */
const MOST_FILES = 4;

/** Reads a report of vitest; without one nothing ran. */
export function readResults(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return [];
  }
}

/** The files of `results` that get a second attempt: none if something failed that has only one, or if much failed. */
export function listSecondAttempts(results, root) {
  const failed = results.filter(hasFailed).map(({ name }) => relative(root, name));
  return failed.length <= MOST_FILES && failed.every((file) => WITH_PROGRAMS.test(file)) ? failed : [];
}

/** The first results, with those of the second attempt in place of what they repeat. */
export function mergeAttempts(first, second) {
  const repeated = new Map(second.map((result) => [result.name, result]));
  return first.map((result) => repeated.get(result.name) ?? result);
}

export function countTests(results) {
  const all = results.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const count = (wanted) => all.filter((status) => status === wanted).length;
  return { passed: count('passed'), failed: count('failed') };
}

/** The titles of the failed tests, or of the file if it could not be loaded. */
export function listFailures(results, root) {
  return results.filter(hasFailed).flatMap(({ name, assertionResults }) => {
    const file = relative(root, name);
    const titles = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
    return titles.length === 0 ? [file] : titles.map((title) => `${file} > ${title}`);
  });
}

function hasFailed({ status, assertionResults }) {
  return status === 'failed' || assertionResults.some((one) => one.status === 'failed');
}
