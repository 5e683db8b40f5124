import { createId } from '@flotilla/kit';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, type PageOptions, PROJECT, type Stage, type StagePage } from './stage.ts';

const DISPATCH = '**/api/op/clients?*';

let stage: Stage;
let places: Places;
let opened: StagePage | undefined;
let requests: NodeJS.Timeout;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  requests = setInterval(() => void stage.fleet.request('/open').catch(() => undefined), 100);
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  await opened?.close();
  opened = undefined;
});
afterAll(async () => {
  clearInterval(requests);
  // Other files use the same Envoy.
  await proxy('/healthcheck/ok');
  await proxy('/logging', { level: 'info' });
});

async function open(search: string, options: PageOptions = {}, service = places.service): Promise<Page> {
  opened = await stage.open(`/p/${PROJECT}/services/${service}?tab=envoy${search}`, options);
  return opened.page;
}

async function proxy(path: string, queries: Record<string, string> = {}) {
  const command = { service_id: places.service, path, queries };
  const clients = [{ client_id: places.client }];
  const { body } = await stage.fleet.api('POST', '/api/op/clients', { type: 'PROXY', clients, command });
  return body.results[0].result?.body;
}

const table = (page: Page, name: string) => page.getByRole('table', { name });
const panel = (page: Page) => page.getByRole('group', { name: 'Which Envoy' });

describe('the tab of a running Envoy', () => {
  it('shows its clusters with health, its listeners and its statistics', async () => {
    const page = await open('');
    await panel(page).getByText('Live', { exact: true }).waitFor();
    await table(page, 'Endpoints of the clusters').getByRole('rowheader', { name: 'demo-upstream' }).first().waitFor();
    await look(page, 'envoy-clusters-light');
    await page.getByRole('searchbox').fill('no-such-cluster');
    await page.getByText('No results for “no-such-cluster”').waitFor();
    await page.getByRole('tabpanel').getByText('Listeners', { exact: true }).click();
    const listeners = table(page, 'Listeners of this Envoy');
    await listeners.getByText(`:${stage.fleet.ports.proxy}`).waitFor();
    await look(page, 'envoy-listeners-light');
  });

  it('counts requests live, with rates that can be searched, sorted and paused', async () => {
    const page = await open('&part=statistics', { scheme: 'dark' });
    await page.getByRole('searchbox', { name: 'Search names' }).fill('DOWNSTREAM_RQ_2xx');
    const row = table(page, 'Statistics of this Envoy').getByRole('row', { name: /http\..*downstream_rq_2xx/ });
    await row
      .first()
      .getByRole('cell', { name: /^[1-9][\d.,]*$/ })
      .nth(1)
      .waitFor();
    await look(page, 'envoy-statistics-dark');
    await page.getByText('By rate').click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page
      .getByRole('status')
      .getByText(/paused/)
      .waitFor();
    expect(page.url()).toMatch(/match=DOWNSTREAM_RQ_2xx.*by=rate.*paused=1/);
    await page.reload();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page
      .getByRole('status')
      .getByText(/every 5 seconds/)
      .waitFor();
    await page.getByText('Gauges').click();
    await page.getByRole('searchbox').fill('server.live');
    await table(page, 'Statistics of this Envoy').getByRole('rowheader', { name: 'server.live' }).waitFor();
  });

  it('drains Envoy after a confirmation, and ends that', async () => {
    const page = await open('', { scheme: 'dark' });
    await page.getByRole('button', { name: 'Drain', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/lasts until you end it/).waitFor();
    await look(page, 'envoy-drain-dark');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await proxy('/ready')).toBe('LIVE');
    await page.getByRole('button', { name: 'Drain', exact: true }).click();
    await dialog.getByRole('button', { name: 'Drain' }).click();
    await panel(page).getByText('Draining').waitFor();
    expect(await proxy('/ready')).toBe('DRAINING');
    await look(page, 'envoy-draining-dark');
    await page.getByRole('button', { name: 'End the drain' }).click();
    await dialog.getByRole('button', { name: 'End the drain' }).click();
    await panel(page).getByText('Live', { exact: true }).waitFor();
    expect(await proxy('/ready')).toBe('LIVE');
  });

  it('sets log levels after a confirmation that names what the log then contains', async () => {
    const page = await open('&part=levels');
    await page.getByRole('searchbox').fill('http');
    const level = page.getByRole('combobox', { name: 'Level of http', exact: true });
    await level.click();
    await page.getByRole('option', { name: 'debug' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/cookies and tokens/).waitFor();
    await look(page, 'envoy-level-light');
    await dialog.getByRole('button', { name: 'Set' }).click();
    await expect.poll(() => level.inputValue()).toBe('debug');
    expect((await proxy('/envoy', { parts: 'logging' })).logging.levels.http).toBe('debug');
    await page.getByRole('combobox', { name: 'Set all loggers to' }).click();
    await page.getByRole('option', { name: 'warning' }).click();
    await dialog.getByRole('button', { name: 'Set' }).click();
    await expect.poll(() => level.inputValue()).toBe('warning');
    await look(page, 'envoy-levels-light');
  });

  it('lets a viewer read everything and change nothing', async () => {
    const page = await open('&part=levels', { user: { username: 'victor', password: places.passwords.victor } });
    await table(page, 'Log levels of this Envoy').getByRole('rowheader', { name: 'admin' }).waitFor();
    await panel(page).getByText('Live', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Drain' }).count()).toBe(0);
    expect(await page.getByRole('combobox', { name: /^(Level of|Set all)/ }).count()).toBe(0);
    await look(page, 'envoy-viewer-light');
  });

  it('explains a service that runs nowhere', async () => {
    const name = `idle-${createId()}`;
    const body = { name, version: TEST_ENVOY_VERSIONS.newest, bootstrap: 'demo-bootstrap', listeners: [] };
    const created = await stage.fleet.api('POST', '/api/op/services', body);
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const page = await open('', {}, created.body.id);
    await page.getByText('No Envoy yet').waitFor();
    await look(page, 'envoy-empty-light');
    await stage.fleet.api('DELETE', `/api/op/services/${created.body.id}`);
  });

  it('shows that it is loading, and the reason of a failure with another attempt', async () => {
    const page = await open('&part=listeners', { scheme: 'dark' });
    await table(page, 'Listeners of this Envoy').waitFor();
    const { promise, resolve } = Promise.withResolvers<void>();
    const results = [{ outcome: 'failed', error: { code: 'proxy.timeout', message: 'Envoy has not answered' } }];
    await page.route(DISPATCH, async (route) => {
      await promise;
      await route.fulfill({ json: { results } });
    });
    await page.reload();
    await page.locator('main [aria-busy="true"]').first().waitFor();
    resolve();
    const failure = page.getByRole('alert').filter({ hasText: 'Envoy has not answered' });
    await failure.waitFor();
    await panel(page).getByText('No answer').waitFor();
    await look(page, 'envoy-failed-dark');
    await page.unroute(DISPATCH);
    await failure.getByRole('button', { name: 'Try again' }).click();
    await table(page, 'Listeners of this Envoy').waitFor();
  });
});
