import { createId } from '@flotilla/kit';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, type PageOptions, PROJECT, type Stage, type StagePage } from './stage.ts';

const DISPATCH = '**/api/op/clients?*';

let stage: Stage;
let places: Places;
let opened: StagePage | undefined;
beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  await opened?.close();
  opened = undefined;
});
// Other files use the same Envoy.
afterAll(() => setLevel('info'));

async function open(path: string, options: PageOptions = {}): Promise<Page> {
  opened = await stage.open(`/p/${PROJECT}/${path}`, options);
  return opened.page;
}

async function setLevel(level: string): Promise<void> {
  const command = { service_id: places.service, path: '/logging', queries: { paths: `http:${level}` } };
  const clients = [{ client_id: places.client }];
  const { body } = await stage.fleet.api('POST', '/api/op/clients', { type: 'PROXY', clients, command });
  expect(body.results).toMatchObject([{ outcome: 'done' }]);
}

const ofService = (search = '') => `services/${places.service}?tab=logs${search}`;
const ofClient = (search = '') => `clients/${places.client}?tab=logs${search}`;
const lines = (page: Page) => page.getByLabel('Log lines');
const kindOfLog = (page: Page) => page.getByRole('radiogroup', { name: 'Log' });

const entry = (n: number, message: string) => ({
  timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  level: n % 2 === 0 ? 'info' : 'error',
  source: 'envoy',
  component: 'main',
  message,
  file: 'envoy.log',
});

/** Answers like a client with this page. */
async function answer(route: Route, page: Record<string, unknown>): Promise<void> {
  const result = { older_cursor: null, newer_cursor: 'eyJ4Ijox', complete: true, gap: false, notes: [], ...page };
  const one = {
    client_id: places.client,
    client_name: 'edge',
    command_id: null,
    outcome: 'done',
    duration_ms: 1,
    result,
  };
  await route.fulfill({ json: { results: [one] } });
}

describe('the logs of a service', () => {
  it('show new requests while they are followed, until a pause', async () => {
    const page = await open(ofService());
    await lines(page).getByText('envoy/').first().waitFor();
    await look(page, 'logs-service-light');
    const id = createId();
    await page.getByRole('searchbox', { name: 'Search lines' }).fill(id);
    await page.keyboard.press('Enter');
    await page.getByText('No lines', { exact: true }).waitFor();
    await look(page, 'logs-empty-light');
    await page.getByRole('button', { name: 'Follow' }).press('Enter');
    await page
      .getByRole('status')
      .getByText(/following/)
      .waitFor();
    await expect.poll(() => page.url()).toContain('follow=1');
    // With this level, Envoy logs the headers of each request.
    await setLevel('debug');
    await stage.fleet.request(`/open?${id}`);
    await lines(page).getByText(id).first().waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect.poll(() => page.url()).not.toContain('follow');
    await lines(page).getByText(id).first().waitFor();
  });

  it('are text, whatever was logged, and older ones are loaded in front', async () => {
    const attack = '<img src=x onerror="document.title=1"> $(id) "x"\nsecond line';
    const page = await open(ofService('&log=ENVOY&level=error&range=1h'), { scheme: 'dark' });
    await lines(page)
      .or(page.getByText('No lines', { exact: true }))
      .first()
      .waitFor();
    const asked: Array<Record<string, unknown>> = [];
    await page.route(DISPATCH, async (route) => {
      const { command } = route.request().postDataJSON();
      asked.push(command);
      if (command.cursor === undefined) await answer(route, { logs: [entry(3, attack)], older_cursor: 'eyJvIjox' });
      else await answer(route, { logs: [entry(1, 'the first line')], notes: ['A note of the agent.'] });
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await lines(page)
      .getByText(attack.split('\n')[0] ?? '')
      .waitFor();
    expect(await page.locator('pre img').count()).toBe(0);
    await page.getByRole('button', { name: 'Load older lines' }).click();
    await lines(page).getByText('the first line').waitFor();
    await page.getByText('This is the first line.').waitFor();
    await page.getByText('A note of the agent.').waitFor();
    expect(((await lines(page).textContent()) ?? '').indexOf('the first line')).toBeLessThan(60);
    expect(asked).toMatchObject([
      { log_type: 'ENVOY', level: 'error', count: 300, since: expect.any(String) },
      { cursor: 'eyJvIjox', log_type: 'ENVOY', level: 'error' },
    ]);
    await look(page, 'logs-service-dark');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toMatch(/^demo-.+-envoy\.log$/);
  });

  it('say what they wait for and why there are none', async () => {
    const page = await open(ofService());
    await lines(page).first().waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(DISPATCH, async (route) => {
      await held.promise;
      await route.fulfill({ status: 500, json: { code: 'internal', message: 'the disk is full' } });
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await lines(page).waitFor({ state: 'hidden' });
    held.resolve();
    await page
      .getByText(/the disk is full/)
      .first()
      .waitFor();
    await look(page, 'logs-error-light');
  });
});

describe('the logs of a client', () => {
  it('are those of its agent, and routing says what to install', async () => {
    const page = await open(ofClient(), { scheme: 'dark' });
    await lines(page).getByText(/agent/).first().waitFor();
    await look(page, 'logs-client-dark');
    await kindOfLog(page).getByText('Routing', { exact: true }).click();
    await page.getByText(/Install FRR/).waitFor();
    await look(page, 'logs-routing-dark');
  });

  it('contain the journal of the host for admins only', async () => {
    const page = await open(ofClient(), { user: { username: 'victor', password: places.passwords.victor } });
    await kindOfLog(page).getByText('Routing', { exact: true }).waitFor();
    expect(await kindOfLog(page).getByText('Host', { exact: true }).count()).toBe(0);
  });
});
