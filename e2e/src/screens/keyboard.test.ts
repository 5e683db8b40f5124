import { isFullTier } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage, settle, takePicture } from './stage.ts';

let stage: Stage;
let places: Places;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
});

const TABS_MAX = 120;

/** Describes the focused element. */
async function describeFocus(page: Page): Promise<{ name: string; isVisible: boolean }> {
  // The editor marks itself a moment after it gets the focus.
  await page.waitForFunction(() => document.activeElement?.closest('.cm-editor:not(.cm-focused)') == null);
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return { name: 'nothing', isVisible: true };
    const label =
      element.getAttribute('aria-label') ||
      (element.id && document.querySelector(`label[for="${CSS.escape(element.id)}"]`)?.textContent) ||
      element.textContent ||
      element.tagName;
    // The ring may be drawn by the element itself or by its container: an input by its box, a segment by its label.
    const parts: HTMLElement[] = [];
    if (element.nextElementSibling instanceof HTMLElement) parts.push(element.nextElementSibling);
    for (let one: Element | null = element; one && parts.length < 7; one = one.parentElement)
      if (one instanceof HTMLElement) parts.push(one);
    const isOutlined = parts.some(
      (one) => getComputedStyle(one).outlineStyle !== 'none' && one.matches(':focus, .cm-focused'),
    );
    let isVisible = isOutlined;
    if (!isOutlined && element instanceof HTMLElement) {
      const look = () =>
        parts.map((one) => {
          const { outlineStyle, boxShadow, borderColor } = getComputedStyle(one);
          return [outlineStyle, boxShadow, borderColor].join();
        });
      // Compares final colours, not those of a transition.
      for (const one of parts) one.style.transition = 'none';
      const focused = look();
      element.blur();
      isVisible = look().some((one, index) => one !== focused[index]);
      element.focus();
      for (const one of parts) one.style.transition = '';
    }
    return { name: label.trim().slice(0, 60), isVisible };
  });
}

async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let step = 0; step < TABS_MAX; step += 1) {
    const focus = await describeFocus(page);
    expect(focus.isVisible, `the focus on ${focus.name} is seen`).toBe(true);
    if (typeof name === 'string' ? focus.name === name : name.test(focus.name)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not move the focus to ${name}`);
}

function expectFocusOn(page: Page, name: string | RegExp): Promise<void> {
  return expect.poll(async () => (await describeFocus(page)).name).toMatch(name);
}

describe('without a mouse', () => {
  it('a person can sign in, create a cluster from a template, save it, edit it and find its history', async () => {
    const { page, complaints, close } = await stage.open('/', { user: undefined });
    const { username, password } = await stage.admin();
    await page.getByLabel('User name').waitFor();
    await page.keyboard.type(username);
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByRole('banner').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await settle(page);

    await runCommand(page, 'create a cluster');
    await page.getByRole('heading', { level: 1, name: 'New cluster' }).waitFor();
    await settle(page);
    await tabTo(page, /^Servers by DNS name/);
    await page.keyboard.press('Enter');
    await expectFocusOn(page, /^Name/);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('by-keys');
    await tabTo(page, /^Addresses/);
    await page.keyboard.type('by-keys.example.com:8080');
    await tabTo(page, 'Continue');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Review and create' }).waitFor();
    await settle(page);
    await tabTo(page, 'Review and create');
    await page.keyboard.press('Enter');
    const review = page.getByRole('dialog', { name: 'Create cluster by-keys?' });
    await review.waitFor();
    await settle(page);
    await tabTo(page, 'Create');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^by-keys/ }).waitFor();
    await settle(page);

    await tabTo(page, 'Cluster');
    for (const _ of ['Traffic', 'References', 'History']) await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'History', selected: true }).waitFor();
    await page.getByRole('list', { name: 'Revisions, newest first' }).waitFor();
    await settle(page);
    await tabTo(page, /^Revision 1/);
    await takePicture(page, 'keyboard history');
    expect(complaints).toEqual([]);
    await close();
  });

  it('the content is one key away, past the navigation', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/resources/clusters`);
    await page.getByRole('link', { name: 'demo-upstream' }).waitFor();
    await page.keyboard.press('Tab');
    await expectFocusOn(page, 'Skip to content');
    await takePicture(page, 'keyboard skip');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await expectFocusOn(page, /Create cluster/);
    await close();
  });

  it('a list can be searched, filtered, navigated and opened', async () => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/resources/listeners`);
    await page.getByRole('link', { name: 'demo-listener' }).waitFor();
    await settle(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Search listeners');
    await page.keyboard.type('demo');
    await page.waitForURL(/q=demo/);
    await tabTo(page, 'Filter');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: places.version }).waitFor();
    await tabTo(page, places.version);
    await page.keyboard.press('Space');
    await page.waitForURL(/version=/);
    await page.keyboard.press('Escape');
    await expectFocusOn(page, 'Filter');
    await tabTo(page, `Remove filter Proxy version: ${places.version}`);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.search.includes('version'));
    await page.getByRole('link', { name: 'demo-listener' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^demo-listener/ }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'demo-listener' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('rows can be navigated with the arrow keys', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/audit`);
    await page.getByRole('row').nth(3).waitFor();
    await settle(page);
    const at = () => page.evaluate(() => document.activeElement?.closest('[data-index]')?.getAttribute('data-index'));
    await page.locator('[data-index="0"]').locator('a, button').first().focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(at).toBe('1');
    await page.keyboard.press('ArrowDown');
    await expect.poll(at).toBe('2');
    await page.keyboard.press('ArrowUp');
    await expect.poll(at).toBe('1');
    await close();
  });

  it('g and a letter opens a page, a slash searches its list, and a question mark lists the keys', async () => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/overview`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await settle(page);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('heading', { level: 1, name: 'Clients' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search clients' }).waitFor();
    await page.keyboard.press('/');
    await expectFocusOn(page, 'Search clients');
    // Letters in a field are text.
    await page.keyboard.type('g s?');
    await page.waitForURL(/q=g/);
    expect(new URL(page.url()).pathname).toBe(`/p/${PROJECT}/clients`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByRole('row', { name: 'g s Services' }).waitFor();
    await look(page, 'keyboard shortcuts');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await help.waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('groups of the navigation close and stay closed, and the palette groups what it finds', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/audit`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const group = page.getByRole('button', { name: 'Administration' });
    const navigation = page.getByRole('navigation', { name: 'Main' });
    await group.press('Enter');
    await navigation.getByRole('link', { name: 'Jobs' }).waitFor({ state: 'hidden' });
    await navigation.getByRole('link', { name: 'Audit log' }).waitFor();
    await page.reload();
    await expect.poll(() => group.getAttribute('aria-expanded')).toBe('false');
    await group.press('Enter');
    await navigation.getByRole('link', { name: 'Jobs' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('demo');
    await page.getByRole('option', { name: 'demo-policy' }).waitFor();
    const headings = page.getByRole('listbox', { name: 'Results' }).getByRole('presentation');
    await expect.poll(() => headings.allTextContents()).toContain('Names');
    await look(page, 'palette in groups');
    await close();
  });

  const OPENERS: readonly {
    what: string;
    path: () => string;
    opener: string | RegExp;
    opens: 'dialog' | 'menu' | 'listbox';
  }[] = [
    { what: 'the drawer to enrol a client', path: () => 'clients', opener: 'Enrol a client', opens: 'dialog' },
    {
      what: 'the dialog to remove a client',
      path: () => `clients/${places.client}`,
      opener: 'Remove',
      opens: 'dialog',
    },
    { what: 'the menu of a service', path: () => `services/${places.service}`, opener: /^Actions/, opens: 'menu' },
    {
      what: 'the menu of a document',
      path: () => `resources/routes/${places.version}/demo-routes`,
      opener: 'Actions',
      opens: 'menu',
    },
    { what: 'the drawer to create a token', path: () => 'tokens', opener: /^Create/, opens: 'dialog' },
    { what: 'the drawer to add a user', path: () => 'users', opener: /^Add/, opens: 'dialog' },
    { what: 'the drawer to create a project', path: () => '/projects', opener: /^Create/, opens: 'dialog' },
    { what: 'the filters of a list', path: () => 'services', opener: 'Filter', opens: 'dialog' },
    { what: 'the columns of a list', path: () => 'clients', opener: 'Columns and density', opens: 'dialog' },
    { what: 'the account', path: () => 'overview', opener: /^Account of/, opens: 'menu' },
  ];

  /** One of each kind: a drawer, a dialog, a menu, a popover. */
  const OPENED = isFullTier ? OPENERS : OPENERS.filter((_, index) => [0, 1, 2, 7, 9].includes(index));

  it.each(OPENED)('$what opens, closes with Escape, and returns the focus', async ({ path, opener, opens }) => {
    const { page, close } = await stage.open(path().startsWith('/') ? path() : `/p/${PROJECT}/${path()}`);
    await page.locator('h1').waitFor();
    await settle(page);
    const button = page.getByRole('button', { name: opener }).first();
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole(opens).first().waitFor();
    await settle(page);
    const isInside = () =>
      page.evaluate(() => document.activeElement?.closest('[role=dialog], [role=menu], [role=listbox]') !== null);
    await expect.poll(isInside).toBe(true);
    if (opens === 'dialog') {
      // The focus stays inside.
      for (let step = 0; step < 15; step += 1) {
        await page.keyboard.press('Tab');
        const at = await describeFocus(page);
        expect(at.isVisible, at.name).toBe(true);
      }
      expect(await isInside()).toBe(true);
    } else await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await page.getByRole(opens).first().waitFor({ state: 'detached' });
    await expect.poll(() => button.evaluate((one) => one === document.activeElement)).toBe(true);
    await close();
  });

  /** One page of each kind: tiles, a list with filters, a form, an editor. */
  const WALKED = [
    'overview',
    'shield/events',
    'services/new',
    'resources/clusters/new?starter=empty',
    'policies/demo-policy',
  ];
  const WALKED_IN_FULL = [
    'clients',
    'services',
    'resources/clusters',
    'policies',
    'policies/new',
    'policies/demo-policy?at=d0.r0',
    'policies/demo-policy?tab=try',
    'audit',
    'users',
    'tokens',
  ];

  it.each(isFullTier ? [...WALKED, ...WALKED_IN_FULL] : WALKED)(
    'on %s the focus is always visible, and nothing traps it',
    async (path) => {
      const { page, close } = await stage.open(`/p/${PROJECT}/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settle(page);
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      const seen: string[] = [];
      for (let step = 0; step < TABS_MAX; step += 1) {
        await page.keyboard.press('Tab');
        const focus = await describeFocus(page);
        if (focus.name === 'nothing') break;
        expect(focus.isVisible, `${focus.name}, after ${seen.at(-1)}`).toBe(true);
        // Tab is a character in an editor, until Escape.
        if (await page.evaluate(() => document.activeElement?.closest('.cm-editor') !== null))
          await page.keyboard.press('Escape');
        seen.push(focus.name);
      }
      expect(new Set(seen).size).toBeGreaterThan(15);
      await close();
    },
  );
});

/** Runs a command of the palette. */
async function runCommand(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search and commands' }).waitFor();
  await page.keyboard.type(words);
  await page
    .getByRole('option', { name: new RegExp(words, 'i') })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
}
