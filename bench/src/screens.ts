// Measures what a person waits for, in a real browser on loopback: the first load, the forms of the largest messages, a
// tab, a letter in the palette. The baseline in the same run is an empty page.
// node bench/src/screens.ts [rounds]
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FleetOfOne, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { launchChromium } from '@flotilla/testkit/chromium';
import type { Browser, Page } from 'playwright-core';
import { median } from './table.ts';

const rounds = Number(process.argv[2] ?? 7);
const VERSION = TEST_ENVOY_VERSIONS.newest;
/** The two largest messages that people edit. */
const FORMS = [
  ['filters', 'big-connection-manager'],
  ['clusters', 'demo-upstream'],
] as const;
/** Present when a field of the form can be edited. */
const FORM = '[aria-label$=", form"] input';

type Cookies = Awaited<ReturnType<typeof signIn>>;

const empty = createServer((_, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>-</title><p>nothing</p>');
});
await new Promise<void>((resolve) => empty.listen(0, '127.0.0.1', resolve));
const emptyUrl = `http://127.0.0.1:${(empty.address() as AddressInfo).port}/`;
const fleet = await FleetOfOne.start();
const browser = await launchChromium();
try {
  const url = `http://127.0.0.1:${fleet.ports.rest}`;
  const made = await fleet.api('POST', '/api/v3/xds/filters', {
    name: 'big-connection-manager',
    version: VERSION,
    type: 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    resource: { stat_prefix: 'http', route_config: { name: 'inline' } },
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const cookies = await signIn(browser, url, (await fleet.state()).password);
  await measureLoads(url, cookies);
  await measureInteractions(url, cookies);
} finally {
  await browser.close();
  await fleet.close();
  empty.close();
}

async function measureLoads(url: string, cookies: Cookies): Promise<void> {
  const loads: FirstLoad[] = [];
  const empties: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    empties.push(await measureEmptyPage());
    loads.push(await measureFirstLoad(url, cookies));
  }
  const usable = loads.map(({ usableMs }) => usableMs);
  console.table({
    'compressed (kB)': Math.round(median(loads.map(({ bytes }) => bytes)) / 1000),
    'first paint (ms)': Math.round(median(loads.map(({ paintMs }) => paintMs))),
    'usable (ms)': Math.round(median(usable)),
    'longest until usable (ms)': Math.round(Math.max(...usable)),
    'an empty page, the baseline (ms)': Math.round(median(empties)),
  });
}

interface FirstLoad {
  readonly bytes: number;
  readonly paintMs: number;
  readonly usableMs: number;
}

/** The page after sign-in in a fresh browser without a cache. Usable: elements can be clicked. */
async function measureFirstLoad(url: string, cookies: Cookies): Promise<FirstLoad> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  await context.addCookies(cookies);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  let bytes = 0;
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  const started = performance.now();
  await page.goto('/p/default/overview', { waitUntil: 'commit' });
  await page.getByRole('region', { name: 'What changed lately' }).getByRole('link').first().waitFor();
  const usableMs = performance.now() - started;
  // Its own requests belong to the first load, too, including charts.
  await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined);
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  await context.close();
  return { bytes, paintMs, usableMs };
}

async function measureEmptyPage(): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const started = performance.now();
  await page.goto(emptyUrl, { waitUntil: 'commit' });
  await page.getByText('nothing').waitFor();
  const took = performance.now() - started;
  await context.close();
  return took;
}

async function measureInteractions(url: string, cookies: Cookies): Promise<void> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  await context.addCookies(cookies);
  const page = await context.newPage();
  const timings: Record<string, number[]> = {};
  const note = (what: string, ms: number) => {
    timings[what] = [...(timings[what] ?? []), ms];
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const [collection, name] of FORMS) {
      await page.goto(`/p/default/resources/${collection}`);
      const link = page.getByRole('link', { name });
      await link.waitFor();
      const when = round === 0 ? 'first time' : 'again';
      note(`form of ${name}, ${when}`, await timeInPage(page, () => link.click(), FORM));
    }
    const tab = page.getByRole('tab', { name: 'Uses and users' });
    note('another tab', await timeInPage(page, () => tab.click(), '[role="tabpanel"] h2'));
    note('palette', await timeInPage(page, () => page.keyboard.press('Control+k'), '[role="option"]'));
    await page.keyboard.press('Escape');
  }
  await context.close();
  console.table(
    Object.fromEntries(
      Object.entries(timings).map(([what, ms]) => [
        what,
        { 'median (ms)': Math.round(median(ms)), 'longest (ms)': Math.round(Math.max(...ms)) },
      ]),
    ),
  );
}

/** From the input to the frame after its effect, by the browser's own clock, which excludes the remote control. */
async function timeInPage(page: Page, act: () => Promise<void>, effect: string): Promise<number> {
  await page.evaluate((selector) => {
    const scope = globalThis as unknown as { measured?: Promise<number> };
    scope.measured = new Promise((resolve) => {
      let started = 0;
      const begin = () => {
        started ||= performance.now();
      };
      addEventListener('pointerdown', begin, { capture: true, once: true });
      addEventListener('keydown', begin, { capture: true, once: true });
      const look = () => {
        if (started > 0 && document.querySelector(selector)) resolve(performance.now() - started);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
  }, effect);
  await act();
  return page.evaluate(() => (globalThis as unknown as { measured: Promise<number> }).measured);
}

async function signIn(browser: Browser, url: string, password: string) {
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  await page.goto('/');
  await page.getByLabel('User name').fill('admin');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}
