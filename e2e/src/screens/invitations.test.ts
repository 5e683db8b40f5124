import { projectRoutes, secondFactorRoutes, userRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Owner } from './owner.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage } from './stage.ts';

type Account = Awaited<ReturnType<Owner['addUser']>>;

let stage: Stage;
let owner: Owner;
let admin: Account;
/** An account of another project. */
let guest: Account;

beforeAll(async () => {
  const shared = await shareFurnishedStage();
  stage = shared.stage;
  owner = shared.places.owner;
  admin = await owner.addUser('ina', 'admin');
  guest = await owner.addUser('gustav', 'viewer');
  const body = { name: 'elsewhere', starters: [] };
  const { id: home } = await owner.call(projectRoutes.create, { query: {}, body });
  const at = (project: string) => ({ params: { user_id: guest.id, project_id: project }, query: {} });
  await owner.call(userRoutes.setMembership, { ...at(home), body: { role: 'viewer' } });
  await owner.call(userRoutes.endMembership, at(owner.project));
  await owner.call(userRoutes.patch, { params: { user_id: guest.id }, query: {}, body: { home_project: home } });
});

async function lookInBothThemes(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    await look(page, `${name} ${colorScheme}`);
  }
}

it('an account of another project joins when it accepts an invitation in its profile (attack 9)', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/users`, { user: admin });
  for (const name of [guest.username, 'nobody']) {
    await page.getByRole('button', { name: 'Add a user' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel('User name').fill(name);
    await drawer.getByRole('button', { name: 'Add or invite' }).click();
    await drawer.waitFor({ state: 'detached' });
    await page.getByText(`${name} is invited with the role viewer.`).first().waitFor();
  }
  const open = page.getByRole('list', { name: 'Open invitations' });
  // The project must not see which of the two names has an account.
  await expect.poll(() => open.getByRole('listitem').count()).toBe(2);
  const rows = await open.getByRole('listitem').allTextContents();
  // The rows differ only in the time at which each expires.
  const shapes = rows.map((text) => text.replace(/gustav|nobody/, '').replaceAll(/\d+/g, '0'));
  expect(shapes[0]).toBe(shapes[1]);
  await lookInBothThemes(page, 'open-invitations');

  await open.getByRole('button', { name: 'Withdraw the invitation of nobody' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await expect.poll(() => open.getByRole('listitem').count()).toBe(1);

  const theirs = await stage.open('/profile', { user: guest });
  const own = theirs.page.getByRole('list', { name: 'Invitations' });
  await own.getByText('as viewer, invited by ina').waitFor();
  await lookInBothThemes(theirs.page, 'own-invitations');
  await own.getByRole('button', { name: `Decline the invitation to ${PROJECT}` }).click();
  await theirs.page.getByRole('dialog').getByText('The project is not notified.').waitFor();
  await theirs.page.keyboard.press('Escape');
  await own.getByRole('button', { name: `Accept the invitation to ${PROJECT}` }).click();
  await theirs.page.getByText(`You are in ${PROJECT} with the role viewer.`).waitFor();
  await own.waitFor({ state: 'detached' });
  await theirs.page.getByRole('list', { name: 'Your projects' }).getByRole('link', { name: PROJECT }).click();
  await theirs.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

  // The admin sees the member without a reload, and may only change the membership.
  await open.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: guest.username }).click();
  await page.getByText('This account does not belong to this project.').waitFor();
  await page.getByText('not this project', { exact: true }).waitFor();
  await lookInBothThemes(page, 'account-of-another-project');
  expect([...complaints, ...theirs.complaints]).toEqual([]);
  await theirs.close();
  await close();
});

it('a project that requires a second factor explains that, and the other projects of the account stay open (attack 9)', async () => {
  const member = await owner.addMember('viewer');
  const { items } = await owner.call(projectRoutes.list, { query: {} });
  const home = items.find(({ name }) => name === 'elsewhere')?.id ?? '';
  const params = { user_id: member.id, project_id: home };
  await owner.call(userRoutes.setMembership, { params, query: {}, body: { role: 'viewer' } });
  await owner.call(secondFactorRoutes.setEnforcement, { query: { project: home }, body: { otp_enforced: true } });
  const { page, complaints, close } = await stage.open('/p/elsewhere/overview', { user: member });
  await page.getByText('elsewhere requires a second factor').waitFor();
  await lookInBothThemes(page, 'second-factor-needed');
  await page.goto(`/p/${PROJECT}/overview`);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});
