import { inventoryRoutes } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { look, settle } from './stage.ts';
import { before, createOperation, LIST_FIELDS } from './traffic-insight/catalogue.ts';
import { useTrafficRoom } from './traffic-insight/room.ts';

const room = useTrafficRoom();
const { open, lastOf } = room;
const MINUTE_MS = 60_000;

const queryOf = (request: string) => new URL(`http://x${request.slice('GET '.length)}`).searchParams;

/** Every filter of the specification's table that is a chip: the parameter, its value, and what the chip says. */
const FILTERS = [
  ['method', 'GET', 'Method: GET'],
  ['protocol', 'http/3', 'Protocol: http/3'],
  ['risk_flag', 'bola_suspect', 'Risk flag: Bola suspect'],
  ['pii_category', 'iban', 'Sensitive data: IBAN'],
  ['endpoint_category', 'payment_endpoint', 'Category: Payment'],
  ['host', 'Shop.', 'Host begins with: Shop.'],
  ['normalized_path', '/api/', 'Path begins with: /api/'],
  ['min_risk_score', '10', 'Threat at least: 10'],
  ['max_risk_score', '255', 'Threat at most: 255'],
  ['last_seen_from', '2026-11-01T10:00:00.000Z', /^Last seen/],
  ['last_seen_to', '2026-11-02T10:00:00.000Z', /^Last seen/],
  ['country', 'NL', /^Countr.*: NL/],
  ['asn', '64496', /: 64496$/],
  ['source_ip', '192.0.2.7', /: 192\.0\.2\.7$/],
  ['user_agent', 'curl/8.0 (x86)', /: curl\/8\.0 \(x86\)$/],
  ['min_seen', '5', 'Seen at least: 5 times'],
] as const;

describe('the filters of the endpoints', () => {
  it('are all in the URL, each with a chip that removes it', async () => {
    const search = new URLSearchParams(FILTERS.map(([name, value]) => [name, value]));
    const page = await open(`/endpoints?${search}`);
    for (const [, , chip] of FILTERS) await page.getByText(chip).first().waitFor();
    const asked = queryOf(lastOf('/inventory?'));
    for (const [name, value] of FILTERS) expect(asked.get(name), name).toBe(value);
    await look(page, 'traffic-endpoints-all-filters');
    for (const [name] of FILTERS) {
      const left = new URL(page.url()).searchParams.size;
      await page
        .getByRole('button', { name: /^Remove filter/ })
        .first()
        .click();
      await expect.poll(() => new URL(page.url()).searchParams.size, { message: name }).toBe(left - 1);
    }
    await expect.poll(() => FILTERS.some(([name]) => queryOf(lastOf('/inventory?')).has(name))).toBe(false);
  });

  it('take several values of a method, a protocol, a flag, a data category and an endpoint category', async () => {
    const many = [
      ['method', ['GET', 'POST']],
      ['protocol', ['http/2', 'grpc']],
      ['risk_flag', ['bola_suspect', 'missing_hsts']],
      ['pii_category', ['email', 'ssn']],
      ['endpoint_category', ['admin_endpoint', 'data_export']],
    ] as const;
    const search = new URLSearchParams(many.flatMap(([name, values]) => values.map((value) => [name, value])));
    await open(`/endpoints?${search}`);
    await expect.poll(() => queryOf(lastOf('/inventory?')).getAll('method')).toEqual(['GET', 'POST']);
    for (const [name, values] of many) expect(queryOf(lastOf('/inventory?')).getAll(name)).toEqual([...values]);
  });

  it('have no status code, which the requests of an endpoint have', async () => {
    const page = await open('/endpoints');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const filters = page.getByRole('dialog', { name: 'Filter' });
    await filters.getByText('Category', { exact: true }).first().waitFor();
    expect(
      await filters
        .locator('label')
        .filter({ hasText: /status/i })
        .count(),
    ).toBe(0);
    await page.goto(`${page.url().split('?')[0]}/${createOperation(1).id}?tab=events&status=404`);
    await page.getByText('Statuses: 404').waitFor();
    await expect.poll(() => queryOf(lastOf('/events?')).get('status')).toBe('404');
  });

  it('choose the catalog, and the layout of the confirmed operations only', async () => {
    const page = await open('/endpoints');
    await page.getByText('By path', { exact: true }).click();
    await page.waitForURL(/layout=grouped/);
    await expect.poll(() => lastOf('/inventory/operations')).not.toBe('');
    await page.getByText('Attack surface', { exact: true }).click();
    await page.waitForURL(/catalog=attack/);
    await expect.poll(() => lastOf('/attack-surface')).not.toBe('');
    // The attack surface is flat, also if the URL asks for groups.
    expect(await page.getByText('By path', { exact: true }).count()).toBe(0);
    await page.getByText('Confirmed', { exact: true }).click();
    await page.waitForURL((url) => !url.searchParams.has('catalog'));
  });

  it('hide operations that were seen fewer than five times, in the confirmed catalog only', async () => {
    const page = await open('/endpoints');
    await page.getByRole('switch', { name: 'Mature only' }).check();
    await expect.poll(() => queryOf(lastOf('/inventory?')).get('min_seen')).toBe('5');
    await page.getByText('Attack surface', { exact: true }).click();
    await expect.poll(() => lastOf('/attack-surface')).not.toBe('');
    expect(queryOf(lastOf('/attack-surface')).has('min_seen')).toBe(false);
    expect(await page.getByRole('switch', { name: 'Mature only' }).count()).toBe(0);
  });
});

describe('the columns of the endpoints', () => {
  const rows = [
    createOperation(1, {
      normalized_path: '/bad',
      error_rate: 0.01,
      latency_max_ms: 1000,
      last_seen: before(59 * MINUTE_MS),
    }),
    createOperation(2, {
      normalized_path: '/amber',
      error_rate: 0.001,
      latency_max_ms: 999,
      last_seen: before(61 * MINUTE_MS),
    }),
    createOperation(3, { normalized_path: '/fine', error_rate: 0.0009, latency_max_ms: 12_345 }),
  ];
  const list = { items: rows, next_cursor: null, total: rows.length, ...LIST_FIELDS };

  it('are those of the specification, with colors of errors, seconds, and a dot within the hour', async () => {
    const page = await open('/endpoints', { other: [[inventoryRoutes.list, list]] });
    const names = ['Method', 'Path', 'Host', 'Calls', 'Errors', 'Max latency', 'Threat', 'Exposure', 'Last seen'];
    const headers = page.getByRole('table', { name: 'endpoints' }).getByRole('columnheader');
    await headers.first().waitFor();
    expect(await headers.allTextContents().then((all) => all.map((one) => one.trim()).filter(Boolean))).toEqual(names);
    const row = (path: string) => page.getByRole('row').filter({ hasText: path });
    const tone = (path: string) => row(path).locator('[data-tone="bad"], [data-tone="warn"]').first();
    await row('/bad').getByText('1%', { exact: true }).waitFor();
    expect(await row('/bad').getByText('1%', { exact: true }).getAttribute('data-tone')).toBe('bad');
    expect(await row('/amber').getByText('0.1%', { exact: true }).getAttribute('data-tone')).toBe('warn');
    expect(await row('/fine').getByText('<0.1%', { exact: true }).getAttribute('data-tone')).toBeNull();
    expect(await tone('/bad').textContent()).toBe('1%');
    await row('/bad').getByText('1.00 s', { exact: true }).waitFor();
    await row('/amber').getByText('999 ms', { exact: true }).waitFor();
    await row('/fine').getByText('12.3 s', { exact: true }).waitFor();
    await row('/bad').getByText('Seen within the last hour').waitFor({ state: 'attached' });
    await row('/amber').getByText('Not seen within the last hour').waitFor({ state: 'attached' });
  });

  it('show the threat of the last seven days, and sort by that of the lifetime', async () => {
    const page = await open('/endpoints');
    const row = page.getByRole('row').filter({ hasText: '/graphql' });
    await row.getByText('12 High').hover();
    await page.getByText('Score 12 from flags of the last 7 days').waitFor();
    await page.getByText('Highest score since the last reset: 15').waitFor();
    await page.getByRole('button', { name: 'Threat', exact: true }).click();
    await page.waitForURL(/sort=max_risk_score/);
    await expect.poll(() => queryOf(lastOf('/inventory?')).get('sort')).toBe('max_risk_score');
    await settle(page);
  });
});

it('the overview of an endpoint has its aggregates, distributions, categories, remedies, consumers and samples', async () => {
  const page = await open(`/endpoints/${createOperation(1).id}`);
  for (const heading of ['Consumers', 'Statuses'])
    await page
      .getByRole('heading', { name: new RegExp(heading, 'i') })
      .first()
      .waitFor();
  await page.getByText('What to do').first().click();
  await page.getByText('Add a filter to the listener.').first().waitFor();
  await page.getByRole('link', { name: 'a1b2c3d4e5f60718' }).waitFor();
  await page
    .getByRole('link', { name: /sample|request 1/i })
    .first()
    .waitFor();
});
