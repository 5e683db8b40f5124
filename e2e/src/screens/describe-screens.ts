import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { furnish, type Places } from './furnish.ts';
import type { Screen } from './screen.ts';
import { listScreens } from './screen-table.ts';
import { expectAccessible, Stage, type StagePage, settle, takePicture } from './stage.ts';

/** What people look at most, and stands for the rest. */
const MAIN = [
  'overview',
  'clients',
  'client-overview',
  'services',
  'service-overview',
  'service-nodes',
  'list-clusters',
  'cluster-form',
  'policies',
  'policy',
  'audit',
  'users',
  'jobs',
  'profile',
];

/** They are known before the stage is. */
const namesOf = (list: (places: Places) => readonly Screen[]) => list({} as Places).map(({ name }) => name);

const stray = MAIN.find((name) => !namesOf(listScreens).includes(name));
if (stray !== undefined) throw new Error(`no screen ${stray}`);

const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
/** 1280 px zoomed to 200 %. */
const ZOOMED = { width: 640, height: 400 };

/** Looks at every screen of a part of the table, on a stage of its own. */
export function describeScreens(list: (places: Places) => readonly Screen[]): void {
  const names = namesOf(list);
  let stage: Stage;
  let screens: readonly Screen[];
  let opened: StagePage;

  beforeAll(async () => {
    stage = await Stage.open();
    screens = list(await furnish(stage));
    opened = await open();
  });
  afterAll(() => stage?.close());

  async function open(): Promise<StagePage> {
    const made = await stage.open('/');
    await made.page.getByRole('banner').waitFor();
    return made;
  }

  /** All screens are looked at in one page; one in which a screen failed is left: if it hangs, it costs one test and not all that follow. */
  async function onPage(check: (opened: StagePage) => Promise<void>): Promise<void> {
    try {
      await check(opened);
    } catch (error) {
      await opened.discard();
      opened = await open();
      throw error;
    }
  }

  function find(name: string): Screen {
    const screen = screens.find((one) => one.name === name);
    if (!screen) throw new Error(`no screen ${name}`);
    return screen;
  }

  describe('every screen in both themes, at 1280 and 390 px', () => {
    it.each(names)('%s', (name) =>
      onPage(async ({ page, complaints }) => {
        const screen = find(name);
        const before = complaints.length;
        await page.setViewportSize(WIDE);
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(screen.path);
        await expectShown(page, screen);
        await expectFine(page, `${name} light 1280`);
        await choose(page, 'dark');
        await expectHolds(page, `${name} dark 1280`);

        await page.setViewportSize(PHONE);
        await page.reload();
        await expectShown(page, screen);
        await expectFine(page, `${name} dark 390`);
        await choose(page, 'light');
        await expectHolds(page, `${name} light 390`);
        expect(complaints.slice(before)).toEqual([]);
      }),
    );
  });

  describe('zoomed to 200 %', () => {
    it.each(names.filter((name) => MAIN.includes(name)))('%s needs no scrolling in two directions', (name) =>
      onPage(async ({ page }) => {
        await page.setViewportSize(ZOOMED);
        await page.goto(find(name).path);
        await expectShown(page, find(name));
        await expectNoOverflow(page);
        await takePicture(page, `${name} zoomed`);
      }),
    );
  });
}

/** As the system's theme changes while the page is open. */
async function choose(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
}

async function expectShown(page: Page, { heading, tab, dialog }: Screen): Promise<void> {
  // Behind a dialog nothing has a role.
  const title = page.locator('h1');
  await title.waitFor();
  await settle(page);
  if (dialog !== undefined) {
    await page.getByRole('dialog', { name: dialog }).waitFor();
  } else await page.getByRole('heading', { level: 1, name: heading, exact: typeof heading === 'string' }).waitFor();
  if (tab !== undefined) await page.getByRole('tab', { name: tab, selected: true }).waitFor();
  await settle(page);
}

/** The automatic checks once in each theme and at each width: what they find depends on one or the other. */
async function expectFine(page: Page, what: string): Promise<void> {
  await expectHolds(page, what);
  await expectAccessible(page, what);
}

async function expectHolds(page: Page, what: string): Promise<void> {
  await settle(page);
  await takePicture(page, what);
  await expectNoOverflow(page);
}

async function expectNoOverflow(page: Page): Promise<void> {
  const sizes = await page.evaluate(() => ({
    content: document.scrollingElement?.scrollWidth ?? 0,
    window: window.innerWidth,
  }));
  expect(sizes.content).toBeLessThanOrEqual(sizes.window);
}
