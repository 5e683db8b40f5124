import { documentRoutes, groupRoutes, versionRoutes } from '@flotilla/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Owner } from './owner.ts';
import { expectAccessible, look, PROJECT, Stage, settle, takePicture } from './stage.ts';

let stage: Stage;
let owner: Owner;
let version: string;

beforeAll(async () => {
  stage = await Stage.open();
  owner = await Owner.of(stage);
  const { items } = await owner.call(versionRoutes.list, { query: { project: owner.project } });
  version = items.find(({ documents }) => documents > 0)?.version ?? '';
  await owner.call(documentRoutes.apply, {
    query: {},
    body: {
      project: owner.project,
      documents: ['shown-cluster', 'hush-cluster'].map((name) => ({
        collection: 'clusters' as const,
        name,
        version,
        type: 'envoy.config.cluster.v3.Cluster',
        resource: { name, connect_timeout: '1s' },
      })),
    },
  });
});
afterAll(() => stage?.close());

it('an editor in a restricted project sees and changes what a group permits, and nothing after leaving it', async () => {
  const eva = await owner.addUser('eva', 'editor');
  const admin = await stage.open(`/p/${PROJECT}/groups?create=group`);

  // A group with a member, created on its screen.
  await admin.page.getByRole('textbox', { name: 'Name' }).fill('night');
  await admin.page.getByRole('button', { name: 'Create', exact: true }).click();
  const drawer = admin.page.getByRole('dialog', { name: 'Members' });
  const choose = drawer
    .getByRole('combobox', { name: 'Add a member of the project' })
    .or(drawer.getByRole('textbox', { name: 'Add a member of the project' }));
  await choose.first().click();
  await choose.first().fill('ev');
  await admin.page.getByRole('option', { name: 'eva' }).click();
  await drawer.getByRole('button', { name: 'Add', exact: true }).click();
  await drawer.getByRole('button', { name: 'Remove eva' }).waitFor();
  await settle(admin.page);
  await takePicture(admin.page, 'group-with-eva');

  // Its permissions, and the switch, in the matrix.
  const permissions = `/p/${PROJECT}/permissions?q=shown-cluster`;
  await admin.page.goto(permissions);
  const cell = admin.page.getByRole('combobox', { name: 'Permission of Group night for shown-cluster' });
  await cell.selectOption('view');
  await admin.page.getByText('Group night: view permission for shown-cluster.').waitFor();
  await admin.page.getByRole('button', { name: 'Restrict access' }).click();
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Restrict access' }).click();
  await admin.page.getByRole('heading', { name: /^Access: restricted/ }).waitFor();
  await settle(admin.page);
  await expectAccessible(admin.page, 'the matrix');
  await takePicture(admin.page, 'matrix-of-a-listed-project');

  // The other person, in a browser of their own.
  const other = await stage.open(`/p/${PROJECT}/resources/clusters`, { user: eva });
  const link = (name: string) => other.page.getByRole('link', { name, exact: true });
  await link('shown-cluster').waitFor();
  expect(await link('hush-cluster').count()).toBe(0);
  expect(await other.page.getByRole('main').textContent()).not.toContain('hush');
  await takePicture(other.page, 'clusters-of-eva');
  await other.page.goto(`/p/${PROJECT}/resources/clusters/${version}/hush-cluster`);
  await other.page.getByRole('heading', { level: 1 }).waitFor();
  await settle(other.page);
  expect(await other.page.getByRole('textbox', { name: 'Description' }).count()).toBe(0);

  await other.page.goto(`/p/${PROJECT}/resources/clusters/${version}/shown-cluster`);
  const review = async () => {
    await other.page.getByRole('textbox', { name: 'Description' }).fill('by eva');
    await other.page.getByRole('button', { name: 'Review and save' }).click();
  };
  await review();
  const refusal = other.page.getByRole('alert').filter({ hasText: /You may see this document, but not change it/ });
  await refusal.first().waitFor();
  await settle(other.page);
  // The whole message must be visible above the button that the user pressed.
  const said = await refusal.first().boundingBox();
  const pressed = await other.page.getByRole('button', { name: 'Review and save' }).boundingBox();
  expect(said?.y).toBeGreaterThan(0);
  expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThan(pressed?.y ?? 0);
  await takePicture(other.page, 'change-refused-to-eva');

  await cell.selectOption('change');
  await admin.page.getByText('Group night: change permission for shown-cluster.').waitFor();
  await other.page.reload();
  await review();
  await other.page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await other.page.getByRole('region', { name: 'Progress of the change' }).getByText('Revision 2').waitFor();

  // After leaving the group, the member sees nothing.
  await admin.page.goto(`/p/${PROJECT}/groups`);
  await admin.page.getByRole('link', { name: 'night' }).click();
  await drawer.getByRole('button', { name: 'Remove eva' }).click();
  await drawer.getByText('This group has no members.').waitFor();
  await other.page.goto(`/p/${PROJECT}/resources/clusters`);
  await other.page.getByRole('heading', { level: 1 }).waitFor();
  await settle(other.page);
  expect(await link('shown-cluster').count()).toBe(0);
  expect([...admin.complaints, ...other.complaints]).toEqual([]);
  await admin.close();
  await other.close();
});

it('the matrix works with keys alone: navigating, choosing a level, and on a phone with the names in view', async () => {
  await owner.call(groupRoutes.create, { query: { project: owner.project }, body: { name: 'day' } });
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/permissions?q=-cluster`);
  const [first, second] = ['hush-cluster', 'shown-cluster'];
  const heads = page.getByRole('columnheader', { name: /^Group / });
  await heads.nth(1).waitFor();
  await settle(page);
  const [left = '', right = ''] = await heads.allTextContents();
  const labelOf = (subject: string, name: string) => `Permission of ${subject} for ${name}`;
  const cell = (subject: string, name: string) => page.getByRole('combobox', { name: labelOf(subject, name) });
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

  // Tab enters the matrix, and the arrow keys move in it; none of them changes a permission.
  await page.getByRole('tab', { name: 'Documents' }).focus();
  for (let step = 0; step < 12 && (await focused()) !== labelOf(left, first); step += 1)
    await page.keyboard.press('Tab');
  expect(await focused()).toBe(labelOf(left, first));
  await page.keyboard.press('ArrowDown');
  await expect.poll(focused).toBe(labelOf(left, second));
  await page.keyboard.press('ArrowRight');
  await expect.poll(focused).toBe(labelOf(right, second));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowUp');
  await expect.poll(focused).toBe(labelOf(left, first));
  expect(await cell(left, first).inputValue()).toBe('none');

  // The list opens with Enter. The focus stays, so the next choice is one key away.
  for (const level of ['view', 'use', 'change']) {
    await page.keyboard.press('Enter');
    await expect.poll(() => cell(left, first).evaluate((select) => select.matches(':open'))).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText(`${left}: ${level} permission for ${first}.`).waitFor();
    await settle(page);
    expect(await focused()).toBe(labelOf(left, first));
  }
  // A choice made while the previous one is saved is saved next.
  const { promise: isAllowed, resolve: allow } = Promise.withResolvers<void>();
  await page.route('**/api/v3/setting/permissions?*', async (route) => {
    if (route.request().method() !== 'GET') await isAllowed;
    await route.fallback();
  });
  for (const level of ['view', 'use', 'none', 'change']) await cell(right, second).selectOption(level);
  allow();
  await page.getByText(`${right}: change permission for ${second}.`).waitFor();
  await settle(page);
  await page.unrouteAll();

  await page.reload();
  await cell(left, first).waitFor();
  const shown = [cell(left, first), cell(left, second), cell(right, second)];
  expect(await Promise.all(shown.map((one) => one.inputValue()))).toEqual(['change', 'none', 'change']);

  // A phone has fewer columns. They must be gone before the focus, which scrolls the table only once.
  const wide = page.getByRole('columnheader', { name: 'Where' });
  await wide.waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await wide.waitFor({ state: 'detached' });
  await settle(page);
  await cell(right, second).focus();
  await look(page, 'matrix-on-a-phone');
  const name = await page.getByRole('cell', { name: second }).first().boundingBox();
  const control = await cell(right, second).boundingBox();
  expect(name?.x).toBeLessThan(30);
  expect(control?.x).toBeGreaterThanOrEqual((name?.x ?? 0) + (name?.width ?? 0));
  expect((control?.x ?? 0) + (control?.width ?? 0)).toBeLessThanOrEqual(390);
  expect(complaints).toEqual([]);
  await close();
});
