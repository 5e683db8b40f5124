import { eventExportRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, type PageOptions, PROJECT, type Stage, type StagePage } from './stage.ts';
import { type Answers, serve } from './traffic-insight/serve.ts';

const PATH = `/p/${PROJECT}/traffic/exports`;
const HOSTILE = '<img src=x onerror="globalThis.wasRun=true">\u202etxt';
const ID = '00000000-0000-7000-8000-000000000001';
const AT = '2026-11-28T10:00:00.000Z';

const EXPORT = {
  id: ID,
  project: ID,
  name: 'siem',
  enabled: true,
  target: {
    kind: 'syslog',
    host: 'logs.example.com',
    port: 6514,
    protocol: 'tls',
    facility: 'local0',
    app_name: 'flotilla',
    ca_cert: null,
    client_cert: null,
  },
  selection: {
    decisions: ['blocked', 'detected'],
    min_risk: 50,
    flags: [],
    service_ids: [],
    hosts: [],
    findings: true,
  },
  private: [],
  state: 'working',
  delivered_at: AT,
  failing_since: null,
  last_error: null,
  sent_events: 1_234_567,
  skipped_events: 2_000_000,
  backlog_events: 0,
  lag_s: 0,
  lost_events: 0,
  lost_at: null,
  created_at: AT,
  updated_at: AT,
  updated_by: 'anna',
  revision: 1,
};
const FAILING = {
  ...EXPORT,
  id: ID.replace(/1$/, '2'),
  name: 'lake',
  target: { kind: 'webhook', url: 'https://ingest.example.com/flotilla', format: 'json', ca_cert: null },
  private: [{ path: 'target.secret', set: true, updated_at: AT }],
  state: 'failing',
  failing_since: AT,
  last_error: `the receiver answers 500 ${HOSTILE}`,
  backlog_events: 98_765,
  lag_s: 7200,
  lost_events: 321,
  lost_at: AT,
};
const LIST: Answers = [
  [eventExportRoutes.get, { ...FAILING }],
  [eventExportRoutes.list, { items: [EXPORT, FAILING], next_cursor: null }],
];

let stage: Stage;
let opened: StagePage | undefined;
let page: Page;
beforeAll(async () => {
  ({ stage } = await shareFurnishedStage());
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  if (opened) expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false);
  await opened?.close();
  opened = undefined;
});

async function open(
  path: string,
  { answers, ...options }: PageOptions & { readonly answers?: Answers } = {},
): Promise<void> {
  opened = await stage.open('about:blank', options);
  ({ page } = opened);
  if (answers) await serve(page, answers);
  await page.goto(path);
  await page.getByRole('heading', { level: 1, name: 'Event exports', includeHidden: true }).waitFor();
}

describe.each([
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 390 },
] as const)('the screen of event exports, $scheme at $width px', ({ scheme, width }) => {
  it('is accessible, has no errors, and fits the window', async () => {
    await open(PATH, { scheme, width, answers: LIST });
    await page.getByText('98,765, for 2 h').waitFor();
    await look(page, `event-exports-${scheme}-${width}`);
    for (const [name, query] of [
      ['new', 'create=export'],
      ['edit', `export=${FAILING.id}`],
    ]) {
      await page.goto(`${PATH}?${query}`);
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor();
      await look(page, `event-exports-${name}-${scheme}-${width}`);
    }
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
  });
});

describe('an owner', () => {
  it('creates an export, tests it, and deletes it', async () => {
    await open(PATH);
    await page.getByText('No exports yet').waitFor();
    await page.getByRole('button', { name: 'Create an export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('lake');
    await dialog.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Webhook' }).click();
    await dialog.getByLabel('Address').fill('https://ingest.invalid/flotilla');
    await dialog.getByLabel('Signing secret').fill('a-secret-of-sixteen-and-more');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('The export lake is created.').waitFor();
    await page.getByRole('cell', { name: 'https://ingest.invalid/flotilla' }).waitFor();
    await page.getByRole('button', { name: 'Send a test message to lake' }).click();
    await page.getByText('The test message was not accepted').waitFor();
    await page.getByRole('button', { name: 'Delete lake' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No exports yet').waitFor();
  });
});
