import { jobRoutes, keyRoutes } from '@flotilla/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { furnish, type Places } from './furnish.ts';
import { look, PROJECT, Stage } from './stage.ts';

let stage: Stage;
let places: Places;
beforeAll(async () => {
  stage = await Stage.open();
  places = await furnish(stage);
});
afterAll(() => stage?.close());

const HIDDEN = [
  ['/settings/threat-feeds', 'Threat feeds'],
  ['/settings/geoip', 'GeoIP'],
  [`/p/${PROJECT}/settings/ai`, 'Analysis'],
] as const;

it.each(HIDDEN)('settings that nothing uses have no page: %s (screen bug 12)', async (path, title) => {
  const { page, complaints, close } = await stage.open(path);
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  await page.goto(path.replace(/[^/]*$/, ''));
  const list = page.getByRole('navigation', { name: 'Settings' });
  await list.getByRole('link').first().waitFor();
  expect(await list.getByRole('link', { name: title }).count()).toBe(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search and commands' }).fill(title);
  await page.getByText(`No results for “${title}”.`).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

it('a rotation of the data key shows its progress; master and signing key follow', async () => {
  const { page, complaints, close } = await stage.open('/settings/keys');
  const before = await places.owner.call(keyRoutes.list, {});
  const number = before.data_keys[0]?.id ?? 0;
  const keys = page.getByRole('table', { name: 'Data keys' });
  await keys.getByRole('row').filter({ hasText: 'Active' }).waitFor();
  await page.getByRole('button', { name: 'Rotate the data key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByText(`Data key ${number + 1} is created.`).waitFor();
  const isAlone = async () => {
    const { data_keys } = await places.owner.call(keyRoutes.list, {});
    return data_keys.length === 1 && data_keys[0]?.id === number + 1 && data_keys[0].state === 'sealing';
  };
  await stage.fleet.until(isAlone, 'the new data key is the only one');
  await keys.getByRole('rowheader', { name: String(number), exact: true }).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Rotate the master key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate it' }).click();
  const masters = page.getByRole('table', { name: 'Master keys' });
  await masters.getByRole('row').filter({ hasText: 'Previous, still valid' }).waitFor();
  const kids = page.getByRole('table', { name: 'Signing keys' });
  const signing = await kids.getByRole('row').filter({ hasText: 'Active' }).getByRole('rowheader').textContent();
  await page.getByRole('button', { name: 'Rotate the signing key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await kids
    .getByRole('row')
    .filter({ hasText: 'Verify only' })
    .getByText(signing ?? '')
    .waitFor();
  // The session that did all this continues.
  await page.reload();
  await keys.getByRole('rowheader', { name: String(number + 1), exact: true }).waitFor();
  await look(page, 'keys changed');
  expect(complaints).toEqual([]);
  await close();
});

it('the secret of a zone is shown once, stays valid beside the new one, and can be ended', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/settings/zone-secrets`);
  const zones = page.getByRole('table', { name: 'Zones with secrets' });
  const rows = zones.getByRole('row').filter({ hasText: 'edge.example.com' });
  await page.getByRole('button', { name: 'Create a zone secret' }).click();
  const adding = page.getByRole('dialog', { name: 'Create a zone secret' });
  await adding.getByLabel('Zone').fill('edge.example.com');
  await adding.getByRole('button', { name: 'Create the secret' }).click();
  const shown = page.getByRole('dialog', { name: 'The new secret of edge.example.com' });
  const secret = (await shown.locator('pre').textContent()) ?? '';
  expect(secret).toMatch(/^fltz_.{40,}/);
  await look(page, 'zone secret shown');
  await shown.getByRole('button', { name: 'Done' }).click();
  await rows.getByText(`${secret.slice(0, 11)}…`).waitFor();
  await page.getByRole('button', { name: 'Rotate the secret of edge.example.com' }).click();
  const changing = page.getByRole('dialog', { name: 'Rotate the secret of edge.example.com' });
  await changing.getByRole('button', { name: 'Create new secret' }).click();
  await shown.getByText('The previous secret expires').waitFor();
  await shown.getByRole('button', { name: 'Done' }).click();
  await rows.nth(1).waitFor();
  expect(await page.content()).not.toContain(secret);
  const kept = await page.evaluate(() => JSON.stringify([location.href, { ...sessionStorage }, { ...localStorage }]));
  expect(kept).not.toContain(secret);
  await page.getByRole('button', { name: 'Revoke the secrets of edge.example.com …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await rows.first().waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await close();
});

it('the discovery token has two secrets during a rotation; a secret is shown once and never stored by the page', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/settings/discovery-token`);
  const secrets = page.getByRole('table', { name: 'Secrets' });
  await secrets.getByRole('row').nth(2).waitFor();
  await page.getByRole('button', { name: 'Rotate the secret' }).click();
  const drawer = page.getByRole('dialog', { name: 'Rotate the secret of the discovery token' });
  await drawer.getByText('Two secrets are valid').waitFor();
  // Both secrets would end at once, so there is no default.
  expect(await drawer.getByRole('button', { name: 'Create new secret' }).isDisabled()).toBe(true);
  await drawer.getByRole('combobox', { name: 'Keep the current secret valid for' }).click();
  await page.getByRole('option', { name: 'Not at all' }).click();
  await drawer.getByRole('button', { name: 'Create new secret' }).click();
  const shown = page.getByRole('dialog', { name: 'The new secret' });
  const secret = (await shown.locator('pre').textContent()) ?? '';
  expect(secret).toMatch(/^fltd_.{40,}/);
  await look(page, 'discovery token shown');
  await shown.getByRole('button', { name: 'Done' }).click();
  await secrets.getByText(`${secret.slice(0, 11)}…`).waitFor();
  expect(await secrets.getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: 'Rotate the secret' }).click();
  await drawer.getByRole('button', { name: 'Create new secret' }).click();
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

it('an enrolment token gets a new secret beside the old one, and the command is shown once', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/clients?tab=enrolment`);
  await page.getByRole('button', { name: 'Enrol a client' }).first().click();
  const enrolling = page.getByRole('dialog', { name: 'Enrol a client' });
  await enrolling.getByLabel('Note').fill('rack 7');
  await enrolling.getByRole('button', { name: 'Create token' }).click();
  const first = (await enrolling.locator('pre').first().textContent()) ?? '';
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Rotate the token “rack 7”' }).click();
  const drawer = page.getByRole('dialog', { name: 'Rotate the secret of the token' });
  await drawer.getByText('The token keeps its expiry').waitFor();
  await look(page, 'enrolment token rotated');
  await drawer.getByRole('button', { name: 'Create new secret' }).click();
  await drawer.getByText('The previous secret expires').waitFor();
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

it('a job shows the result of a cancel, and that more targets failed than are stored', async () => {
  const { page, complaints, close } = await stage.open('about:blank');
  // The API tests check when each outcome occurs; this one checks the text for each.
  let outcome = 'asked';
  let changes: object = { status: 'running', ended_at: null };
  await page.route(/\/api\/v3\/jobs\/\d[\w-]*(\/cancel)?\?/, async (route) => {
    if (route.request().method() === 'POST') {
      const job = (await places.owner.call(jobRoutes.get, { params: { job_id: places.job }, query: of })) as object;
      await route.fulfill({ status: 202, json: { job, outcome } });
      return;
    }
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...changes } });
  });
  const of = { project: places.owner.project };
  for (const [given, words] of [
    ['asked', 'It stops at its next step.'],
    ['may_be_done', 'It may finish before it can be stopped.'],
    ['ended', 'The job is cancelled. It had not started.'],
  ] as const) {
    outcome = given;
    await page.goto(`/p/${PROJECT}/jobs/${places.job}`);
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText(words).waitFor();
  }
  const errors = [{ target: 'host-1', message: 'does not answer' }];
  changes = { status: 'done_with_errors', cancel_requested: true, errors, errors_left_out: 201 };
  await page.goto(`/p/${PROJECT}/jobs/${places.job}`);
  await page.getByText('Cancelled too late').waitFor();
  await page.getByText('201 more targets. Only the first ones are listed').waitFor();
  await look(page, 'job with targets left out');
  expect(complaints).toEqual([]);
  await close();
});
