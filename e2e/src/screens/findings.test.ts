import { findingRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, type PageOptions, PROJECT, type Stage, type StagePage } from './stage.ts';
import { ANSWERS } from './traffic-insight/answers.ts';
import { OPERATIONS } from './traffic-insight/catalogue.ts';
import { FINDING_ANSWERS, FINDINGS } from './traffic-insight/findings.ts';
import { type Answers, type Requests, serve } from './traffic-insight/serve.ts';

const BASE = `/p/${PROJECT}/traffic`;
const [SILENT, BACK, , HOSTILE_ONE, ACCEPTED, FIXED, GONE] = FINDINGS.map(({ id }) => id);

let stage: Stage;
let opened: StagePage | undefined;
let page: Page;
let requests: Requests;

beforeAll(async () => {
  ({ stage } = await shareFurnishedStage());
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  if (opened) expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
  await opened?.close();
  opened = undefined;
});

async function open(path: string, { other = [], ...options }: PageOptions & { readonly other?: Answers } = {}) {
  opened = await stage.open('about:blank', options);
  ({ page } = opened);
  requests = await serve(page, [...ANSWERS, ...FINDING_ANSWERS, ...other]);
  await page.goto(`${BASE}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

const lastOf = (part: string) => requests.findLast((one) => one.includes(part)) ?? '';

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

describe.each([
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 390 },
] as const)('the screens about findings, $scheme at $width px', ({ scheme, width }) => {
  it('are accessible, have no errors, and fit the window', async () => {
    await open('/findings', { scheme, width });
    for (const [name, path, heading] of SCREENS) {
      await page.goto(`${BASE}${path}`);
      await page.getByRole('heading', { level: 1, name: heading, includeHidden: true }).waitFor();
      await look(page, `${name}-${scheme}-${width}`);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, name).toBeLessThanOrEqual(0);
    }
  });
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
    await dialog.getByText('2 findings will change, 1 are closed and stay so').waitFor();
    await look(page, 'finding-accept-dialog');
    const send = dialog.getByRole('button', { name: 'Accept the risk' });
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The legacy client ends in March');
    await send.click();
    await page.getByText('2 findings changed.').waitFor();
    expect(requests.filter((one) => one.startsWith(`POST ${findingRoutes.changeMany.path}`))).toHaveLength(2);
  });

  it('say that there are none, and that they could not be loaded', async () => {
    const nothing = { items: [], next_cursor: null, total: 0 };
    await open('/findings', { other: [[findingRoutes.list, nothing]] });
    await page.getByText('No findings', { exact: true }).waitFor();
    await look(page, 'findings-empty');
    await opened?.close();
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
      `${BASE}/drafts/new?operation_id=${FINDINGS[1]?.operation.id}&flag=${FINDINGS[1]?.flag}`,
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
