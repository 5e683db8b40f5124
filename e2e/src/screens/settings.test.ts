import { settingRoutes, userSessionRoutes } from '@flotilla/contract';
import { beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { PROJECT, type Stage, settle } from './stage.ts';

const SECRET = 'the-key-of-the-webhook-31415';

let stage: Stage;
let places: Places;
beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
});

it('syslog is configured, tested and saved, and a conflicting save by another user loses nothing', async () => {
  const { page, complaints, close } = await stage.open('/settings/syslog');
  const form = page.getByRole('form', { name: 'Syslog forwarding' });
  await form.getByRole('textbox', { name: 'Host' }).fill('127.0.0.1');
  await form.getByRole('textbox', { name: 'Port' }).fill('1');
  await form.getByRole('button', { name: 'Test' }).click();
  await page.getByText('Test failed').waitFor();
  await form.getByRole('textbox', { name: 'Host' }).fill('log.example');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Syslog forwarding: saved.').waitFor();

  await form.getByRole('textbox', { name: 'Tag' }).fill('mine');
  const patch = { params: { key: 'syslog' }, query: {}, body: { facility: 'local3', tag: 'theirs' } };
  await places.owner.call(settingRoutes.patch, patch);
  // A change in the meantime does not affect the unsaved input.
  await settle(page);
  expect(await form.getByRole('textbox', { name: 'Tag' }).inputValue()).toBe('mine');
  await form.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Someone else saved this while you were editing' });
  await dialog.waitFor();
  await dialog.getByRole('radio', { name: 'Mine' }).check();
  await dialog
    .getByRole('button', { name: /use|take|done|resolve|continue/i })
    .last()
    .click();
  await dialog.waitFor({ state: 'hidden' });
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'hidden' });
  const stored = await places.owner.call(settingRoutes.get, { params: { key: 'syslog' }, query: {} });
  expect(stored.value).toMatchObject({ host: 'log.example', tag: 'mine', facility: 'local3' });
  expect(complaints).toEqual([]);
  await close();
});

it('a secret is sent to the controller and never comes back to the page', async () => {
  await places.owner.call(settingRoutes.reset, { params: { key: 'webhook' }, query: {} });
  const { page, complaints, close } = await stage.open('/settings/webhook');
  const form = page.getByRole('form', { name: 'Webhook forwarding' });
  await form.getByRole('button', { name: 'Enter: Signing secret' }).click();
  await form.getByLabel('Signing secret', { exact: true }).fill(SECRET);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('button', { name: 'Replace: Signing secret' }).waitFor();
  expect(await page.content()).not.toContain(SECRET);
  await page.reload();
  await form.getByRole('button', { name: 'Clear: Signing secret' }).click();
  await form.getByText('Cleared when you save.').waitFor();
  expect(await page.content()).not.toContain(SECRET);
  const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  expect(kept).not.toContain(SECRET);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Not set').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

it('a user is signed out when an admin ends the sessions', async () => {
  const user = await places.owner.addMember('editor');
  const theirs = await stage.open(`/p/${PROJECT}/policies`, { user });
  await theirs.page.getByRole('heading', { level: 1 }).waitFor();
  const { page, close } = await stage.open(`/p/${PROJECT}/users/${user.id}`);
  const sessions = page.getByRole('region', { name: 'Sessions' });
  await sessions.getByRole('listitem').first().waitFor();
  await sessions.getByRole('button', { name: 'End all' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End all' }).click();
  await sessions.getByText('No active sessions.').waitFor();
  const target = { params: { user_id: user.id }, query: {} };
  expect((await places.owner.call(userSessionRoutes.list, target)).items).toEqual([]);
  await theirs.page.goto(`/p/${PROJECT}/services`);
  await theirs.page.getByRole('button', { name: 'Sign in' }).waitFor();
  await theirs.close();
  await close();
});
