import { eventExportRoutes } from '@flotilla/contract';
import { describe, it } from 'vitest';
import { lookEverywhere } from './everywhere.ts';
import { BASE, useTrafficRoom } from './traffic-insight/room.ts';
import type { Answers } from './traffic-insight/serve.ts';

const PATH = '/exports';
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

const { open } = useTrafficRoom();

it('the screen of event exports is accessible, has no errors, and fits the window of a computer and of a phone', async () => {
  const page = await open(PATH, { other: LIST });
  await page.getByText('98,765, for 2 h').waitFor();
  await lookEverywhere(page, 'event-exports');
  for (const [name, query] of [
    ['new', 'create=export'],
    ['edit', `export=${FAILING.id}`],
  ]) {
    await page.goto(`${BASE}${PATH}?${query}`);
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor();
    await lookEverywhere(page, `event-exports-${name}`);
  }
});

describe('an owner', () => {
  it('creates an export, tests it, and deletes it', async () => {
    const page = await open(PATH, { isReal: true });
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
