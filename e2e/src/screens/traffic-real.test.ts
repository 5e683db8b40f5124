import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { look, PROJECT, Stage, type StagePage, takePicture } from './stage.ts';

const BASE = `/p/${PROJECT}/traffic`;
const KEY = { 'x-api-key': 'demo-key-for-loopback-only' };

let stage: Stage;
let opened: StagePage;
let service: { readonly id: string };

// Its own stage: the switch changes the demo's service for everybody.
beforeAll(async () => {
  stage = await Stage.open();
  [service] = (await stage.fleet.api('GET', '/api/op/services')).body.items;
  opened = await stage.open(`${BASE}/endpoints`);
});
afterAll(async () => {
  await opened?.close();
  await stage?.close();
});

const request = (path: string, headers: Record<string, string> = KEY) => stage.fleet.request(path, headers);

const MINUTE_MS = 60_000;

/** A quarter of an hour that contains the running minute, which the ranges of the screens leave out. `agoMin`: so much earlier. */
function untilNextMinute(prefix = '', agoMin = 0): string {
  const to = (Math.ceil(Date.now() / MINUTE_MS) + 1 - agoMin) * MINUTE_MS;
  const at = (ms: number) => new Date(ms).toISOString();
  return `${new URLSearchParams({ [`${prefix}from`]: at(to - 15 * MINUTE_MS), [`${prefix}to`]: at(to) })}`;
}

/** Sends requests until the page shows what they lead to. */
async function untilShown(send: () => Promise<unknown>, isShown: () => Promise<boolean>, what: string): Promise<void> {
  await stage.fleet.until(async () => {
    await send();
    return isShown();
  }, what);
}

describe('traffic insight of a real service', () => {
  it('is turned on by the switch in the form of the service, after it was said what happens', async () => {
    const { page } = opened;
    await page.getByText('No service reports its requests yet').waitFor();
    await page.goto(`/p/${PROJECT}/services/${service.id}/edit`);
    const discovery = page.getByRole('switch', { name: 'API discovery' });
    expect(await discovery.isChecked()).toBe(false);
    await discovery.focus();
    await page.keyboard.press('Space');
    expect(await discovery.isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Review', exact: true }).click();
    await page.getByText(/Envoy drains the open connections of all listeners/).waitFor();
    await takePicture(page, 'traffic-real-switch');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const isOn = async () => (await stage.fleet.api('GET', `/api/op/services/${service.id}`)).body.api_discovery;
    await stage.fleet.until(isOn, 'the service has API discovery on');
    await page.goto(`/p/${PROJECT}/services/${service.id}/edit`);
    await page.getByRole('switch', { name: 'API discovery' }).waitFor();
    expect(await page.getByRole('switch', { name: 'API discovery' }).isChecked()).toBe(true);
  });

  it('lists an endpoint after its first requests through Envoy', async () => {
    const { page } = opened;
    await page.goto(`${BASE}/endpoints`);
    const row = page.getByRole('link', { name: '/api/hello' });
    await untilShown(
      () => request('/api/hello'),
      () => row.isVisible(),
      'the endpoint is listed',
    );
    await look(page, 'traffic-real-endpoints');
  });

  it('shows the requests of the endpoint, and the next one as it arrives', async () => {
    const { page } = opened;
    await page.getByRole('link', { name: '/api/hello' }).click();
    await page.getByRole('heading', { level: 1, name: /GET .*\/api\/hello/ }).waitFor();
    // A list that follows has the running minute, too.
    await page.goto(`${page.url().split('?')[0]}?tab=events&live=1`);
    const table = page.getByRole('table', { name: 'requests' });
    await table.getByRole('link', { name: '/api/hello' }).first().waitFor();
    await page.goto(`${BASE}/events?normalized_path=/api/orders`);
    await page.getByRole('button', { name: 'Follow live' }).click();
    await page.getByText('Following', { exact: true }).waitFor();
    expect(await table.getByRole('link', { name: '/api/orders/{id}' }).count()).toBe(0);
    await request('/api/orders/4711?token=not-to-be-seen');
    await table
      .getByRole('link', { name: /^\/api\/orders/ })
      .first()
      .waitFor();
    expect(await page.locator('body').textContent()).not.toContain('not-to-be-seen');
    await look(page, 'traffic-real-live');
  });

  it('leads from a blocked request to its finding and its policy', async () => {
    const { page } = opened;
    const blocked = await request('/api/hello', { 'x-api-key': 'not-to-be-seen-either' });
    expect(blocked.status).toBe(403);
    const events = () => stage.fleet.api('GET', '/api/v3/inventory/events?action=block');
    await stage.fleet.until(
      async () => (await events()).body.items.some((one: { findings: unknown[] }) => one.findings.length > 0),
      'the blocked request has its finding',
    );
    await page.goto(`${BASE}/events?action=block&live=1`);
    await page.getByRole('table', { name: 'requests' }).getByRole('link', { name: '/api/hello' }).first().click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('link', { name: 'demo-policy' }).waitFor();
    await drawer
      .getByRole('link', { name: /api_key/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: /events/i }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain('not-to-be-seen-either');
  });

  it('shows what the filter only detected as a decision of its own', async () => {
    const { page } = opened;
    const path = '/api/v3/shield/policies/demo-policy';
    const { body: policy, etag = '' } = await stage.fleet.api('GET', path);
    const text = (policy.text as string).replace('mode: block', 'mode: detect');
    const changed = await stage.fleet.api('PATCH', path, { text }, { 'if-match': etag });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    const detected = async () => (await stage.fleet.api('GET', '/api/v3/inventory/events?action=detect')).body.items;
    await untilShown(
      () => request('/api/detected', { 'x-api-key': 'wrong' }),
      async () => (await detected()).length > 0,
      'a detected request is listed',
    );
    expect((await detected())[0]).toMatchObject({ action: 'detect', engine: 'api_key', status: 200 });
    await page.goto(`${BASE}/events?live=1`);
    await page.getByRole('button', { name: /^Detected/ }).click();
    await page.getByText('Filter decision: Detected').waitFor();
    const chart = page.getByRole('figure', { name: 'Requests in each step, by the decision of the filter' });
    await chart.getByText('detected', { exact: true }).waitFor();
    await look(page, 'traffic-real-detected');
  });

  it('has an overview with a latency map whose cells lead to requests, and errors, listeners and a comparison', async () => {
    const { page } = opened;
    await page.goto(`${BASE}?${untilNextMinute()}`);
    const map = page.getByRole('grid', { name: /^Requests by time and latency/ });
    const cell = map
      .locator('[aria-label$=" request"], [aria-label$=" requests"]:not([aria-label$="no requests"])')
      .last();
    await cell.waitFor();
    await look(page, 'traffic-real-overview');
    await cell.click();
    await page.getByRole('heading', { level: 1, name: 'Request events' }).waitFor();
    await page.getByRole('table', { name: 'requests' }).locator('[data-index]').first().waitFor();
    await page.goto(`${BASE}/errors?${untilNextMinute()}`);
    await page.getByRole('table', { name: 'Endpoints with errors' }).getByText('/api/hello').waitFor();
    await page.goto(`${BASE}/endpoints?layout=listeners`);
    await page.getByRole('link', { name: 'demo-listener' }).waitFor();
    await page.goto(`${BASE}/compare?${untilNextMinute()}&${untilNextMinute('base_', 60)}`);
    await page.getByRole('table', { name: 'Endpoints' }).getByRole('row').filter({ hasText: 'New' }).first().waitFor();
    await look(page, 'traffic-real-compare');
    await page.goto(`/p/${PROJECT}/services/${service.id}?tab=traffic&${untilNextMinute()}`);
    await page.getByRole('table', { name: 'By route' }).getByRole('link', { name: 'everything' }).waitFor();
    expect(opened.complaints).toEqual([]);
  });
});
