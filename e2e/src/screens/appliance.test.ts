import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, look, PROJECT, type Stage, type StagePage } from './stage.ts';

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

const tabPath = () => `/p/${PROJECT}/clients/${places.client}?tab=appliance`;
const sectionOf = (page: Page) => page.getByRole('region', { name: 'Support bundles' });

afterAll(async () => {
  // An attempt that failed may have left bundles for the next one.
  const send = (sub_type: string, command: object) =>
    stage.fleet.api('POST', '/api/op/clients', {
      type: 'APPLIANCE',
      sub_type,
      clients: [{ client_id: places.client }],
      command,
    });
  const { body } = await send('SUB_BUNDLE_LIST', {});
  for (const { artifact_id } of body.results[0].result?.artifacts ?? [])
    await send('SUB_BUNDLE_DELETE', { artifact_id });
});

it('the page of a client creates, downloads and deletes a support bundle of a real host', async () => {
  opened = await stage.open(tabPath());
  const { page } = opened;
  const section = sectionOf(page);
  await section.getByText('No support bundle', { exact: true }).waitFor();
  await section.getByRole('button', { name: 'Create support bundle' }).click();
  const row = section.getByRole('row').nth(1);
  await row.getByText('Ready', { exact: true }).waitFor({ timeout: 90_000 });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^support-bundle-[\w.-]+-[0-9a-f]{12}\.tar\.gz$/);
  const listed = execFileSync('tar', ['tzf', '-'], { input: await readFile(await download.path()) }).toString();
  expect(listed).toMatch(/\/manifest\.json\n/);
  expect(listed).toMatch(/\/services\/[0-9a-f]{12}\/envoy\/config_dump\.json\n/);
  await page.getByRole('region', { name: 'Health' }).getByRole('rowheader', { name: 'memory' }).waitFor();
  await page.getByRole('region', { name: 'Versions' }).getByRole('rowheader', { name: 'flotilla' }).waitFor();
  await expectAccessible(page, 'the tab of an appliance');
  await look(page, 'client-appliance-light');
  await row.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await section.getByText('No support bundle', { exact: true }).waitFor();
});

const bundle = (n: number, more: object) => ({
  artifact_id: String(n).repeat(32),
  kind: 'SUPPORT_BUNDLE',
  created_at: `2026-01-0${n}T03:04:05.000Z`,
  finished_at: null,
  expires_at: null,
  size_bytes: null,
  sha256: null,
  reason: null,
  progress: null,
  ...more,
});

/** Answers the question for the bundles in place of the host. */
async function answerWith(page: Page, artifacts: readonly object[]): Promise<void> {
  await page.route('**/api/op/clients?*', async (route: Route) => {
    const sent = route.request().postData() ?? '';
    if (!sent.includes('SUB_BUNDLE_LIST')) return route.continue();
    const result = { client_id: places.client, client_name: 'x', command_id: null, outcome: 'done', duration_ms: 1 };
    await route.fulfill({ json: { results: [{ ...result, result: { artifacts } }] } });
  });
}

it.each(['light', 'dark'] as const)(
  'the page of a client shows bundles that are created, ready, failed and expired (%s)',
  async (scheme) => {
    opened = await stage.open('about:blank', { scheme });
    const { page } = opened;
    await answerWith(page, [
      bundle(4, { state: 'RUNNING', progress: { step: 'host/journal.txt', done: 30, total: 60 } }),
      bundle(3, {
        state: 'READY',
        size_bytes: 5_000_000,
        sha256: 'ab'.repeat(32),
        expires_at: '2026-01-04T03:04:05.000Z',
      }),
      bundle(2, { state: 'FAILED', reason: 'The disk of the host is full. <b>Free</b> some space.' }),
      bundle(1, { state: 'EXPIRED', reason: 'It was kept for 24 hours.' }),
    ]);
    await page.goto(`${stage.url}${tabPath()}`);
    const section = sectionOf(page);
    await section.getByText('Being created').waitFor();
    expect(await section.getByRole('progressbar').getAttribute('value')).toBe('50');
    await section.getByText('host/journal.txt').waitFor();
    await section.getByText('The disk of the host is full. <b>Free</b> some space.').waitFor();
    await section.getByText('It was kept for 24 hours.').waitFor();
    expect(await section.getByRole('link', { name: 'Download' }).count()).toBe(1);
    expect(await section.getByRole('button', { name: 'Create support bundle' }).isDisabled()).toBe(true);
    expect(await section.getByRole('button', { name: 'Delete' }).count()).toBe(3);
    await expectAccessible(page, 'the states of support bundles');
    await look(page, `client-bundles-${scheme}`);
  },
);

it('the page of a client shows a viewer the bundles, without a way to create, download or delete one', async () => {
  opened = await stage.open('about:blank', {
    user: { username: 'victor', password: places.passwords.victor },
  });
  const { page } = opened;
  await answerWith(page, [bundle(3, { state: 'READY', size_bytes: 5, sha256: 'ab'.repeat(32) })]);
  await page.goto(`${stage.url}${tabPath()}`);
  const section = sectionOf(page);
  await section.getByText('Ready', { exact: true }).waitFor();
  expect(await section.getByRole('link').count()).toBe(0);
  expect(await section.getByRole('button', { name: /Create|Delete/ }).count()).toBe(0);
});
