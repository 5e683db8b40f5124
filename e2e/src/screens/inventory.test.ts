import { trafficInsightRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, look, settle, takePicture } from './stage.ts';
import { ANSWERS } from './traffic-insight/answers.ts';
import { HOSTILE, OPERATIONS } from './traffic-insight/catalogue.ts';
import { CONSUMERS, EVENTS, READ, TOTALS } from './traffic-insight/requests.ts';
import { BASE, lookAtScreens, type OpenOptions, useTrafficRoom } from './traffic-insight/room.ts';
import type { Answers } from './traffic-insight/serve.ts';

const FIRST = OPERATIONS[0]?.id ?? '';

const room = useTrafficRoom();
const { lastOf } = room;
let page: Page;

async function open(path: string, options: OpenOptions = {}): Promise<void> {
  page = await room.open(path, options);
}

const SCREENS = [
  ['traffic-overview', '', 'Traffic'],
  ['traffic-endpoints', '/endpoints', 'Endpoints'],
  ['traffic-attack-surface', '/endpoints?catalog=attack', 'Endpoints'],
  ['traffic-endpoints-grouped', '/endpoints?layout=grouped', 'Endpoints'],
  ['traffic-endpoints-listeners', '/endpoints?layout=listeners', 'Endpoints'],
  ['traffic-endpoint', `/endpoints/${FIRST}`, /orders/],
  ['traffic-endpoint-events', `/endpoints/${FIRST}?tab=events`, /orders/],
  ['traffic-endpoint-analytics', `/endpoints/${FIRST}?tab=analytics`, /orders/],
  ['traffic-endpoint-insights', `/endpoints/${FIRST}?tab=insights`, /orders/],
  ['traffic-events', '/events', 'Request events'],
  ['traffic-event', `/events?event=${EVENTS[0]?.id}`, 'Request events'],
  ['traffic-risk', '/risk', 'API risk'],
  ['traffic-risk-flags', '/risk?tab=flags', 'API risk'],
  ['traffic-risk-new', '/risk?tab=new', 'API risk'],
  ['traffic-risk-authentication', '/risk?tab=authentication', 'API risk'],
  ['traffic-risk-sensitive', '/risk?tab=sensitive', 'API risk'],
  ['traffic-risk-zombies', '/risk?tab=zombies', 'API risk'],
  ['traffic-risk-transport', '/risk?tab=transport', 'API risk'],
  ['traffic-risk-bots', '/risk?tab=bots', 'API risk'],
  ['traffic-risk-changes', '/risk?tab=changes', 'API risk'],
  ['traffic-errors', '/errors', 'API errors'],
  ['traffic-compare', '/compare', 'Compare traffic'],
  ['traffic-names', '/names', 'Names of endpoints'],
  ['traffic-consumers', '/consumers', 'API consumers'],
  ['traffic-consumer', `/consumers/${CONSUMERS[0]}`, CONSUMERS[0]],
] as const;

const CHARTED: readonly string[] = [
  'traffic-overview',
  'traffic-endpoint-analytics',
  'traffic-events',
  'traffic-endpoint-events',
  'traffic-errors',
];

it('the screens about traffic are accessible, have no errors, and fit the window of a computer and of a phone', async () => {
  await open('');
  await lookAtScreens(page, SCREENS, async (name) => {
    // The chart library is loaded with the first chart.
    if (CHARTED.includes(name)) await page.locator('figure canvas').first().waitFor();
  });
});

describe('the overview', () => {
  it('shows sums, the lost minutes as gaps, and leads to the requests of a country', async () => {
    await open('');
    await page.getByText('Requests were lost: 120 batches in 3 minutes').waitFor();
    const figures = page.getByRole('main');
    await figures.getByText(TOTALS.requests.toLocaleString('en'), { exact: true }).first().waitFor();
    const chart = page.getByRole('figure', { name: 'Requests per second, by status' });
    await chart.getByText('Gap: no report').waitFor();
    await chart.getByRole('button', { name: 'Table' }).click();
    await chart.getByRole('row').nth(32).getByText('–').first().waitFor();
    const map = page.getByRole('img', { name: /^Requests by country/ });
    await map.scrollIntoViewIfNeeded();
    await map.getByText('NL', { exact: true }).hover({ force: true });
    await page.getByText('Netherlands: 40,000 (73.6%)').waitFor();
    await takePicture(page, 'traffic-map');
    await page.getByRole('link', { name: 'Netherlands' }).click();
    await page.getByRole('heading', { level: 1, name: 'Request events' }).waitFor();
    await page.getByText('Country codes: Netherlands').waitFor();
    await expect.poll(() => lastOf('/inventory/events?')).toContain('country=NL');
  });

  it('chooses its time range and service in the URL, and goes back', async () => {
    await open('');
    await page.getByText('24 h', { exact: true }).click();
    await page.waitForURL(/range=24h/);
    const { searchParams } = new URL(`http://x${lastOf('/overview').slice('GET '.length)}`);
    const hours = (Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')) / 3_600_000;
    expect(hours).toBe(24);
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes('range'));
  });

  it('says why there is nothing: API discovery is off, no requests, an unavailable store, a failure', async () => {
    const empty = { ...TOTALS, requests: 0, events: 0 };
    const overview = ANSWERS.find(([route]) => route === trafficInsightRoutes.overview)?.[1] as object;
    const other: Answers = [
      [trafficInsightRoutes.overview, { ...overview, totals: empty }],
      [trafficInsightRoutes.gaps, { items: [], waiting: [], next_cursor: null, from: READ.from, to: READ.to }],
    ];
    await open('', { other, discovery: false });
    await page.getByText('No service reports its requests yet').waitFor();
    await look(page, 'traffic-overview-discovery-off');
    await page.getByRole('link', { name: 'Show the services' }).click();
    await page.getByRole('heading', { level: 1, name: 'Services' }).waitFor();
    await room.close();

    await open('', { other, discovery: true });
    await page.getByText('No requests in this time range').waitFor();
    await look(page, 'traffic-overview-empty');
    await page.getByRole('button', { name: 'Show the last 7 days' }).click();
    await page.waitForURL(/range=7d/);
    await room.close();

    const message = 'This answer needs the event store, which is not available: another controller has it open.';
    await open('', {
      other: [[trafficInsightRoutes.overview, { refused: { status: 503, code: 'inventory.store_off', message } }]],
    });
    await page.getByText(message).waitFor();
    await look(page, 'traffic-overview-store-off');
    await page.getByRole('link', { name: 'Show the endpoints' }).click();
    await page.getByRole('heading', { level: 1, name: 'Endpoints' }).waitFor();
    await room.close();

    await open('', {
      other: [
        [
          trafficInsightRoutes.overview,
          { refused: { status: 500, code: 'internal.failure', message: 'The controller failed.' } },
        ],
      ],
    });
    await page.getByText('The controller failed.').waitFor();
    await page.getByText('req-for-this-test').waitFor();
  });
});

describe('the endpoints', () => {
  it('filter with chips that the URL keeps, sort, and switch catalog, layout and maturity', async () => {
    await open(
      '/endpoints?method=GET&risk_flag=bola_suspect&country=NL&min_risk_score=10&last_seen_from=2026-01-01T00:00:00.000Z',
    );
    for (const chip of ['Method: GET', 'Risk flag: Bola suspect', 'Threat at least: 10'])
      await page.getByText(chip, { exact: true }).waitFor();
    await expect
      .poll(() => lastOf('/inventory?'))
      .toMatch(/method=GET.*risk_flag=bola_suspect.*min_risk_score=10.*last_seen_from=.*country=NL/);
    await page.getByRole('button', { name: 'Remove filter Method: GET' }).click();
    await page.waitForURL((url) => !url.searchParams.has('method'));
    await page.getByRole('switch', { name: 'Mature only' }).check();
    await page.waitForURL(/min_seen=5/);
    await page.getByText('Seen at least: 5 times').waitFor();
    await page.getByRole('button', { name: 'Calls' }).click();
    await page.waitForURL(/sort=seen_count/);
    await page.getByText('By path', { exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('layout') === 'grouped' && !url.searchParams.has('sort'));
    await page.getByText('Attack surface', { exact: true }).click();
    await page.waitForURL(/catalog=attack/);
    await expect.poll(() => lastOf('/attack-surface')).not.toContain('min_seen');
    await page.reload();
    await page.getByText('Risk flag: Bola suspect', { exact: true }).waitFor();
  });

  it('choose several values of a filter with the keyboard', async () => {
    await open('/endpoints');
    await page.getByRole('button', { name: 'Filter', exact: true }).focus();
    await page.keyboard.press('Enter');
    const method = page.getByRole('dialog', { name: 'Filter' }).getByRole('combobox', { name: 'Method' });
    await method.waitFor();
    await settle(page);
    await look(page, 'traffic-endpoints-filters');
    await method.focus();
    await page.keyboard.type('PUT');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/method=PUT/);
  });

  it('show errors from 0.1 % on, slow latencies in seconds, and the row of all others', async () => {
    await open('/endpoints');
    const row = page.getByRole('row').filter({ hasText: '/admin/export' });
    await row.getByText('2.4%').waitFor();
    expect(await row.locator('[data-tone="bad"]').count()).toBe(1);
    await row.getByText('2.88 s').waitFor();
    await page.getByRole('link', { name: 'All other operations' }).waitFor();
  });

  it('show names of requests as text, however hostile', async () => {
    await open('/endpoints');
    const link = page.getByRole('link', { name: HOSTILE.slice(0, 30) });
    await link.waitFor();
    await takePicture(page, 'traffic-endpoints-hostile');
    await link.click();
    await page.getByRole('heading', { level: 1, name: /img src=x/ }).waitFor();
    await look(page, 'traffic-endpoint-hostile');
    expect(await page.locator('main img, main script, main h1 b').count()).toBe(0);
  });

  it('export the filtered endpoints as OpenAPI', async () => {
    await open('/endpoints?host=shop&min_seen=5');
    await page.getByRole('button', { name: 'Export OpenAPI' }).click();
    const href = await page.getByRole('menuitem', { name: 'YAML' }).getAttribute('href');
    expect(href).toMatch(/^\/api\/v3\/inventory\/openapi\?project=[0-9a-f-]+&format=yaml&host=shop&min_seen=5$/);
  });

  it('by path list the operations of a path in a drawer that the URL opens', async () => {
    await open('/endpoints?layout=grouped');
    await page.getByRole('link', { name: '/api/v1/orders' }).click();
    const drawer = page.getByRole('dialog', { name: 'shop.example.com/api/v1/orders' });
    await drawer.getByText('POST').waitFor();
    await look(page, 'traffic-group');
    await page.reload();
    await drawer.getByRole('button', { name: 'Show them in the flat list' }).click();
    await page.getByText('Path begins with: /api/v1/orders').waitFor();
  });
});

describe('an endpoint', () => {
  it('explains its flags, and leads to the requests that show them', async () => {
    await open(`/endpoints/${OPERATIONS[1]?.id}`);
    const card = page.getByRole('listitem').filter({ hasText: 'Bola suspect' });
    await card.getByText('What to do').click();
    await card.getByText('Add a filter to the listener.').waitFor();
    await look(page, 'traffic-flag');
    await card.getByRole('link', { name: 'Show the requests' }).click();
    await page.getByText('Risk flag: Bola suspect', { exact: true }).waitFor();
    await expect.poll(() => lastOf('/inventory/events?')).toContain(`operation_id=${OPERATIONS[1]?.id}`);
  });

  it('is reset and deleted only after it was said what happens', async () => {
    await open(`/endpoints/${FIRST}`);
    await page.getByRole('button', { name: 'Reset' }).click();
    const reset = page.getByRole('dialog', { name: /^Reset GET/ });
    await reset.getByText(/begin again at zero/).waitFor();
    await look(page, 'traffic-reset');
    await reset.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('The endpoint was reset').waitFor();
    expect(lastOf('/reset')).toContain(`POST /api/v3/inventory/${FIRST}/reset`);
    await reset.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete' }).click();
    const remove = page.getByRole('dialog', { name: /^Delete GET/ });
    await look(page, 'traffic-delete');
    await remove.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Endpoints' }).waitFor();
    expect(lastOf('DELETE')).toContain(`DELETE /api/v3/inventory/${FIRST}`);
  });

  it('that does not exist says so', async () => {
    await open('/endpoints/ffffffffffffffff');
    await page.getByText('This endpoint is not in the catalog').waitFor();
    await look(page, 'traffic-endpoint-missing');
  });
});

describe('requests', () => {
  it('are narrowed by their groups, and opened with every field and the findings of the filter', async () => {
    await open('/events');
    await page.getByRole('button', { name: /^5xx/ }).click();
    await page.waitForURL(/status_class=5xx/);
    await page.getByText('Status class: 5xx').waitFor();
    await page.getByRole('link', { name: '/api/v1/orders/{id}' }).first().click();
    const drawer = page.getByRole('dialog');
    for (const field of ['Request ID', 'Consumer', "Envoy's response flags", 'TLS version', 'Response size'])
      await drawer.getByText(field, { exact: true }).waitFor();
    const finding = drawer.getByRole('link', { name: /ratelimit\.exceeded/ });
    expect(await finding.getAttribute('href')).toContain(`request_id=${EVENTS[0]?.request_id}`);
    await page.keyboard.press('j');
    await page.waitForURL((url) => url.searchParams.get('event') === EVENTS[1]?.id);
    await drawer.getByText('The filter has recorded no finding for this request.').waitFor();
  });

  it('are followed live without twins, paused and continued', async () => {
    await open('/events');
    await page.getByRole('button', { name: 'Follow live' }).click();
    await page.waitForURL(/live=1/);
    const table = page.getByRole('table', { name: 'requests' });
    await expect.poll(() => table.locator('[data-index]').count()).toBe(EVENTS.length + 3);
    await look(page, 'traffic-live');
    // The stream of this test ends at once and is opened again with the id of its last request.
    await expect.poll(() => lastOf('/events/live')).toContain('last_event_id=');
    await settle(page);
    expect(await table.locator('[data-index]').count()).toBe(EVENTS.length + 3);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: /^Continue/ }).click();
    await page.getByRole('button', { name: 'Stop following' }).click();
    await page.waitForURL((url) => !url.searchParams.has('live'));
    await expect.poll(() => table.locator('[data-index]').count()).toBe(EVENTS.length);
  });
});

describe('the risk', () => {
  it('says what would raise the score, and shows the requests that lower it', async () => {
    await open('/risk');
    await page.getByText('Grade C, 71 of 100').waitFor();
    const part = page
      .getByRole('listitem')
      .filter({ hasText: 'Require credentials for 9 endpoints that write' })
      .last();
    await part.getByText('+45 here, +13.5 in total').waitFor();
    await part.getByRole('link', { name: 'Show the requests' }).click();
    await page.getByText('Authenticated: no').waitFor();
    await expect.poll(() => lastOf('/inventory/events?')).toContain('method=POST&method=PUT');
  });

  it('leads from a flag to its endpoints', async () => {
    await open('/risk?tab=flags');
    await page.getByRole('link', { name: 'Endpoints with Bola suspect: 3' }).click();
    await page.getByText('Activity: active now').waitFor();
    await expect.poll(() => lastOf('/inventory?')).toContain('risk_flag=bola_suspect');
  });

  it('takes a snapshot, and names the changes since one', async () => {
    await open('/risk?tab=changes');
    await page.getByText('Accepts anonymous requests now', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Take a snapshot' }).click();
    await page.getByText('Snapshot taken').waitFor();
  });
});

describe('saved views', () => {
  it.each([
    ['endpoints', { method: 'PUT', sort: '-seen_count' }],
    ['events', { status_class: '5xx', method: 'PUT' }],
    ['findings', { severity: 'critical', show: 'all' }],
  ])('of the %s are kept by the browser for this list, without the times', async (list, search) => {
    await open(`/${list}?${new URLSearchParams({ ...search, range: '24h' })}`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters …' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('<b>Mine</b>');
    await look(page, `traffic-view-save-${list}`);
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.goto(`${BASE}/${list}?range=6h`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: '<b>Mine</b>' }).click();
    const searchOf = (url: URL) => Object.fromEntries(url.searchParams);
    await expect.poll(() => searchOf(new URL(page.url()))).toEqual({ ...search, range: '6h' });
    const others = ['endpoints', 'events', 'findings'].filter((one) => one !== list);
    for (const other of others) {
      await page.goto(`${BASE}/${other}`);
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'No saved views' }).waitFor();
    }
  });
});

it('the links between the screens show the open one, also on a phone where they scroll', async () => {
  await open('/compare', { width: 390 });
  const links = page.getByRole('navigation', { name: 'Traffic screens' });
  for (const name of ['Compare', 'Findings', 'Exports']) {
    const link = links.getByRole('link', { name, exact: true });
    await link.click();
    await expect.poll(() => link.getAttribute('data-status')).toBe('active');
    const isInside = () =>
      link.evaluate((one) => {
        const { left, right } = one.getBoundingClientRect();
        return left >= 0 && right <= window.innerWidth;
      });
    await page.reload();
    await expect.poll(isInside, { message: name }).toBe(true);
  }
});

it('a consumer is shown by its hash only, with the way to its requests', async () => {
  await open('/consumers?range=24h');
  await page.getByRole('link', { name: CONSUMERS[0] }).click();
  await page.getByRole('heading', { level: 1, name: CONSUMERS[0] }).waitFor();
  expect(page.url()).toContain('range=24h');
  await page.getByRole('link', { name: 'Show the requests' }).click();
  await page.getByText(`Consumer: ${CONSUMERS[0]}`).waitFor();
  await expectAccessible(page, 'the requests of a consumer');
});

it('every control of the endpoints has a visible focus, and the keys reach the first row', async () => {
  await open('/endpoints');
  await page.getByRole('link', { name: '/api/v1/orders/{id}' }).first().focus();
  await page.keyboard.press('ArrowDown');
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest('[data-index]')?.getAttribute('data-index'));
  await expect.poll(focused).toBe('1');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /POST/ }).waitFor();
});

it('the navigation fits on a small laptop screen with its link to traffic', async () => {
  await open('');
  await page.setViewportSize({ width: 1280, height: 720 });
  await settle(page);
  const list = page.getByRole('navigation', { name: 'Main' });
  await list.getByRole('link', { name: 'Traffic' }).waitFor();
  expect(await list.evaluate((one) => one.scrollHeight - one.clientHeight)).toBeLessThanOrEqual(0);
});
