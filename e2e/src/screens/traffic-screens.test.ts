import { trafficEventRoutes, trafficInsightRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, look, PROJECT, settle, takePicture } from './stage.ts';
import { OPERATIONS } from './traffic-insight/catalogue.ts';
import { COMPARISON, LATENCY_MAP } from './traffic-insight/insight-answers.ts';
import { CONSUMERS, createEvent, READ, TOTALS } from './traffic-insight/requests.ts';
import { useTrafficRoom } from './traffic-insight/room.ts';
import type { Answer } from './traffic-insight/serve.ts';

const room = useTrafficRoom();
const { open, lastOf } = room;

const STORE_OFF = {
  refused: {
    status: 503,
    code: 'inventory.store_off',
    message: 'This answer needs the event store, which is not available: another controller has it open.',
  },
} satisfies Answer;

const queryOf = (request: string) => new URL(`http://x${request.slice('GET '.length)}`).searchParams;

describe('the latency map', () => {
  const grid = (page: Page) => page.getByRole('grid', { name: /^Requests by time and latency/ });

  it('leads with the keyboard from a cell to exactly its requests', async () => {
    const page = await open('');
    await grid(page).scrollIntoViewIfNeeded();
    await grid(page).getByRole('gridcell').first().focus();
    // Only one cell is a stop of the Tab key.
    expect(await grid(page).locator('[tabindex="0"]').count()).toBe(1);
    for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
    const cell = grid(page).locator('[tabindex="0"]');
    await expect.poll(() => cell.getAttribute('aria-label')).toContain('131 ms to 262 ms');
    await takePicture(page, 'traffic-latency-map');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Request events' }).waitFor();
    await page.getByText('Latency at least (ms): 131.073', { exact: true }).waitFor();
    await page.getByText('Latency at most (ms): 262.144', { exact: true }).waitFor();
    await expect.poll(() => queryOf(lastOf('/inventory/events?')).get('from')).toBe(LATENCY_MAP.steps[1]?.at);
    await page.getByRole('button', { name: 'Remove filter Latency at most (ms): 262.144' }).click();
    await expect.poll(() => queryOf(lastOf('/inventory/events?')).has('max_latency_ms')).toBe(false);
    await expectAccessible(page, 'the requests of a cell');
  });

  it('is a table, too, with the same numbers', async () => {
    const page = await open('');
    const figure = page.getByRole('figure', { name: 'Latency of the requests' });
    await figure.getByRole('button', { name: 'Table' }).click();
    await figure.getByRole('columnheader', { name: 'up to 64 µs' }).waitFor();
    await figure.getByRole('columnheader', { name: '1.0 ms to 2.0 ms' }).waitFor();
    expect(await figure.getByRole('row').count()).toBe(LATENCY_MAP.steps.length + 1);
    await figure.getByRole('button', { name: 'Chart' }).click();
    await grid(page).waitFor();
  });

  it('shows minutes in which requests were lost as gaps, not as zero', async () => {
    const page = await open('');
    const cells = grid(page).getByRole('gridcell', { name: /not known, because requests were lost$/ });
    await cells.first().waitFor();
    expect(await cells.count()).toBe(3 * LATENCY_MAP.classes.length);
    const chart = page.getByRole('figure', { name: 'Requests in each step, by the decision of the filter' });
    await chart.getByText('Gap: no report').waitFor();
    await grid(page).scrollIntoViewIfNeeded();
    await takePicture(page, 'traffic-latency-gaps');
  });

  it('of an endpoint counts its requests only, and narrows to a cell by a click', async () => {
    const id = OPERATIONS[0]?.id ?? '';
    const page = await open(`/endpoints/${id}?tab=analytics`);
    await grid(page).getByRole('gridcell').nth(70).click();
    await page.getByRole('heading', { level: 1, name: 'Request events' }).waitFor();
    await expect.poll(() => lastOf('/inventory/events?')).toContain(`operation_id=${id}`);
    expect(lastOf('/latency-map')).toContain(`operation_id=${id}`);
  });

  it('says why it is missing while the rest of the overview is there', async () => {
    const page = await open('', { other: [[trafficInsightRoutes.latencyMap, STORE_OFF]] });
    await page.getByText(STORE_OFF.refused.message).waitFor();
    await page.getByRole('figure', { name: 'Requests per second, by status' }).waitFor();
    await look(page, 'traffic-overview-without-map');
  });
});

describe('requests that are deleted', () => {
  const deleted = { complete_from: READ.from };

  it('are named by time above the list of the others, once', async () => {
    const answer = { items: [createEvent(0)], next_cursor: null, ...READ, ...deleted };
    const page = await open('/events', { other: [[trafficEventRoutes.list, answer]] });
    const notice = page.getByText(/^Requests before .+ are deleted$/);
    await notice.waitFor();
    expect(await notice.count()).toBe(1);
    await look(page, 'traffic-events-deleted');
  });

  it('are named where no others are left', async () => {
    const answer = { items: [], requests: 0, anonymous_requests: 0, truncated: false, ...READ, ...deleted };
    const page = await open('/consumers', { other: [[trafficInsightRoutes.consumers, answer]] });
    await page.getByText(/^Requests before .+ are deleted$/).waitFor();
    await look(page, 'traffic-consumers-deleted');
  });
});

describe('the comparison', () => {
  it('shows this week and the week before: sums, and what is new, gone and different', async () => {
    const page = await open('/compare');
    const sums = page.getByRole('table', { name: 'Sums' });
    await sums.getByRole('row', { name: /^Requests 54,321 48,000/ }).waitFor();
    const asked = queryOf(lastOf('/comparison'));
    const hours = (from: string, to: string) =>
      (Date.parse(asked.get(to) ?? '') - Date.parse(asked.get(from) ?? '')) / 3_600_000;
    expect([hours('from', 'to'), hours('base_from', 'base_to'), hours('base_to', 'from')]).toEqual([168, 168, 0]);
    const endpoints = page.getByRole('table', { name: 'Endpoints' });
    await endpoints.getByRole('row').filter({ hasText: 'New' }).waitFor();
    await endpoints.getByRole('row').filter({ hasText: 'Gone' }).waitFor();
    await endpoints.getByRole('row').filter({ hasText: '+33%' }).waitFor();
    await page.getByRole('table', { name: 'Countries' }).getByRole('link', { name: 'Brazil' }).click();
    await page.getByText('Country codes: Brazil').waitFor();
  });

  it('chooses its ranges in the URL, also own ones with the keyboard', async () => {
    const page = await open('/compare');
    await page.getByText('Day, a week ago', { exact: true }).click();
    await page.waitForURL(/span=weekday/);
    await expect
      .poll(() => {
        const asked = queryOf(lastOf('/comparison'));
        return (Date.parse(asked.get('from') ?? '') - Date.parse(asked.get('base_from') ?? '')) / 86_400_000;
      })
      .toBe(7);
    await page.getByRole('button', { name: 'Own ranges' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Own ranges' });
    const base = form.getByRole('group', { name: 'Compared with' });
    await base.getByLabel('From').fill('2026-11-02T10:00');
    await base.getByLabel('Before').fill('2026-11-01T10:00');
    await form.getByText('Must be later than the start').waitFor();
    expect(await form.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true);
    await look(page, 'traffic-compare-own');
    await base.getByLabel('Before').fill('2026-11-03T10:00');
    await form.getByRole('button', { name: 'Compare' }).press('Enter');
    await page.waitForURL(/base_from=2026-11-02/);
    await page.goBack();
    await page.waitForURL(/span=weekday/);
  });

  it('says that a range is not kept, and shows no number for it', async () => {
    const base = { ...COMPARISON.base, state: 'not_kept', totals: null, requests_per_s: null };
    const nothing = { operations: null, consumers: null, countries: null };
    const answer = { ...COMPARISON, base, ...nothing, limited: 'There is nothing to compare.' };
    const page = await open('/compare', { other: [[trafficInsightRoutes.comparison, answer]] });
    await page.getByText('The range to compare with begins before what is kept: nothing is known of it').waitFor();
    await page.getByRole('row', { name: /^Requests 54,321 – –/ }).waitFor();
    expect(await page.getByRole('table', { name: 'Endpoints' }).count()).toBe(0);
    await look(page, 'traffic-compare-not-kept');
  });

  it('says which lists single requests would need', async () => {
    const limited = 'Consumers and countries are known of single requests only, and these are kept for 7 days.';
    const answer = { ...COMPARISON, consumers: null, countries: null, limited };
    const page = await open('/compare', { other: [[trafficInsightRoutes.comparison, answer]] });
    await page.getByText(limited).waitFor();
    await page.getByRole('table', { name: 'Endpoints' }).waitFor();
  });

  it('has states for no requests, an unavailable store and a failure', async () => {
    const none = { ...TOTALS, requests: 0, events: 0 };
    const sides = { range: { ...COMPARISON.range, totals: none }, base: { ...COMPARISON.base, totals: none } };
    let page = await open('/compare', {
      other: [[trafficInsightRoutes.comparison, { ...COMPARISON, ...sides }]],
      discovery: true,
    });
    await page.getByText('No requests in either range').waitFor();
    await look(page, 'traffic-compare-empty');
    await room.close();
    page = await open('/compare', { other: [[trafficInsightRoutes.comparison, STORE_OFF]] });
    await page.getByText(STORE_OFF.refused.message).waitFor();
    await look(page, 'traffic-compare-store-off');
    await room.close();
    const refused = { status: 500, code: 'internal.failure', message: 'The controller failed.' };
    page = await open('/compare', { other: [[trafficInsightRoutes.comparison, { refused }]] });
    await page.getByText('The controller failed.').waitFor();
  });
});

describe('the errors', () => {
  it('lead from an endpoint to its failed requests, and hide small shares', async () => {
    const page = await open('/errors');
    const list = page.getByRole('table', { name: 'Endpoints with errors' });
    await list.getByRole('row').nth(1).waitFor();
    await page.getByText('10%', { exact: true }).click();
    await page.waitForURL(/least=10/);
    await expect.poll(() => lastOf('/inventory/errors')).toContain('min_error_percentage=10');
    await list.getByRole('link', { name: 'Show' }).first().click();
    await page.getByText('Status class: 4xx').waitFor();
    await page.getByText('Status class: 5xx').waitFor();
    await expect.poll(() => lastOf('/inventory/events?')).toContain(`operation_id=${OPERATIONS[0]?.id}`);
  });

  it('have states for no requests and an unavailable store', async () => {
    const summary = { requests: 0, client_errors: 0, server_errors: 0, error_percentage: 0 };
    const empty = { ...READ, summary, granularity: '1m', points: [], items: [], truncated: false };
    let page = await open('/errors', { other: [[trafficInsightRoutes.errors, empty]], discovery: true });
    await page.getByText('No requests in this time range').waitFor();
    await room.close();
    page = await open('/errors', { other: [[trafficInsightRoutes.errors, STORE_OFF]] });
    await page.getByText(STORE_OFF.refused.message).waitFor();
    await look(page, 'traffic-errors-store-off');
  });
});

describe('scanners and bots', () => {
  it('lead to their requests, by kind', async () => {
    const page = await open('/risk?tab=bots');
    const list = page.getByRole('table', { name: 'endpoints called by scanners and bots' });
    await list.getByRole('row').filter({ hasText: 'Scanner' }).first().waitFor();
    await page
      .locator('label')
      .filter({ hasText: /^Scanner$/ })
      .click();
    await page.waitForURL(/kind=scanner/);
    await expect.poll(() => lastOf('/bot-scanner')).toContain('kind=scanner');
    await list.getByRole('link', { name: 'Show' }).last().click();
    await page.getByText('User agent: Scanner').waitFor();
  });

  it('have states for none and an unavailable store', async () => {
    const empty = { ...READ, requests: 0, items: [], truncated: false };
    let page = await open('/risk?tab=bots', { other: [[trafficInsightRoutes.bots, empty]], discovery: true });
    await page.getByText('No scanner and no bot in this time range').waitFor();
    await look(page, 'traffic-bots-empty');
    await room.close();
    page = await open('/risk?tab=bots', { other: [[trafficInsightRoutes.bots, STORE_OFF]] });
    await page.getByText(STORE_OFF.refused.message).waitFor();
  });
});

describe('the decisions of the filter', () => {
  it('are one timeline of what was allowed, detected and blocked, with the filters of the list', async () => {
    const page = await open('/events?method=GET&action=detect');
    const chart = page.getByRole('figure', { name: 'Requests in each step, by the decision of the filter' });
    for (const line of ['allowed', 'detected', 'blocked']) await chart.getByText(line, { exact: true }).waitFor();
    await expect.poll(() => lastOf('/inventory/stats')).toMatch(/by=action.*method=GET.*action=detect/);
    await page.getByRole('button', { name: /^rate_limit/ }).click();
    await page.waitForURL(/engine=rate_limit/);
    await page.getByText('Engine: rate_limit').waitFor();
    await expect.poll(() => lastOf('/inventory/stats')).toContain('engine=rate_limit');
    await chart.getByRole('button', { name: 'Table' }).click();
    await chart.getByRole('columnheader', { name: 'blocked' }).waitFor();
  });

  it('lead from the overview to the blocked requests, and from one of them to its finding and policy', async () => {
    const page = await open('');
    await page.getByRole('link', { name: 'Blocked requests' }).click();
    await page.getByText('Filter decision: Blocked').waitFor();
    await page.getByRole('link', { name: '/api/v1/orders/{id}' }).first().click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('link', { name: /ratelimit\.exceeded/ }).waitFor();
    const policy = drawer.getByRole('link', { name: 'shop-policy' });
    expect(await policy.getAttribute('href')).toContain(`/p/${PROJECT}/policies/shop-policy`);
    await look(page, 'traffic-event-blocked');
  });

  it('without a finding of the same request lead to the findings of that time', async () => {
    const detected = createEvent(1, { action: 'detect', engine: 'jwt', findings: [] });
    const other = [[trafficEventRoutes.get, detected]] as const;
    const page = await open(`/events?event=${detected.id}`, {
      other: [...other, [trafficEventRoutes.list, { items: [detected], next_cursor: null, ...READ }]],
    });
    const link = page.getByRole('dialog').getByRole('link', { name: 'Findings of this time' });
    const search = new URL(`http://x${await link.getAttribute('href')}`).searchParams;
    expect(search.get('engine')).toBe('jwt');
    expect(Date.parse(search.get('from') ?? '')).toBeLessThan(Date.parse(detected.time));
    expect(Date.parse(search.get('to') ?? '')).toBeGreaterThan(Date.parse(detected.time));
  });
});

describe('the listeners', () => {
  it('lead to the endpoints that they served, and show names as text', async () => {
    const page = await open('/endpoints?layout=listeners');
    const list = page.getByRole('table', { name: 'listeners' });
    await list.getByRole('link', { name: '<b>edge</b>' }).waitFor();
    await list
      .getByRole('img', { name: /^2xx: 230,000/ })
      .first()
      .waitFor();
    await list.getByRole('link', { name: 'shop-listener' }).click();
    await page.waitForURL((url) => url.searchParams.get('listener_name') === 'shop-listener');
    await page.getByText('Listener begins with: shop-listener').waitFor();
    await expect.poll(() => lastOf('/inventory?')).toContain('listener_name=shop-listener');
  });
});

describe('many endpoints', () => {
  const menu = async (page: Page, item: string) => {
    await page.getByRole('button', { name: 'Clean up' }).press('Enter');
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('are reset only after a dry run has counted them', async () => {
    const page = await open('/endpoints');
    await menu(page, 'Reset endpoints …');
    const dialog = page.getByRole('dialog', { name: 'Reset endpoints' });
    await dialog.getByText('212 endpoints will be reset.').waitFor();
    expect(lastOf('POST')).toContain('dry_run=true');
    await look(page, 'traffic-bulk-reset');
    await dialog.getByRole('button', { name: 'Reset', exact: true }).press('Enter');
    await page.getByText('212 endpoints reset').waitFor();
    expect(lastOf('POST')).not.toContain('dry_run');
  });

  it('that the filters show are deleted without the others', async () => {
    const page = await open('/endpoints?method=GET');
    const bodies: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') bodies.push(request.postDataJSON());
    });
    await menu(page, 'Delete endpoints …');
    const dialog = page.getByRole('dialog', { name: 'Delete endpoints' });
    await dialog.getByText('7 endpoints will be deleted.').waitFor();
    expect(bodies.at(-1)).toEqual({ operations: OPERATIONS.map(({ id }) => id) });
    await dialog.getByRole('radio', { name: 'All of the project, in both catalogs' }).check();
    await expect.poll(() => bodies.at(-1)).toEqual({ operations: 'all' });
    await look(page, 'traffic-bulk-delete');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await settle(page);
    expect(lastOf('POST')).toContain('dry_run=true');
  });

  it('that are stale are counted for the chosen days', async () => {
    const page = await open('/endpoints');
    await menu(page, 'Delete stale endpoints …');
    const dialog = page.getByRole('dialog', { name: 'Delete stale endpoints' });
    await dialog.getByText(/^14 endpoints without a request/).waitFor();
    await dialog.getByLabel('Days without a request').fill('30');
    await dialog.getByText(/^31 endpoints without a request/).waitFor();
    expect(lastOf('/cleanup-stale')).toContain('days=30');
    await look(page, 'traffic-bulk-stale');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('31 endpoints deleted').waitFor();
    expect(lastOf('/cleanup-stale')).not.toContain('dry_run');
  });

  it('lose their scores, and keep their counters', async () => {
    const page = await open('/endpoints');
    await menu(page, 'Reset all scores …');
    const dialog = page.getByRole('dialog', { name: 'Reset all scores' });
    await dialog.getByText('The scores of 60 endpoints will be set to zero.').waitFor();
    await dialog.getByRole('button', { name: 'Reset scores' }).click();
    await page.getByText('Scores of 60 endpoints reset').waitFor();
  });
});

describe('a service and a client', () => {
  it('show what only single requests know: endpoints, routes, consumers and statuses', async () => {
    const page = await open(`/p/${PROJECT}/services`, { isElsewhere: true });
    await page.getByRole('main').getByRole('link', { name: 'demo', exact: true }).first().click();
    await page.getByRole('tab', { name: 'Traffic' }).click();
    const routes = page.getByRole('table', { name: 'By route' });
    await routes.getByText('<script>globalThis.wasRun=1</script>').waitFor();
    await routes.getByRole('link', { name: 'orders-by-id' }).scrollIntoViewIfNeeded();
    await look(page, 'service-requests');
    expect(lastOf('/inventory/top')).toMatch(/service_id=[0-9a-f-]{36}/);
    await routes.getByRole('link', { name: 'orders-by-id' }).click();
    await page.getByText('Route: orders-by-id').waitFor();
    await expect.poll(() => lastOf('/inventory/events?')).toMatch(/service_id=[0-9a-f-]{36}/);
  });

  it('lead from a status of a client to its requests', async () => {
    const page = await open(`/p/${PROJECT}/clients`, { isElsewhere: true });
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('tab', { name: 'Requests' }).click();
    await page.getByRole('table', { name: 'By consumer' }).getByRole('link', { name: CONSUMERS[0] }).waitFor();
    await look(page, 'client-requests');
    await page.getByRole('table', { name: 'By status' }).getByRole('link', { name: '503' }).click();
    await page.getByText('Statuses: 503').waitFor();
    await expect.poll(() => lastOf('/inventory/events?')).toMatch(/client_id=/);
  });
});
