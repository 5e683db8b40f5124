import type { Browser, BrowserContext, Page } from 'playwright-core';

/** Cookies and local storage of a signed-in person. */
export type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>;

/** As long as `expect.poll` waits (vitest.config.ts). */
const WAIT_MS = 90_000;

/** The wide screens; a page may have another size. */
const VIEWPORT = { width: 1280, height: 800 };

/** A document of the same origin that runs no script. */
const PARKED_AT = '/icon.svg';

/** A browser profile of one person while it is held: a tab without a history, with only the given cookies and storage. */
export interface Profile {
  readonly page: Page;
  /** Closes all its pages. The emptied profile may be used by the next person. */
  leave(): Promise<void>;
  /** Closes the profile permanently, because its user may have broken it. */
  discard(): Promise<void>;
}

/**
 * Browser profiles that are reused. A used one has the screens' programs loaded and compiled, which is half of the cost of
 * a page; the contents of its tabs, cookies and storage are deleted.
 */
export class Profiles {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #left: { context: BrowserContext; parked: Page }[] = [];

  constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.#url = url;
  }

  async take(state: SignedIn | undefined): Promise<Profile> {
    const left = this.#left.pop();
    if (!left) {
      const context = await this.#browser.newContext({
        baseURL: this.#url,
        viewport: VIEWPORT,
        colorScheme: 'light',
        // Disables animations, because a page is not checked while it fades in.
        reducedMotion: 'reduce',
        ...(state && { storageState: state }),
      });
      context.setDefaultTimeout(WAIT_MS);
      return this.#profile(context, undefined);
    }
    const { context, parked } = left;
    await context.addCookies(state?.cookies ?? []);
    const stored = state?.origins.find(({ origin }) => origin === this.#url)?.localStorage ?? [];
    await parked.evaluate((items) => {
      for (const { name, value } of items) localStorage.setItem(name, value);
    }, stored);
    return this.#profile(context, parked);
  }

  async #profile(context: BrowserContext, parked: Page | undefined): Promise<Profile> {
    return {
      page: await context.newPage(),
      discard: () => context.close(),
      leave: async () => {
        try {
          await this.#leave(context, parked);
        } catch {
          // The browser does not answer, or the tab hangs.
          await context.close();
        }
      },
    };
  }

  /** Keeps one tab, so that the process with the compiled programs stays. It opens before the others close. */
  async #leave(context: BrowserContext, known: Page | undefined): Promise<void> {
    const parked = known ?? (await context.newPage());
    if (!known) await parked.goto(PARKED_AT);
    const others = context.pages().filter((page) => page !== parked);
    await Promise.all(others.map((page) => page.close()));
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.clearPermissions();
    await context.clearCookies();
    await parked.evaluate(() => localStorage.clear());
    this.#left.push({ context, parked });
  }
}
