import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FleetOfOne } from '@flotilla/testkit';
import { launchChromium } from '@flotilla/testkit/chromium';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { printFailed } from './failed-page.ts';
import { Profiles, type SignedIn } from './profiles.ts';

export interface PageOptions {
  readonly width?: 1280 | 390;
  readonly scheme?: 'light' | 'dark';
  /** Undefined: nobody is signed in. */
  readonly user?: { readonly username: string; readonly password: string } | undefined;
}

/** A page that records its errors. */
export interface StagePage {
  readonly page: Page;
  /** Errors of scripts and of the browser, such as violations of the content security policy. Answers of the API are not included. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
  /** Use it instead of `close` if the page may hang or is broken: the browser is not used again. */
  discard(): Promise<void>;
}

export const PROJECT = 'default';

/**
 * A page renews its session before the access token expires, after 15 minutes. The cookies that were kept until then are
 * spent: a page that still presents them ends the session. So they are kept for less, and a test lasts less than the rest.
 */
const KEPT_FOR_MS = 5 * 60_000;

/** The real components: controller, PostgreSQL, agent, Envoy, filter and a browser. */
export class Stage {
  readonly fleet: FleetOfOne;
  readonly url: string;
  readonly #browser: Browser;
  readonly #profiles: Profiles;
  readonly #states = new Map<string, { readonly state: SignedIn; readonly since: number }>();

  private constructor(fleet: FleetOfOne, browser: Browser) {
    this.fleet = fleet;
    this.#browser = browser;
    this.url = `http://127.0.0.1:${fleet.ports.rest}`;
    this.#profiles = new Profiles(browser, this.url);
  }

  /** `hasPageCache`: keeps previous pages for the back button, as usual browsers do. `env` is for the programs. */
  static async open(
    options: { readonly hasPageCache?: boolean; readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<Stage> {
    const fleet = await FleetOfOne.start({ ...(options.env && { env: options.env }) });
    try {
      return new Stage(fleet, await launchChromium(options));
    } catch (error) {
      await fleet.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.fleet.close();
  }

  async admin(): Promise<{ username: string; password: string }> {
    return { username: 'admin', password: (await this.fleet.state()).password };
  }

  /** Opens a page of a signed-in person. Each page has its own browser; only the session is shared. */
  async open(path: string, options: PageOptions = {}): Promise<StagePage> {
    const user = 'user' in options ? options.user : await this.admin();
    const { width = 1280, scheme = 'light' } = options;
    const { page, leave, discard } = await this.#profiles.take(user && (await this.#stateOf(user)));
    if (width === 390) await page.setViewportSize({ width, height: 844 });
    if (scheme === 'dark') await page.emulateMedia({ colorScheme: scheme });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      const text = message.text();
      // The browser itself logs every 4xx and 5xx, also those of expected requests.
      if (message.type() === 'error' && !text.startsWith('Failed to load resource')) complaints.push(text);
    });
    const print = printFailed(page);
    await page.goto(path);
    return { page, complaints, close: () => print().then(leave), discard: () => print().then(discard) };
  }

  async #stateOf(user: { username: string; password: string }) {
    const known = this.#states.get(user.username);
    if (known && performance.now() - known.since < KEPT_FOR_MS) return known.state;
    const { page, leave } = await this.#profiles.take(undefined);
    await page.goto('/');
    await signIn(page, user);
    const state = await page.context().storageState();
    await leave();
    this.#states.set(user.username, { state, since: performance.now() });
    return state;
  }
}

export async function signIn(page: Page, user: { username: string; password: string }): Promise<void> {
  await page.getByLabel('User name').fill(user.username);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
}

/**
 * Waits until the page shows a screen or a dialog, and nothing on it is loading or moving. Between two pages there is a
 * moment with neither: a test that looked at the page then would judge an empty one.
 */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(isSettled);
}

/**
 * Runs in the page, once a frame: a part that the page has just rendered may start to load or to move in the next one. It
 * returns no promise, which Playwright would take for the answer yes.
 */
function isSettled(): boolean {
  const isCalm =
    document.querySelector('h1, [role="dialog"]') !== null &&
    !document.querySelector('[aria-busy="true"], .mantine-Loader-root') &&
    !document.getAnimations().some((animation) => animation instanceof CSSTransition);
  window.settledFrames = isCalm ? (window.settledFrames ?? 0) + 1 : 0;
  if (window.settledFrames < 3) return false;
  // The next wait begins from the start.
  window.settledFrames = 0;
  return true;
}

async function analyze(page: Page, rules: readonly string[] | undefined) {
  // A page keeps axe until it is loaded again: to read its source takes as long as an analysis.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(runAxe, rules && [...rules]);
}

/** Runs in the page. No screen has frames. */
async function runAxe(rules: string[] | undefined) {
  const { violations } = await window.axe.run(document, {
    resultTypes: ['violations'],
    iframes: false,
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

declare global {
  interface Window {
    readonly axe: typeof axe;
    /** Frames in a row in which the page was calm. */
    settledFrames?: number;
  }
}

/**
 * Runs all automatic checks: names, roles, contrast, order of headings; or only `rules`. Colours may still change when it
 * begins, and axe throws if the page removes an element that it is about to name: then it looks again.
 */
export async function expectAccessible(page: Page, what: string, rules?: readonly string[]): Promise<void> {
  await expect.poll(() => analyze(page, rules), { message: what, interval: 100 }).toEqual([]);
}

/** Writes a picture to the folder in SCREENSHOTS, for people to look at. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const dir = process.env.SCREENSHOTS;
  if (!dir) return;
  await mkdir(dir, { recursive: true });
  await page.screenshot({ path: join(dir, `${name}.png`), animations: 'disabled' });
}

/** Waits until nothing moves, writes a picture and runs the automatic checks. */
export async function look(page: Page, name: string): Promise<void> {
  await settle(page);
  await takePicture(page, name);
  await expectAccessible(page, name);
}
