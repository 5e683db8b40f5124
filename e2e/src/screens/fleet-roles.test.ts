import { isFullTier } from '@flotilla/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage, settle } from './stage.ts';

let stage: Stage;
let places: Places;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
});

const [LIGHT, DARK] = [['light'], ['dark']] as const;
const THEMES = [...LIGHT, ...DARK] as const;
/** Each theme once, and each person once: the full tier has every pair. */
const PEOPLE = [
  { username: 'ann', role: 'editor', mayRestart: true, themes: isFullTier ? THEMES : LIGHT },
  { username: 'victor', role: 'viewer', mayRestart: false, themes: isFullTier ? THEMES : DARK },
] as const;

describe.each(PEOPLE)('a member with the role $role (screen bug 10)', ({ username, role, mayRestart, themes }) => {
  const open = (path: string, scheme: 'light' | 'dark' = 'light') =>
    stage.open(path, { user: { username, password: places.passwords[username] }, scheme });

  it.each(themes)('follows services and clients in the %s theme', async (scheme) => {
    const { page, complaints, close } = await open(`/p/${PROJECT}/services`, scheme);
    await page.getByRole('link', { name: 'demo', exact: true }).first().waitFor();
    await look(page, `${role} services ${scheme}`);
    await page.goto(`/p/${PROJECT}/services/${places.service}`);
    await page.getByRole('table', { name: 'Nodes' }).or(page.getByRole('table')).first().waitFor();
    await look(page, `${role} service ${scheme}`);
    await page.goto(`/p/${PROJECT}/services/${places.service}?tab=errors&error=${places.error}`);
    await page
      .getByRole('dialog')
      .getByText(/demo-routes/)
      .first()
      .waitFor();
    await look(page, `${role} service error ${scheme}`);
    await page.goto(`/p/${PROJECT}/clients`);
    await page.getByRole('link', { name: 'demo', exact: true }).first().waitFor();
    await look(page, `${role} clients ${scheme}`);
    await page.goto(`/p/${PROJECT}/clients/${places.client}`);
    await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor();
    await look(page, `${role} client ${scheme}`);
    await page.goto(`/p/${PROJECT}/overview`);
    await page.getByRole('region', { name: 'Services', exact: true }).waitFor();
    await look(page, `${role} overview ${scheme}`);
    expect(complaints).toEqual([]);
    await close();
  });

  it('is offered the operations that the role allows', async () => {
    const { page, close } = await open(`/p/${PROJECT}/services/${places.service}`);
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem').first().waitFor();
    const offered = await page.getByRole('menuitem').allTextContents();
    expect(offered.some((words) => words.startsWith('Restart'))).toBe(mayRestart);
    expect(offered.some((words) => /^(Delete|Set proxy version|Upgrade Envoy)/.test(words))).toBe(false);
    expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
    await close();
  });

  it('sees a clear message in an empty project, for a missing service and on a page for other roles', async () => {
    const { page, complaints, close } = await open(`/p/${PROJECT}/services/${places.service}/edit`);
    const main = page.getByRole('main');
    await main.getByText('Only admins and owners can change services').waitFor();
    await look(page, `${role} edit of a service`);
    await page.goto(`/p/${PROJECT}/services/00000000-0000-7000-8000-000000000000`);
    await main.getByText('There is no such service in this project').waitFor();
    await look(page, `${role} missing service`);
    await page.route('**/api/v3/fleet/services?**', (route) =>
      route.fulfill({ status: 500, json: { code: 'internal.failure', message: 'Something failed.', request_id: 'x' } }),
    );
    await page.goto(`/p/${PROJECT}/services`);
    await main.getByText('Something failed.').waitFor();
    await settle(page);
    await look(page, `${role} services failed`);
    expect(complaints).toEqual([]);
    await close();
  });
});
