// Measures what a person waits for, in a real browser on loopback: the first load of the overview and of a service, the forms
// of the largest messages, a tab, a letter in the palette. The baseline in the same run is an empty page.
// node bench/src/screens.ts [rounds] [services]
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FleetOfOne, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { launchChromium } from '@flotilla/testkit/chromium';
import type { Browser, Locator, Page } from 'playwright-core';
import { median } from './table.ts';

const rounds = Number(process.argv[2] ?? 7);
/** More services in the project, besides the one of the demo. */
const services = Number(process.argv[3] ?? 1000);
const VERSION = TEST_ENVOY_VERSIONS.newest;
/** The two largest messages that people edit. */
const FORMS = [
  ['filters', 'big-connection-manager'],
  ['clusters', 'demo-upstream'],
] as const;
/** Present when a field of the form can be edited. */
const FORM = '[aria-label$=", form"] input';

type Cookies = Awaited<ReturnType<typeof signIn>>;

/** A page and what is visible when it is usable. */
interface Measured {
  readonly url: string;
  readonly cookies: Cookies;
  readonly path: string;
  readonly usable: (page: Page) => Locator;
}

const OVERVIEW = {
  path: '/p/default/overview',
  usable: (page: Page) => page.getByRole('region', { name: 'Recent changes' }).getByRole('link').first(),
};
const SERVICE = { usable: (page: Page) => page.getByRole('tab', { name: 'Overview', selected: true }) };

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
  const service = await addServices();
  await measureLoads('the overview', { url, cookies, ...OVERVIEW });
  await measureLoads('a service', { url, cookies, path: `/p/default/services/${service}`, ...SERVICE });
  await measureInteractions(url, cookies);
} finally {
  await browser.close();
  await fleet.close();
  empty.close();
}

/** Adds services like that of the demo, and returns the id of the latter. */
async function addServices(): Promise<string> {
  const { body: list } = await fleet.api('GET', '/api/op/services');
  const { body: demo } = await fleet.api('GET', `/api/op/services/${list.items[0].id}`);
  const { id, version, bootstrap, listeners } = demo;
  for (let i = 0; i < services; i += 1) {
    const made = await fleet.api('POST', '/api/op/services', { name: `service-${i}`, version, bootstrap, listeners });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  }
  return id;
}

async function measureLoads(what: string, measured: Measured): Promise<void> {
  const loads: FirstLoad[] = [];
  const empties: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    empties.push(await measureEmptyPage());
    loads.push(await measureFirstLoad(measured));
  }
  const usable = loads.map(({ usableMs }) => usableMs);
  const kilobytes = (of: (load: FirstLoad) => number) => Math.round(median(loads.map(of)) / 1000);
  console.log(`first load of ${what}, with ${services + 1} services`);
  console.table({
    'compressed (kB)': kilobytes(({ bytes }) => bytes),
    'scripts and styles until usable (kB)': kilobytes(({ codeBytes }) => codeBytes),
    'first paint (ms)': Math.round(median(loads.map(({ paintMs }) => paintMs))),
    'usable (ms)': Math.round(median(usable)),
    'longest until usable (ms)': Math.round(Math.max(...usable)),
    'an empty page, the baseline (ms)': Math.round(median(empties)),
  });
}

interface FirstLoad {
  readonly bytes: number;
  /** Scripts and styles that had arrived when the page was usable. */
  readonly codeBytes: number;
  readonly paintMs: number;
  readonly usableMs: number;
}

/** The page after sign-in in a fresh browser without a cache. Usable: elements can be clicked. */
async function measureFirstLoad({ url, cookies, path, usable }: Measured): Promise<FirstLoad> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 } });
  await context.addCookies(cookies);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  const code = new Set<string>();
  cdp.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script' || type === 'Stylesheet') code.add(requestId);
  });
  const sizes = { all: 0, code: 0 };
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    sizes.all += encodedDataLength;
    if (code.has(requestId)) sizes.code += encodedDataLength;
  });
  const started = performance.now();
  await page.goto(path, { waitUntil: 'commit' });
  await usable(page).waitFor();
  const usableMs = performance.now() - started;
  const codeBytes = sizes.code;
  // Its own requests belong to the first load, too, including charts.
  await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined);
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  await context.close();
  return { bytes: sizes.all, codeBytes, paintMs, usableMs };
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
    const tab = page.getByRole('tab', { name: 'References' });
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
