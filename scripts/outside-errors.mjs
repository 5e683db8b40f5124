import { writeFileSync } from 'node:fs';

/** Writes how many errors happened outside any test to the file in FLOTILLA_TEST_ERRORS: the report does not have them. */
export default class OutsideErrors {
  onTestRunEnd(_, errors) {
    const file = process.env.FLOTILLA_TEST_ERRORS;
    if (file) writeFileSync(file, String(errors.length));
  }
}
