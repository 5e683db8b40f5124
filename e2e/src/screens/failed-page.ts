import type { Page } from 'playwright-core';
import { onTestFailed, TestRunner } from 'vitest';

const CHARACTERS_MAX = 4000;

/**
 * Prints what the page shows if the test that has opened it fails. The returned function does so at once: call it before
 * the page is closed. A page that a hook has opened for a whole file is not printed.
 */
export function printFailed(page: Page): () => Promise<void> {
  const test = TestRunner.getCurrentTest();
  if (!test) return async () => undefined;
  const print = async () => {
    if (test.result?.state !== 'fail' || page.isClosed()) return;
    const text = await page.locator('body').ariaSnapshot({ timeout: 10_000 });
    console.log(`At the failure, ${page.url()} showed:\n${text.slice(0, CHARACTERS_MAX)}`);
  };
  const printIfPossible = () =>
    print().catch((error) => console.log(`Cannot print the page of the failed test: ${error}`));
  onTestFailed(printIfPossible);
  return printIfPossible;
}
