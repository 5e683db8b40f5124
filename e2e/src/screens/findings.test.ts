import { findingRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { look } from './stage.ts';
import { OPERATIONS } from './traffic-insight/catalogue.ts';
import { FINDINGS } from './traffic-insight/findings.ts';
import { BASE, lookAtScreens, type OpenOptions, useTrafficRoom } from './traffic-insight/room.ts';

const [SILENT, BACK, , HOSTILE_ONE, ACCEPTED, FIXED, GONE] = FINDINGS.map(({ id }) => id);

const room = useTrafficRoom();
const { lastOf } = room;
let page: Page;

async function open(path: string, options: OpenOptions = {}): Promise<void> {
  page = await room.open(path, options);
}

const SCREENS = [
  ['findings', '/findings', 'Findings'],
  ['findings-all', '/findings?show=all', 'Findings'],
  ['finding-silent', `/findings/${SILENT}`, /:/],
  ['finding-back', `/findings/${BACK}`, /:/],
  ['finding-hostile', `/findings/${HOSTILE_ONE}`, /:/],
  ['finding-accepted', `/findings/${ACCEPTED}`, /:/],
  ['finding-fixed', `/findings/${FIXED}`, /:/],
  ['finding-gone', `/findings/${GONE}`, /:/],
  ['finding-endpoint', `/endpoints/${OPERATIONS[0]?.id}`, /orders/],
] as const;

it('the screens about findings are accessible, have no errors, and fit the window of a computer and of a phone', async () => {
  await open('/findings');
  await lookAtScreens(page, SCREENS);
});

describe('the findings', () => {
  it('show the open ones first, and filter with chips that the URL keeps', async () => {
    await open('/findings?severity=high&host=shop.');
    await expect.poll(() => lastOf('/findings?')).toMatch(/state=new.*state=accepted.*severity=high.*host=shop\./);
    await page.getByText('Severity: High', { exact: true }).waitFor();
    await page.getByText('Host begins with: shop.', { exact: true }).waitFor();
    await page.getByText('Closed', { exact: true }).click();
    await page.waitForURL(/show=closed/);
    await expect.poll(() => lastOf('/findings?')).toMatch(/state=fixed&state=operation_gone/);
  });

  it('are changed many at once, after the dialog has said how many', async () => {
    await open('/findings');
    const grid = page.getByRole('grid', { name: 'Findings' });
    await grid.getByRole('checkbox').nth(1).check();
    await page.getByRole('button', { name: 'Accept the risk' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 findings will change, 1 is closed and stays so').waitFor();
    await look(page, 'finding-accept-dialog');
    const send = dialog.getByRole('button', { name: 'Accept the risk' });
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The legacy client ends in March');
    await send.click();
    await page.getByText('2 findings changed.').waitFor();
    expect(room.requests().filter((one) => one.startsWith(`POST ${findingRoutes.changeMany.path}`))).toHaveLength(2);
  });

  it('say that there are none, and that they could not be loaded', async () => {
    const nothing = { items: [], next_cursor: null, total: 0 };
    await open('/findings', { other: [[findingRoutes.list, nothing]] });
    await page.getByText('No findings', { exact: true }).waitFor();
    await look(page, 'findings-empty');
    await room.close();
    const message = 'The controller failed.';
    const refused = { refused: { status: 500, code: 'internal.failure', message } };
    await open('/findings', { other: [[findingRoutes.list, refused]] });
    await page.getByText(message).waitFor();
  });
});

describe('a finding', () => {
  it('leads to its requests, to its endpoint and to a draft of a policy', async () => {
    await open(`/findings/${BACK}`);
    const link = page.getByRole('link', { name: 'Show the requests with this flag' });
    const events = new URL((await link.getAttribute('href')) ?? '', 'http://x').searchParams;
    expect([events.get('operation_id'), events.get('risk_flag')]).toEqual([
      FINDINGS[1]?.operation.id,
      FINDINGS[1]?.flag,
    ]);
    expect(await page.getByRole('link', { name: 'Draft a policy' }).getAttribute('href')).toBe(
      `${BASE}/drafts/new?finding_id=${FINDINGS[1]?.id}`,
    );
  });

  it('says why it is not fixed, and keeps its comments', async () => {
    await open(`/findings/${SILENT}`);
    await page.getByText(/^No traffic since/).waitFor();
    await page.getByText('The header is set at the load balancer now. <i>Really.</i>').waitFor();
    await page.getByRole('textbox', { name: 'Comment' }).fill('done');
    await page.getByRole('button', { name: 'Write a comment' }).click();
    await expect.poll(() => lastOf('POST')).toContain(`/findings/${SILENT}/comments`);
  });
});
