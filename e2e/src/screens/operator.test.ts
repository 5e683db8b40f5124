import { documentRoutes, xdsRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage, settle, signIn, takePicture } from './stage.ts';

const base = `/p/${PROJECT}`;

let stage: Stage;
let places: Places;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
});

const clusterPage = (name: string, rest = '') => `${base}/resources/clusters/${places.version}/${name}${rest}`;

async function makeCluster(name: string): Promise<void> {
  const resource = { name, connect_timeout: '1s', type: 'STATIC' };
  const document = {
    collection: 'clusters' as const,
    name,
    version: places.version,
    type: 'envoy.config.cluster.v3.Cluster',
    resource,
  };
  await places.owner.call(documentRoutes.apply, {
    query: {},
    body: { project: places.owner.project, documents: [document] },
  });
}

const code = (page: Page) => page.getByRole('textbox', { name: 'Document', exact: true });
const view = (page: Page, name: string) =>
  page.getByRole('radiogroup', { name: 'View' }).getByText(name, { exact: true });

describe('comments in YAML', () => {
  it('survive the form and saving, count as a change, and come back with a restore (screen bugs 8 and 14)', async () => {
    await makeCluster('with-comments');
    const { page, complaints, close } = await stage.open(clusterPage('with-comments', '?view=yaml'));
    await code(page).waitFor();
    await code(page).press('Control+Home');
    await page.keyboard.type('# Ask the shop team first.\n');
    await code(page).getByText('# Ask the shop team first.').waitFor();
    await view(page, 'Form').click();
    const timeout = page.getByRole('textbox', { name: /^Connect timeout/ });
    await timeout.waitFor();
    await view(page, 'YAML').click();
    await code(page).getByText('# Ask the shop team first.').waitFor();

    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = page.getByRole('dialog');
    await review.getByText('Ask the shop team first.').waitFor();
    await takePicture(page, 'review of a comment');
    await review.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL(/rollout=2/);

    await page.reload();
    await view(page, 'Form').click();
    await timeout.fill('7s');
    await view(page, 'YAML').click();
    await code(page).getByText('# Ask the shop team first.').waitFor();
    await code(page).getByText(/7s/).waitFor();
    await takePicture(page, 'comments kept');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL(/rollout=3/);
    const read = () =>
      places.owner.call(xdsRoutes.get, {
        params: { collection: 'clusters', name: 'with-comments' },
        query: { project: places.owner.project, version: places.version },
      });
    const stored = await read();
    expect(stored.resource.connect_timeout).toBe('7s');
    expect(stored.comments.map(({ text }) => text.trim())).toEqual(['Ask the shop team first.']);

    await page.goto(clusterPage('with-comments', '?tab=history&revision=1'));
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Revision 1 restored as revision 4.').waitFor();
    expect((await read()).comments).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('the palette', () => {
  it('captures all keys that are typed while it loads (screen bug 9)', async () => {
    const { page, complaints, close } = await stage.open('about:blank');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/assets\/palette-[^/]*\.js/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${base}/overview`);
    await page.getByRole('banner').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('demo-upx');
    await page.keyboard.press('Backspace');
    release();
    const input = page.getByRole('combobox', { name: 'Search and commands' });
    await input.waitFor();
    await expect.poll(() => input.inputValue()).toBe('demo-up');
    await page.keyboard.type('stream');
    expect(await input.inputValue()).toBe('demo-upstream');
    await page.getByRole('option', { name: /demo-upstream/ }).waitFor();
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'detached' });
    // Keys go to the page again.
    await page.goto(`${base}/resources/clusters`);
    await page.getByRole('searchbox').fill('demo');
    expect(await page.getByRole('searchbox').inputValue()).toBe('demo');
    expect(complaints).toEqual([]);
    await close();
  });

  it('captures all keys while the frame of the page changes, and keeps its text (screen bug 9)', async () => {
    const { page, complaints, close } = await stage.open('about:blank');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/assets\/palette-[^/]*\.js/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto('/profile');
    const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
    await heading('Profile');
    // The palette's code is still loading: neither frame has its field.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('demo');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await heading('Overview');
    await page.keyboard.type('-u');
    release();
    const input = page.getByRole('combobox', { name: 'Search and commands' });
    await expect.poll(() => input.inputValue()).toBe('demo-u');
    // The field of one frame is replaced by that of the other.
    const leaving = await input.elementHandle();
    await Promise.all([page.keyboard.type('pstr'), page.goBack()]);
    await heading('Profile');
    expect(await leaving?.evaluate((one) => one.isConnected)).toBe(false);
    await page.keyboard.type('eam');
    await expect.poll(() => input.inputValue()).toBe('demo-upstream');
    await page.getByRole('option', { name: /demo-upstream/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await heading(/^demo-upstream/);
    expect(complaints).toEqual([]);
    await close();
  });

  it('runs actions: a theme, an operation on a service by its name, signing out (screen bug 9)', async () => {
    const { page, complaints, close } = await stage.open('/', { user: undefined });
    await signIn(page, await stage.admin());
    const input = page.getByRole('combobox', { name: 'Search and commands' });
    const run = async (typed: string, option: string | RegExp) => {
      await page.keyboard.press('Control+k');
      await input.waitFor();
      await page.keyboard.type(typed);
      await page.getByRole('option', { name: option }).first().click();
    };
    await page.keyboard.press('Control+k');
    await input.waitFor();
    await page.getByText('Account and help').waitFor();
    await look(page, 'palette empty');
    await page.keyboard.press('Escape');
    await run('dark', 'Use the dark theme');
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('restart demo');
    await page.getByRole('option', { name: 'Restart: demo' }).waitFor();
    await look(page, 'palette restart dark');
    await page.getByRole('option', { name: 'Restart: demo' }).click();
    await page.waitForURL(/do=restart/);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Restart/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await run('light', 'Use the light theme');
    await run('2fa', 'Second factor');
    await page.waitForURL(/\/profile/);
    await page.getByRole('region', { name: 'Second factor' }).waitFor();
    await run('sign out', 'Sign out');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('deleting a resource in use', () => {
  it('a document names its users and cannot be deleted until it has none (screen bug 13)', async () => {
    const { page, complaints, close } = await stage.open(clusterPage('demo-upstream'));
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete demo-upstream?' });
    await dialog.getByText('It is in use. Remove it from these first:').waitFor();
    const user = dialog.getByRole('link', { name: 'demo-routes' });
    await user.waitFor();
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    expect(await dialog.getByText('Nothing was changed').count()).toBe(0);
    await look(page, 'delete in use');
    await page.emulateMedia({ colorScheme: 'dark' });
    await look(page, 'delete in use dark');
    await user.click();
    await page.getByRole('heading', { level: 1, name: /^demo-routes/ }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('a policy names its services, and a deployed service leads to Undeploy (screen bug 13)', async () => {
    const { page, complaints, close } = await stage.open(`${base}/policies/demo-policy`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const policy = page.getByRole('dialog', { name: 'Delete policy demo-policy?' });
    await policy.getByRole('link', { name: 'demo' }).waitFor();
    expect(await policy.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await look(page, 'delete policy in use');

    await page.goto(`${base}/services/${places.service}`);
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Delete the service/ }).click();
    const service = page.getByRole('dialog', { name: 'Delete demo' });
    await service.getByText('It is deployed to this-machine. Undeploy it first.').waitFor();
    expect(await service.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await look(page, 'delete deployed service');
    await service.getByRole('button', { name: /^Undeploy/ }).click();
    await page.waitForURL(/do=undeploy/);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Undeploy/ })
      .waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

it('a client names the services that target it before the user presses a button (screen bug 13)', async () => {
  const { page, close } = await stage.open(`${base}/clients/${places.client}`);
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove this-machine?' });
  await dialog.getByRole('link', { name: 'demo' }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Force removal' }).isDisabled()).toBe(true);
  await look(page, 'remove client in use');
  await close();
});

it('the set-up of a second factor begins at its first step (screen bug 11)', async () => {
  const ann = { username: 'ann', password: places.passwords.ann };
  const { page, complaints, close } = await stage.open('/', { user: undefined });
  await page.setViewportSize({ width: 1280, height: 640 });
  await signIn(page, ann);
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Set up' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Current password').fill(ann.password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const first = dialog.getByText(/^1\. Scan this/);
  await first.waitFor();
  await dialog.getByRole('img', { name: /^QR code/ }).waitFor();
  await settle(page);
  await takePicture(page, 'otp set-up');
  const head = await dialog.locator('header').boundingBox();
  const box = await first.boundingBox();
  expect(head && box && box.y >= head.y + head.height - 1).toBe(true);
  expect(await first.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(complaints).toEqual([]);
  await close();
});
