import { isFullTier } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, settle, takePicture } from './stage.ts';

export const WIDE = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** A theme changes nothing but colours, so these checks are enough for the second one. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];
/** A narrow page has the same elements, some of which scroll. */
const NARROW_RULES = ['scrollable-region-focusable'];

/**
 * Looks at one state of a page: the automatic checks, the second theme, and the width of a phone. The page is not loaded
 * again for them, and is wide and dark afterwards: a page with many elements needs a second for another theme.
 */
export async function lookEverywhere(page: Page, name: string): Promise<void> {
  // A theme or a width moves other elements below the pointer, and one of them may show its tooltip.
  await page.mouse.move(0, 0);
  await choose(page, 'light');
  await expectFits(page, `${name}-light-1280`);
  await expectAccessible(page, `${name} light 1280`);
  await choose(page, 'dark');
  await expectFits(page, `${name}-dark-1280`);
  await expectAccessible(page, `${name} dark 1280`, isFullTier ? undefined : COLOUR_RULES);
  await page.setViewportSize(PHONE);
  await expectFits(page, `${name}-dark-390`);
  await expectAccessible(page, `${name} dark 390`, isFullTier ? undefined : NARROW_RULES);
  await page.setViewportSize(WIDE);
}

/** Changes the system's theme while the page is open. */
export async function choose(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
}

/** Waits until nothing moves, writes a picture, and fails if the page is wider than its window. */
export async function expectFits(page: Page, name: string): Promise<void> {
  await settle(page);
  await takePicture(page, name);
  const sizes = await page.evaluate(() => ({
    content: document.scrollingElement?.scrollWidth ?? 0,
    window: window.innerWidth,
  }));
  expect(sizes.content, name).toBeLessThanOrEqual(sizes.window);
}
