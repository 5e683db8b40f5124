import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiTokenRoutes, backupRoutes, documentRoutes, xdsRoutes } from '@flotilla/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { furnish, type Places } from './furnish.ts';
import { look, PROJECT, Stage } from './stage.ts';

const BACKUPS = `/p/${PROJECT}/settings/backups`;
const PHRASE = 'seven boats on a quiet lake';
const WAIT = { timeout: 30_000 };

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

it('a backup is made, a cluster is deleted, the backup brings it back', async () => {
  const cluster = await addCluster('precious');
  const query = { project: places.owner.project };
  const courier = await places.owner.call(apiTokenRoutes.create, { query, body: { name: 'courier', role: 'viewer' } });
  const { page, complaints, close } = await stage.open(BACKUPS);
  await page.getByRole('button', { name: 'Make a backup', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Make a backup' });
  await form.getByRole('radio', { name: 'Pass phrase' }).check();
  await form.getByLabel('Pass phrase', { exact: true }).last().fill('too short');
  await form.getByText('At least 12 characters.', { exact: true }).waitFor();
  expect(await form.getByRole('button', { name: 'Make it' }).isDisabled()).toBe(true);
  await look(page, 'backup-phrase');
  await form.getByLabel('Pass phrase', { exact: true }).last().fill(PHRASE);
  await form.getByRole('textbox', { name: 'Note' }).fill('before the clean-up');
  await form.getByRole('button', { name: 'Make it' }).click();
  await page.getByText('The backup is made.').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'before the clean-up' });
  await row.getByText('Ready').waitFor();
  await row.getByText('By pass phrase').waitFor();
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
  await places.owner.call(apiTokenRoutes.delete, { params: { token_id: courier.id }, query });
  await page.getByRole('button', { name: 'Restore from a file' }).click();
  const wizard = page.getByRole('dialog', { name: 'Restore into this project' });
  await wizard.locator('input[type=file]').or(page.locator('input[type=file]')).first().setInputFiles(file);
  await wizard.getByText('The project default').waitFor();
  const see = wizard.getByRole('button', { name: 'See what would happen' });
  expect(await see.isDisabled()).toBe(true);
  await wizard.getByLabel('Pass phrase', { exact: true }).fill('not the one of this file');
  await see.click();
  await wizard.getByText('The pass phrase does not open this backup.').waitFor();
  await look(page, 'restore-wrong-phrase');
  await wizard.getByLabel('Pass phrase', { exact: true }).fill(PHRASE);
  await see.click();
  await wizard.getByText('Created: 1').waitFor();
  await wizard.getByText(/clusters\/precious$/).waitFor();
  // The project's clients and its other token are here: nothing of them is missing.
  await wizard.getByText(/^Tokens.*make new ones: courier$/).waitFor();
  const restore = wizard.getByRole('button', { name: 'Restore', exact: true });
  expect(await restore.isDisabled()).toBe(true);
  await restore.scrollIntoViewIfNeeded();
  await look(page, 'restore-plan');

  // Somebody makes another one of this name meanwhile: what was shown does not hold any more.
  await addCluster('precious', '9s');
  await wizard.getByRole('textbox', { name: `Enter ${PROJECT}` }).fill(PROJECT);
  await restore.click();
  await wizard.getByText('The project has changed since').waitFor();
  await wizard.getByText('Names that are taken: 1').waitFor();
  const choice = wizard.getByLabel(/^What is done with .*precious$/);
  const again = wizard.getByRole('button', { name: 'See what would happen then' });
  await choice.selectOption('Bring it beside, as');
  await wizard.getByLabel(/^Name that .*precious gets$/).fill('precious');
  await again.click();
  await wizard.getByText('that name is taken, too').waitFor();
  await again.scrollIntoViewIfNeeded();
  await look(page, 'restore-name-taken');
  await choice.selectOption('Replace it');
  expect(await restore.count()).toBe(0);
  await again.click();
  await restore.waitFor();
  await again.waitFor({ state: 'detached' });
  expect(await choice.inputValue()).toBe('replace');
  await wizard.getByRole('textbox', { name: `Enter ${PROJECT}` }).fill(PROJECT);
  await restore.click();
  await wizard.getByRole('link', { name: 'The project as it was before' }).waitFor();
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

it('of 120 names that are taken each can be found and chosen for, by keyboard alone', async () => {
  const names = Array.from({ length: 120 }, (_, i) => `taken-${String(i).padStart(3, '0')}`);
  await addClusters(names, '1s');
  const { page, complaints, close } = await stage.open(BACKUPS);
  await page.getByRole('button', { name: 'Make a backup', exact: true }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('of many');
  await page.getByRole('button', { name: 'Make it' }).click();
  const row = page.getByRole('row').filter({ hasText: 'of many' });
  await row.getByText('Ready').waitFor();
  await addClusters(names, '2s');
  await row.getByRole('link').click();
  await page.getByRole('dialog', { name: 'Backup' }).getByRole('button', { name: 'Restore …' }).click();
  const wizard = page.getByRole('dialog', { name: 'Restore into this project' });
  await wizard.getByRole('button', { name: 'See what would happen' }).click();
  await wizard.getByText('Names that are taken: 120').waitFor();
  const lines = wizard.getByRole('list', { name: 'Names that are taken: 120' }).getByRole('listitem');
  const choiceOf = (name: string) => wizard.getByLabel(new RegExp(`^What is done with .*${name}$`));
  const restore = wizard.getByRole('button', { name: 'Restore', exact: true });
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  expect(await lines.count()).toBe(50);
  await wizard.getByText('50 of 120 shown').waitFor();
  for (const [more, count, first] of [
    [50, 100, 'taken-050'],
    [20, 120, 'taken-100'],
  ] as const) {
    await wizard.getByRole('button', { name: `Show ${more} more` }).focus();
    await page.keyboard.press('Enter');
    await wizard.getByText(`${count} of 120 shown`).waitFor();
    expect(await lines.count()).toBe(count);
    await expect.poll(focused, WAIT).toContain(first);
  }
  expect(await wizard.getByRole('button', { name: /^Show .* more$/ }).count()).toBe(0);
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => choiceOf('taken-100').inputValue(), WAIT).toBe('replace');
  await look(page, 'restore-many');

  const search = wizard.getByRole('searchbox', { name: 'Search names that are taken' });
  await search.fill('CLUSTERS 119');
  await wizard.getByText('1 of 1 shown').waitFor();
  const again = wizard.getByRole('button', { name: 'See what would happen then' });
  await search.press('Enter');
  await choiceOf('taken-119').selectOption('Replace it');
  // Nothing was asked by the search: what is chosen still waits to be looked at.
  expect([await again.count(), await restore.count()]).toEqual([1, 0]);
  await search.fill('no such name');
  await wizard.getByText('None of them').waitFor();
  await search.fill('');
  await look(page, 'restore-many-chosen');
  await again.click();
  await again.waitFor({ state: 'detached' });
  await wizard.getByRole('textbox', { name: `Enter ${PROJECT}` }).fill(PROJECT);
  await restore.click();
  await wizard.getByRole('link', { name: 'The project as it was before' }).waitFor();
  const timeouts = await Promise.all(names.map((name) => timeoutOf(name)));
  expect(names.filter((_, i) => timeouts[i] === '1s')).toEqual(['taken-100', 'taken-119']);
  expect(complaints).toEqual([]);
  await close();
});

it('a file that is no backup is refused in its place, and nothing is kept of it', async () => {
  const { page, complaints, close } = await stage.open(`${BACKUPS}?restore=upload`);
  const wizard = page.getByRole('dialog', { name: 'Restore into this project' });
  await wizard.getByRole('button', { name: 'Choose the file' }).waitFor();
  const { items: before } = await places.owner.call(backupRoutes.list, { query: { project: places.owner.project } });
  const buffer = Buffer.from('holiday pictures');
  await page.locator('input[type=file]').setInputFiles({ name: 'x.flotbk', mimeType: 'text/plain', buffer });
  await wizard.getByText('This is not a backup of Flotilla.').waitFor();
  await look(page, 'restore-not-a-backup');
  const { items: after } = await places.owner.call(backupRoutes.list, { query: { project: places.owner.project } });
  expect(after.length).toBe(before.length);
  expect(complaints).toEqual([]);
  await close();
});

it('backups are made by the clock until their schedule is deleted', async () => {
  const { page, complaints, close } = await stage.open(BACKUPS);
  await page.getByRole('button', { name: 'Add a schedule' }).click();
  const form = page.getByRole('dialog', { name: 'Make backups by the clock' });
  await form.getByLabel('At', { exact: true }).fill('04:15');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  const section = page.getByRole('region', { name: 'By the clock' });
  await section.getByText('15 4 * * *').waitFor();
  await section.getByText('keeps 14').waitFor();
  await look(page, 'backups-schedule');
  await section.getByRole('button', { name: 'Delete nightly-backup' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await section.getByText('No backup is made by the clock.').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

async function timeoutOf(name: string) {
  const { resource } = await places.owner.call(xdsRoutes.get, at(name));
  return resource.connect_timeout;
}

async function addClusters(names: readonly string[], timeout: string): Promise<void> {
  const documents = names.map((name) => ({
    collection: 'clusters' as const,
    name,
    version: places.version,
    type: 'envoy.config.cluster.v3.Cluster',
    resource: { name, connect_timeout: timeout },
  }));
  await places.owner.call(documentRoutes.apply, { query: {}, body: { project: places.owner.project, documents } });
}

async function addCluster(name: string, timeout = '1s') {
  await addClusters([name], timeout);
  return at(name);
}

const at = (name: string) => ({
  params: { collection: 'clusters' as const, name },
  query: { project: places.owner.project, version: places.version },
});
