// Tables of claims, each bound to the tests that prove it: docs/specification.json says what of the specification is there or missing,
// docs/findings.json how each finding of the review was fixed or answered.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Within the checkout. */
export const TABLE = 'docs/specification.json';
export const FINDINGS = 'docs/findings.json';

/** The table of the checkout in `root`. */
export function readSpecification(root) {
  return JSON.parse(readFileSync(join(root, TABLE), 'utf8')).rows;
}

export function readFindings(root) {
  return JSON.parse(readFileSync(join(root, FINDINGS), 'utf8')).rows;
}

/** The text of the table: a row in a few lines, a test in one. */
export function formatRows(rows) {
  const list = (items) => items.map((item) => `\n        ${item}`).join(',');
  const lines = rows.map(({ id, section, says, routes, tests, missing, answer }) =>
    [
      `"id": ${JSON.stringify(id)}`,
      `"section": ${JSON.stringify(section)}`,
      `"says": ${JSON.stringify(says)}`,
      ...(routes ? [`"routes": [${routes.map((route) => JSON.stringify(route)).join(', ')}]`] : []),
      ...(tests ? [`"tests": [${list(tests.map(formatTest))}\n      ]`] : []),
      ...(missing === undefined ? [] : [`"missing": ${JSON.stringify(missing)}`]),
      ...(answer === undefined ? [] : [`"answer": ${JSON.stringify(answer)}`]),
    ].join(',\n      '),
  );
  return `{\n  "rows": [\n${lines.map((line) => `    {\n      ${line}\n    }`).join(',\n')}\n  ]\n}\n`;
}

function formatTest({ file, title }) {
  return `{ "file": ${JSON.stringify(file)}, "title": ${JSON.stringify(title)} }`;
}

/**
 * Counts the rows whose tests have all passed in this run. `problems` names each row that claims a test which has failed or has not run.
 * A run that is not whole leaves out the rows of files that it does not run and the tests that its filter skips.
 */
export function countProven(rows, { results, root, isWhole }) {
  const statuses = collectStatuses(results, root);
  const problems = [];
  let proven = 0;
  for (const { id, tests = [] } of rows) {
    const judged = tests.filter(
      ({ file, title }) => isWhole || (statuses.has(file) && !isSkipped(statuses, file, title)),
    );
    const unproven = judged.filter(({ file, title }) => statuses.get(file)?.get(title) !== 'passed');
    for (const { file, title } of unproven) problems.push(`${id}: "${title}" has not passed in ${file}`);
    if (tests.length > 0 && judged.length === tests.length && unproven.length === 0) proven += 1;
  }
  return { proven, total: rows.length, problems };
}

/** Finds results by file and title. If several tests have the same title, one that has not passed counts. */
function collectStatuses(results, root) {
  const statuses = new Map();
  for (const { name, assertionResults } of results) {
    const file = relative(root, name);
    const titles = statuses.get(file) ?? new Map();
    statuses.set(file, titles);
    for (const { fullName, status } of assertionResults) {
      if (status !== 'passed' || !titles.has(fullName)) titles.set(fullName, status);
    }
  }
  return statuses;
}

function isSkipped(statuses, file, title) {
  const status = statuses.get(file)?.get(title);
  return status !== undefined && status !== 'passed' && status !== 'failed';
}
