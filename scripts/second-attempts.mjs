/**
 * Names the tests that passed only at their second attempt, behind everything else that is printed: a machine with two
 * cores is now and then too slow for a browser, but what is uncertain must not go unseen.
 */
export default class SecondAttempts {
  #names = [];

  onTestCaseResult(test) {
    const { retryCount = 0 } = test.diagnostic() ?? {};
    if (retryCount > 0 && test.result().state === 'passed') {
      this.#names.push(`${test.module.relativeModuleId}: ${test.fullName}`);
    }
  }

  onTestRunEnd() {
    if (this.#names.length === 0) return;
    console.log(`\nPassed at the second attempt only (${this.#names.length}):`);
    for (const name of this.#names) console.log(`  ${name}`);
  }
}
