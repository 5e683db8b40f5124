import { isFullTier, selectForTier } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLOUR_RULES, choose, expectFits, PHONE, WIDE } from './everywhere.ts';
import type { Places } from './furnish.ts';
import type { Screen } from './screen.ts';
import { listScreens, MAIN_SCREENS } from './screen-table.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, type Stage, type StagePage } from './stage.ts';

/** Names are known before the stage opens. */
const namesOf = (list: (places: Places) => readonly Screen[]) => list({} as Places).map(({ name }) => name);

const stray = MAIN_SCREENS.find((name) => !namesOf(listScreens).includes(name));
if (stray !== undefined) throw new Error(`no screen has the name ${stray}`);

/** 1280 px zoomed to 200 %. */
const ZOOMED = { width: 640, height: 400 };

/** Checks every screen of a part of the table; in the tests of a commit the main ones, and a sixth of the others. */
export function describeScreens(list: (places: Places) => readonly Screen[]): void {
  const all = namesOf(list);
  const selected = new Set([...MAIN_SCREENS, ...selectForTier(all, 6)]);
  const names = all.filter((name) => selected.has(name));
  let stage: Stage;
  let screens: readonly Screen[];
  let opened: StagePage;

  beforeAll(async () => {
    const shared = await shareFurnishedStage();
    stage = shared.stage;
    screens = list(shared.places);
    opened = await open();
  });
  afterAll(() => opened?.close());

  async function open(): Promise<StagePage> {
    const made = await stage.open('/');
    await made.page.getByRole('banner').waitFor();
    return made;
  }

  /** Checks all screens in one page. After a failure the page is replaced, so that a page that hangs costs only one test. */
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
    if (!screen) throw new Error(`no screen has the name ${name}`);
    return screen;
  }

  describe('screens in both themes', () => {
    it.each(names)('%s at 1280 px', (name) =>
      onPage(async ({ page, complaints }) => {
        const screen = find(name);
        const before = complaints.length;
        await page.setViewportSize(WIDE);
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(screen.path);
        await expectShown(page, screen);
        await expectFine(page, `${name} light 1280`);
        await choose(page, 'dark');
        await expectFits(page, `${name} dark 1280`);
        await expectAccessible(page, `${name} dark 1280`, COLOUR_RULES);
        if (MAIN_SCREENS.includes(name)) {
          await page.setViewportSize(ZOOMED);
          await expectFits(page, `${name} zoomed`);
        }
        expect(complaints.slice(before)).toEqual([]);
      }),
    );

    // The automatic checks have looked at both themes; a narrow page has the same elements.
    it.runIf(isFullTier).each(names)('%s at 390 px', (name) =>
      onPage(async ({ page, complaints }) => {
        const screen = find(name);
        const before = complaints.length;
        await page.setViewportSize(PHONE);
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.goto(screen.path);
        await expectShown(page, screen);
        await expectFine(page, `${name} dark 390`);
        await choose(page, 'light');
        await expectFits(page, `${name} light 390`);
        expect(complaints.slice(before)).toEqual([]);
      }),
    );
  });
}

/** Waits for the parts of the screen that its URL names. */
async function expectShown(page: Page, { heading, tab, dialog }: Screen): Promise<void> {
  // While a dialog is open, the page behind it has no roles.
  await page.locator('h1').waitFor();
  if (dialog !== undefined) {
    await page.getByRole('dialog', { name: dialog }).waitFor();
  } else await page.getByRole('heading', { level: 1, name: heading, exact: typeof heading === 'string' }).waitFor();
  if (tab !== undefined) await page.getByRole('tab', { name: tab, selected: true }).waitFor();
}

/** Runs the automatic checks, too. */
async function expectFine(page: Page, what: string): Promise<void> {
  await expectFits(page, what);
  await expectAccessible(page, what);
}
