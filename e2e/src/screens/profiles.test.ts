import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { launchChromium } from '@flotilla/testkit/chromium';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Profiles } from './profiles.ts';

let server: Server;
let browser: Browser;
let url: string;

beforeAll(async () => {
  server = createServer((request, answer) => {
    const type = request.url === '/icon.svg' ? 'image/svg+xml' : 'text/html';
    answer
      .setHeader('content-type', type)
      .end(type === 'text/html' ? 'real' : '<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

it('the next user of a profile finds nothing of the previous one', async () => {
  const profiles = new Profiles(browser, url);
  const before = await profiles.take(undefined);
  const { page } = before;
  await page.goto('/');
  const steps = await page.evaluate(() => history.length);
  await page.evaluate(() => {
    localStorage.setItem('left', 'behind');
    sessionStorage.setItem('left', 'behind');
    window.name = 'left behind';
  });
  await page.context().addCookies([{ name: 'left', value: 'behind', url }]);
  await page.context().route('**/*', (route) => route.fulfill({ body: 'made up' }));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto('/elsewhere');
  await before.leave();

  const session = { name: 'session', value: 's', domain: '127.0.0.1', path: '/', expires: -1 };
  const after = await profiles.take({
    cookies: [{ ...session, httpOnly: true, secure: false, sameSite: 'Strict' }],
    origins: [{ origin: url, localStorage: [{ name: 'mine', value: 'brought along' }] }],
  });
  expect(after.page.context()).toBe(page.context());
  await after.page.goto('/');
  const found = await after.page.evaluate(() => ({
    text: document.body.textContent,
    stored: { ...localStorage, ...sessionStorage },
    cookie: document.cookie,
    name: window.name,
    steps: history.length,
    width: window.innerWidth,
    isDark: matchMedia('(prefers-color-scheme: dark)').matches,
  }));
  expect(found).toEqual({
    text: 'real',
    stored: { mine: 'brought along' },
    cookie: '',
    name: '',
    steps,
    width: 1280,
    isDark: false,
  });
  expect((await after.page.context().cookies()).map(({ name }) => name)).toEqual(['session']);
  await after.leave();
});

it('two profiles at the same time share nothing, and a discarded one is never used again', async () => {
  const profiles = new Profiles(browser, url);
  const [one, other] = [await profiles.take(undefined), await profiles.take(undefined)];
  expect(other.page.context()).not.toBe(one.page.context());
  await one.page.goto('/');
  await one.discard();
  const next = await profiles.take(undefined);
  expect(next.page.context()).not.toBe(one.page.context());
  await Promise.all([other.leave(), next.leave()]);
});
