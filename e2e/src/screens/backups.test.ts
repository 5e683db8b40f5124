import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupRoutes, documentRoutes, xdsRoutes } from '@flotilla/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { furnish, type Places } from './furnish.ts';
import { look, PROJECT, Stage } from './stage.ts';

const BACKUPS = `/p/${PROJECT}/settings/backups`;
const PHRASE = 'seven boats on a quiet lake';

let stage: Stage;
let places: Places;
let folder: string;
beforeAll(async () => {
  stage = await Stage.open();
  places = await furnish(stage);
  folder = await mkdtemp(join(tmpdir(), 'flotilla-backups-'));
});
afterAll(async () => {
  await stage?.close();
  if (folder) await rm(folder, { recursive: true });
});

it('a cluster that was deleted after a backup comes back with a restore', async () => {
  const cluster = await addCluster('precious');
  const { page, complaints, close } = await stage.open(BACKUPS);
  await page.getByRole('button', { name: 'Create backup', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Create a backup' });
  await form.getByRole('radio', { name: 'Passphrase' }).check();
  await form.getByLabel('Passphrase', { exact: true }).last().fill('too short');
  await form.getByText('At least 12 characters.', { exact: true }).waitFor();
  expect(await form.getByRole('button', { name: 'Create', exact: true }).isDisabled()).toBe(true);
  await look(page, 'backup-phrase');
  await form.getByLabel('Passphrase', { exact: true }).last().fill(PHRASE);
  await form.getByRole('textbox', { name: 'Note' }).fill('before the clean-up');
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('The backup is created.').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'before the clean-up' });
  await row.getByText('Ready').waitFor();
  await row.getByText('Passphrase').waitFor();
  await look(page, 'backups-one');

  await row.getByRole('link').click();
  const detail = page.getByRole('dialog', { name: 'Backup' });
  const download = page.waitForEvent('download');
  await detail.getByRole('link', { name: 'Download' }).click();
  const file = join(folder, 'project.flotbk');
  await (await download).saveAs(file);
  await look(page, 'backup-detail');
  await detail.getByRole('button', { name: 'Delete …' }).click();
  await page.getByRole('dialog', { name: 'Delete the backup?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No backup yet').waitFor();

  await places.owner.call(xdsRoutes.remove, cluster);
  await page.getByRole('button', { name: 'Restore from a file' }).click();
  const wizard = page.getByRole('dialog', { name: 'Restore into this project' });
  await wizard.locator('input[type=file]').or(page.locator('input[type=file]')).first().setInputFiles(file);
  await wizard.getByText('Project default').waitFor();
  const see = wizard.getByRole('button', { name: 'Preview' });
  expect(await see.isDisabled()).toBe(true);
  await wizard.getByLabel('Passphrase', { exact: true }).fill('not the one of this file');
  await see.click();
  await wizard.getByText('The passphrase does not open this backup.').waitFor();
  await look(page, 'restore-wrong-phrase');
  await wizard.getByLabel('Passphrase', { exact: true }).fill(PHRASE);
  await see.click();
  await wizard.getByText('Created: 1').waitFor();
  await wizard.getByText(/clusters\/precious$/).waitFor();
  await wizard.getByText(/^Skipped: \d+$/).waitFor();
  const restore = wizard.getByRole('button', { name: 'Restore', exact: true });
  expect(await restore.isDisabled()).toBe(true);
  await restore.scrollIntoViewIfNeeded();
  await look(page, 'restore-plan');

  // The other choice requires another dry run.
  await addCluster('precious', '9s');
  await wizard.getByRole('radio', { name: 'Replace' }).check();
  expect(await restore.count()).toBe(0);
  await see.click();
  await wizard.getByText('Changed: 1').waitFor();
  await wizard.getByRole('textbox', { name: `Enter ${PROJECT}` }).fill(PROJECT);
  await restore.click();
  await wizard.getByRole('link', { name: 'Restore point from before' }).waitFor();
  await look(page, 'restore-done');
  const { resource } = await places.owner.call(xdsRoutes.get, cluster);
  expect(resource).toMatchObject({ name: 'precious', connect_timeout: '1s' });
  await wizard.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row').filter({ hasText: 'Restore point' }).waitFor();
  const kept = await page.evaluate(() => JSON.stringify([location.href, { ...sessionStorage }, { ...localStorage }]));
  expect(kept).not.toContain(PHRASE);
  expect(complaints).toEqual([]);
  await close();
});

it('a backup with a refused record shows the reason, and cannot be restored', async () => {
  const filter = await addFilter('odd', 'envoy.extensions.filters.http.router.v3.Router');
  const { page, complaints, close } = await stage.open(BACKUPS);
  await page.getByRole('button', { name: 'Create backup', exact: true }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('of a filter');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: 'of a filter' });
  await row.getByText('Ready').waitFor();
  // A document keeps its type: another one of the same name cannot be replaced.
  await places.owner.call(xdsRoutes.remove, filter);
  await addFilter('odd', 'envoy.extensions.filters.http.cors.v3.Cors');
  await row.getByRole('link').click();
  await page.getByRole('dialog', { name: 'Backup' }).getByRole('button', { name: 'Restore …' }).click();
  const wizard = page.getByRole('dialog', { name: 'Restore into this project' });
  await wizard.getByRole('radio', { name: 'Replace' }).check();
  await wizard.getByRole('button', { name: 'Preview' }).click();
  await wizard.getByText('Refused: 1').waitFor();
  const refused = wizard.getByText(/filters\/odd$/);
  await refused.scrollIntoViewIfNeeded();
  await look(page, 'restore-refused');
  expect(await wizard.getByRole('button', { name: 'Restore', exact: true }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

it('a file that is not a backup is refused beside its input, and nothing of it is stored', async () => {
  const { page, complaints, close } = await stage.open(`${BACKUPS}?restore=upload`);
  const wizard = page.getByRole('dialog', { name: 'Restore into this project' });
  await wizard.getByRole('button', { name: 'Choose file' }).waitFor();
  const { items: before } = await places.owner.call(backupRoutes.list, { query: { project: places.owner.project } });
  const buffer = Buffer.from('holiday pictures');
  await page.locator('input[type=file]').setInputFiles({ name: 'x.flotbk', mimeType: 'text/plain', buffer });
  await wizard.getByText('This file is not a Flotilla backup.').waitFor();
  await look(page, 'restore-not-a-backup');
  const { items: after } = await places.owner.call(backupRoutes.list, { query: { project: places.owner.project } });
  expect(after.length).toBe(before.length);
  expect(complaints).toEqual([]);
  await close();
});

it('backups run on a schedule until it is deleted', async () => {
  const { page, complaints, close } = await stage.open(BACKUPS);
  await page.getByRole('button', { name: 'Add schedule' }).click();
  const form = page.getByRole('dialog', { name: 'Add a backup schedule' });
  await form.getByLabel('Time', { exact: true }).fill('04:15');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  const section = page.getByRole('region', { name: 'Schedules' });
  await section.getByText('15 4 * * *').waitFor();
  await section.getByText('keeps 14').waitFor();
  await look(page, 'backups-schedule');
  await section.getByRole('button', { name: 'Delete nightly-backup' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await section.getByText('No schedule yet.').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

async function addCluster(name: string, timeout = '1s') {
  await apply('clusters', {
    name,
    type: 'envoy.config.cluster.v3.Cluster',
    resource: { name, connect_timeout: timeout },
  });
  return at('clusters', name);
}

async function addFilter(name: string, type: string) {
  await apply('filters', { name, type, resource: {} });
  return at('filters', name);
}

async function apply(
  collection: 'clusters' | 'filters',
  document: { readonly name: string; readonly type: string; readonly resource: Record<string, unknown> },
): Promise<void> {
  const documents = [{ collection, version: places.version, ...document }];
  await places.owner.call(documentRoutes.apply, { query: {}, body: { project: places.owner.project, documents } });
}

const at = (collection: 'clusters' | 'filters', name: string) => ({
  params: { collection, name },
  query: { project: places.owner.project, version: places.version },
});
