import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage, type StagePage } from './stage.ts';

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

async function openForm(): Promise<Page> {
  opened = await stage.open(`/p/${PROJECT}/clients`);
  const { page } = opened;
  await page.getByRole('button', { name: 'Roll out a command' }).click();
  await page.getByRole('dialog', { name: 'Roll out a command' }).waitFor();
  return page;
}

async function choose(page: Page, command: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Command' }).click();
  await page.getByRole('option', { name: command, exact: true }).click();
}

it('shows the waves, starts the rollout and follows it on the page of the job', async () => {
  const page = await openForm();
  const plan = page.getByRole('button', { name: 'Show the waves' });
  expect(await plan.isDisabled()).toBe(true);
  await choose(page, 'Update filter');
  await page.getByRole('combobox', { name: 'Service' }).fill('demo');
  await page.getByRole('textbox', { name: 'Each wave' }).fill('many');
  await page.getByText('A number from 1, or a share such as 10%').waitFor();
  expect(await plan.isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Each wave' }).fill('50%');
  await look(page, 'rollout-form-light');
  await plan.click();
  await page.getByRole('list', { name: 'Waves' }).getByText('Wave 1: 1 client').waitFor();
  expect(await page.getByText('The rollout did not start').count()).toBe(0);
  await look(page, 'rollout-waves-light');
  await page.getByRole('button', { name: 'Start the rollout' }).click();
  await page.waitForURL(/\/jobs\/\d+/);
  await page.getByText('done 1, wave 1 of 1, failed 0').waitFor();
  await look(page, 'rollout-job-light');
});

it('names the clients that failed, and says why a rollout cannot start', async () => {
  const page = await openForm();
  await choose(page, 'Remove Envoy version');
  await page.getByRole('textbox', { name: 'Version' }).fill(places.version);
  await page.getByRole('radio', { name: 'Clients with labels' }).check();
  const labels = page.getByRole('combobox', { name: 'Labels' });
  await labels.fill('no-such=label');
  await labels.press('Enter');
  await page.getByRole('button', { name: 'Show the waves' }).click();
  await page.getByText('labels: no client has no-such=label').waitFor();
  await page.getByRole('radio', { name: 'Chosen clients' }).check();
  await page.getByRole('combobox', { name: 'Clients by name' }).click();
  const first = page.getByRole('option').first();
  const name = (await first.textContent()) ?? '';
  await first.click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show the waves' }).click();
  await page.getByRole('list', { name: 'Waves' }).getByText(name).waitFor();
  await page.getByRole('button', { name: 'Start the rollout' }).click();
  await page.waitForURL(/\/jobs\/\d+/);
  await page.getByRole('list', { name: 'Failed targets' }).getByText(name).waitFor();
  await look(page, 'rollout-failed-light');
});
