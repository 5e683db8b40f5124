import { Buffer } from 'node:buffer';
import { jobRoutes, keyRoutes, threatIntelRoutes } from '@flotilla/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { furnish, type Places } from './furnish.ts';
import { createSmallMmdb } from './small-mmdb.ts';
import { look, PROJECT, Stage } from './stage.ts';

let stage: Stage;
let places: Places;
beforeAll(async () => {
  stage = await Stage.open();
  places = await furnish(stage);
});
afterAll(() => stage?.close());

const textFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

it('a threat feed is uploaded, replaced, switched off while somebody adds another, and deleted', async () => {
  const { page, complaints, close } = await stage.open('/settings/threat-feeds');
  await page.getByRole('button', { name: 'Upload a feed' }).click();
  const drawer = page.getByRole('dialog', { name: 'Upload a feed' });
  expect(await drawer.getByRole('button', { name: 'Choose the file' }).isDisabled()).toBe(true);
  await drawer.getByRole('textbox', { name: 'Name' }).fill('Not a name');
  await drawer.getByText('a letter or digit first').waitFor();
  await drawer.getByRole('textbox', { name: 'Name' }).fill('scanners');
  const input = page.locator('input[type=file]');
  await input.setInputFiles(textFile('empty.txt', '# nothing\n'));
  await drawer.getByRole('alert').getByText('The feed was not taken').waitFor();
  await input.setInputFiles(textFile('large.txt', 'x'.repeat(17 * 1024 * 1024)));
  await drawer.getByText(/The file has 17.0 MiB; at most 16.0 MiB are taken/).waitFor();
  await look(page, 'feed too large');
  await input.setInputFiles(textFile('feed.txt', '192.0.2.1\n192.0.2.0/28\n0.0.0.0/0\nwho knows\n'));
  await drawer.getByText('scanners holds 2 entries now.').waitFor();
  await drawer.getByText('Lines 3, 4.').waitFor();
  await look(page, 'feed taken');
  await drawer.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row').filter({ hasText: 'scanners' });
  await row.getByText('On', { exact: true }).waitFor();

  await row.getByRole('button', { name: 'Replace scanners' }).click();
  await page.locator('input[type=file]').setInputFiles(textFile('feed.txt', '192.0.2.9\n'));
  const replacing = page.getByRole('dialog', { name: 'Replace scanners' });
  await replacing.getByText('Every line was understood.').waitFor();
  await replacing.getByRole('button', { name: 'Done' }).click();
  await row.getByRole('link', { name: 'scanners' }).click();
  await page.getByRole('dialog', { name: 'Entries of scanners' }).getByText('192.0.2.9/32').waitFor();
  await page.keyboard.press('Escape');

  // Switching sends all feeds: one that came meanwhile must not be lost by that.
  let isLate = false;
  await page.route(/setting\/threat-intel$/, async (route) => {
    if (route.request().method() === 'PUT' && !isLate) {
      isLate = true;
      await places.owner.call(threatIntelRoutes.upload, { query: { name: 'late' }, file: new Blob(['192.0.2.77\n']) });
    }
    await route.continue();
  });
  await row.getByRole('button', { name: 'Switch off scanners' }).click();
  await page.getByText('The feed was not switched').waitFor();
  await page.getByRole('row').filter({ hasText: 'late' }).waitFor();
  await row.getByRole('button', { name: 'Switch off scanners' }).click();
  await row.getByText('Off', { exact: true }).waitFor();

  // What may be done with it is a menu on a phone.
  await page.setViewportSize({ width: 390, height: 844 });
  await row.getByRole('button', { name: 'Actions for scanners' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Replace' }).waitFor();
  await page.getByRole('menuitem', { name: 'Switch on' }).click();
  await row.getByText('On', { exact: true }).waitFor();
  await look(page, 'feeds on a phone');
  await page.setViewportSize({ width: 1280, height: 800 });

  await row.getByRole('button', { name: 'Delete scanners' }).click();
  await page.getByRole('dialog', { name: 'Delete the feed scanners?' }).getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await places.owner.call(threatIntelRoutes.list, { query: {} })).feeds.map(({ name }) => name)).toEqual([
    'known-attackers',
    'late',
  ]);
  expect(complaints).toEqual([]);
  await close();
});

it('a file on its way shows how far it is, and stopping it leaves everything as it was', async () => {
  const { page, close } = await stage.open('/settings/threat-feeds?replace=known-attackers');
  const drawer = page.getByRole('dialog', { name: 'Replace known-attackers' });
  await drawer.waitFor();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/threat-intel\/upload/, async (route) => {
    await released;
    await route.abort().catch(() => undefined);
  });
  await page.locator('input[type=file]').setInputFiles(textFile('feed.txt', '192.0.2.1\n'.repeat(1000)));
  await drawer.getByRole('progressbar', { name: 'How much of the file is sent' }).waitFor();
  await look(page, 'feed on its way');
  await drawer.getByRole('button', { name: 'Stop' }).click();
  await drawer.getByRole('button', { name: 'Choose the file' }).waitFor();
  release();
  expect(await drawer.getByRole('alert').count()).toBe(0);
  const { feeds } = await places.owner.call(threatIntelRoutes.list, { query: {} });
  expect(feeds.find(({ name }) => name === 'known-attackers')?.entry_count).toBe(3);
  await close();
});

it('a GeoIP database of the other kind is refused with the reason, the right one is taken and told to be old', async () => {
  const { page, complaints, close } = await stage.open('/settings/geoip');
  const section = page.getByRole('region', { name: 'City database' });
  await section.getByText('None is loaded').waitFor();
  const builtAt = new Date('2024-02-03T00:00:00Z');
  const mmdb = (type: string) => ({
    name: `${type}.mmdb`,
    mimeType: 'application/octet-stream',
    buffer: createSmallMmdb(type, builtAt),
  });
  const input = section.locator('input[type=file]').or(page.locator('input[type=file]')).first();
  await input.setInputFiles(mmdb('GeoLite2-ASN'));
  await section.getByRole('alert').getByText('The database was not taken').waitFor();
  await look(page, 'geoip refused');
  await input.setInputFiles(mmdb('GeoLite2-City'));
  await section.getByText('GeoLite2-City', { exact: true }).waitFor();
  await section.getByText('Out of date').waitFor();
  await look(page, 'geoip there');
  await section.getByRole('button', { name: 'Delete: City database' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await section.getByText('None is loaded').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

it('a new data key seals everything anew before the eyes of its owner; master and signing key follow', async () => {
  const { page, complaints, close } = await stage.open('/settings/keys');
  const before = await places.owner.call(keyRoutes.list, {});
  const number = before.data_keys[0]?.id ?? 0;
  const keys = page.getByRole('table', { name: 'Data keys' });
  await keys.getByRole('row').filter({ hasText: 'Sealing' }).waitFor();
  await page.getByRole('button', { name: 'Make a new data key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make it' }).click();
  await page.getByText(`Data key ${number + 1} is made.`).waitFor();
  const isAlone = async () => {
    const { data_keys } = await places.owner.call(keyRoutes.list, {});
    return data_keys.length === 1 && data_keys[0]?.id === number + 1 && data_keys[0].state === 'sealing';
  };
  await stage.fleet.until(isAlone, 'the new data key is the only one', 60_000);
  await keys.getByRole('rowheader', { name: String(number), exact: true }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Change the master key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Change it' }).click();
  const masters = page.getByRole('table', { name: 'Master keys' });
  await masters.getByRole('row').filter({ hasText: 'Of before' }).waitFor();
  const kids = page.getByRole('table', { name: 'Signing keys' });
  const signing = await kids.getByRole('row').filter({ hasText: 'Signs' }).getByRole('rowheader').textContent();
  await page.getByRole('button', { name: 'Make a new signing key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make it' }).click();
  await kids
    .getByRole('row')
    .filter({ hasText: 'Verifies' })
    .getByText(signing ?? '')
    .waitFor();
  // The session that did all this goes on.
  await page.reload();
  await keys.getByRole('rowheader', { name: String(number + 1), exact: true }).waitFor();
  await look(page, 'keys changed');
  expect(complaints).toEqual([]);
  await close();
});

it('the secret of a zone is shown once, holds beside the new one, and ends', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/settings/zone-secrets`);
  const zones = page.getByRole('table', { name: 'Zones with secrets' });
  const rows = zones.getByRole('row').filter({ hasText: 'edge.example.com' });
  await page.getByRole('button', { name: 'Make a secret for a zone' }).click();
  const adding = page.getByRole('dialog', { name: 'Make a secret for a zone' });
  await adding.getByLabel('Zone').fill('edge.example.com');
  await adding.getByRole('button', { name: 'Make the secret' }).click();
  const shown = page.getByRole('dialog', { name: 'The new secret of edge.example.com' });
  const secret = (await shown.locator('pre').textContent()) ?? '';
  expect(secret).toMatch(/^fltz_.{40,}/);
  await look(page, 'zone secret shown');
  await shown.getByRole('button', { name: 'Done' }).click();
  await rows.getByText(`${secret.slice(0, 11)}…`).waitFor();
  await page.getByRole('button', { name: 'Change the secret of edge.example.com' }).click();
  const changing = page.getByRole('dialog', { name: 'Change the secret of edge.example.com' });
  await changing.getByRole('button', { name: 'Make a new secret' }).click();
  await shown.getByText('The secret of before ends').waitFor();
  await shown.getByRole('button', { name: 'Done' }).click();
  await rows.nth(1).waitFor();
  expect(await page.content()).not.toContain(secret);
  const kept = await page.evaluate(() => JSON.stringify([location.href, { ...sessionStorage }, { ...localStorage }]));
  expect(kept).not.toContain(secret);
  await page.getByRole('button', { name: 'End the secrets of edge.example.com …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End them' }).click();
  await rows.first().waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await close();
});

it('the discovery token has two secrets while it is changed; a secret is shown once and kept nowhere', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/settings/discovery-token`);
  const secrets = page.getByRole('table', { name: 'Secrets' });
  await secrets.getByRole('row').nth(2).waitFor();
  await page.getByRole('button', { name: 'Change the secret' }).click();
  const drawer = page.getByRole('dialog', { name: 'Change the secret of the discovery token' });
  await drawer.getByText('Two secrets hold now').waitFor();
  // Both would end at once: nothing is chosen for anybody.
  expect(await drawer.getByRole('button', { name: 'Make a new secret' }).isDisabled()).toBe(true);
  await drawer.getByRole('combobox', { name: 'The secret of now still holds for' }).click();
  await page.getByRole('option', { name: 'No time at all' }).click();
  await drawer.getByRole('button', { name: 'Make a new secret' }).click();
  const shown = page.getByRole('dialog', { name: 'The new secret' });
  const secret = (await shown.locator('pre').textContent()) ?? '';
  expect(secret).toMatch(/^fltd_.{40,}/);
  await look(page, 'discovery token shown');
  await shown.getByRole('button', { name: 'Done' }).click();
  await secrets.getByText(`${secret.slice(0, 11)}…`).waitFor();
  expect(await secrets.getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: 'Change the secret' }).click();
  await drawer.getByRole('button', { name: 'Make a new secret' }).click();
  await shown.locator('pre').waitFor();
  await shown.getByRole('button', { name: 'Done' }).click();
  await secrets.getByText(`${secret.slice(0, 11)}…`).waitFor();
  await secrets.getByRole('row').nth(2).waitFor();
  expect(await page.content()).not.toContain(secret);
  const kept = await page.evaluate(() => JSON.stringify([location.href, { ...sessionStorage }, { ...localStorage }]));
  expect(kept).not.toContain(secret);
  await page.goBack();
  expect(await page.content()).not.toContain(secret);
  await page.goto(`/p/${PROJECT}/settings/discovery-token`);
  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No discovery token yet').waitFor();
  await look(page, 'discovery token none');
  expect(complaints).toEqual([]);
  await close();
});

it('an enrolment token is given a new secret beside the old one, and the command is shown once', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/clients?tab=enrolment`);
  await page.getByRole('button', { name: 'Enrol a client' }).first().click();
  const enrolling = page.getByRole('dialog', { name: 'Enrol a client' });
  await enrolling.getByLabel('Note').fill('rack 7');
  await enrolling.getByRole('button', { name: 'Create token' }).click();
  const first = (await enrolling.locator('pre').first().textContent()) ?? '';
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Rotate the token “rack 7”' }).click();
  const drawer = page.getByRole('dialog', { name: 'Give the token a new secret' });
  await drawer.getByText('The token keeps its end').waitFor();
  await look(page, 'enrolment token rotated');
  await drawer.getByRole('button', { name: 'Make a new secret' }).click();
  await drawer.getByText('The secret of before ends').waitFor();
  const second = (await drawer.locator('pre').first().textContent()) ?? '';
  const [before = '', secret = ''] = [first, second].map((command) => /flte_[\w-]{43}/.exec(command)?.[0]);
  expect(new Set([before, secret, '']).size).toBe(3);
  await look(page, 'enrolment token shown');
  await page.keyboard.press('Escape');
  await page.getByText(`${secret.slice(0, 11)}… +1`).waitFor();
  expect(await page.content()).not.toContain(secret);
  const kept = await page.evaluate(() => JSON.stringify([location.href, { ...sessionStorage }, { ...localStorage }]));
  expect(kept).not.toContain(secret);
  await look(page, 'enrolment tokens');
  expect(complaints).toEqual([]);
  await close();
});

it('a job says what a cancel came to, and that more targets failed than are kept', async () => {
  const { page, complaints, close } = await stage.open('about:blank');
  // Which of the answers comes is for tests of the API: here it is the words for each.
  let outcome = 'asked';
  let told: object = { status: 'running', ended_at: null };
  await page.route(/\/api\/v3\/jobs\/\d[\w-]*(\/cancel)?\?/, async (route) => {
    if (route.request().method() === 'POST') {
      const job = (await places.owner.call(jobRoutes.get, { params: { job_id: places.job }, query: of })) as object;
      await route.fulfill({ status: 202, json: { job, outcome } });
      return;
    }
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...told } });
  });
  const of = { project: places.owner.project };
  for (const [given, words] of [
    ['asked', 'what runs is stopped at its next step.'],
    ['may_be_done', 'it may be done before it is stopped.'],
    ['ended', 'The job is cancelled before any of it ran.'],
  ] as const) {
    outcome = given;
    await page.goto(`/p/${PROJECT}/jobs/${places.job}`);
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText(words).waitFor();
  }
  const errors = [{ target: 'host-1', message: 'does not answer' }];
  told = { status: 'done_with_errors', cancel_requested: true, errors, errors_left_out: 201 };
  await page.goto(`/p/${PROJECT}/jobs/${places.job}`);
  await page.getByText('Cancelled too late').waitFor();
  await page.getByText('And 201 targets more: only the first ones are kept.').waitFor();
  await look(page, 'job with targets left out');
  expect(complaints).toEqual([]);
  await close();
});
