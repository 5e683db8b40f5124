import { isFullTier } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, PROJECT, type Stage, settle, takePicture } from './stage.ts';

const base = `/p/${PROJECT}`;
const NOBODY = '00000000-0000-4000-8000-000000000000';

let stage: Stage;
let places: Places;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
});

const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name, selected: true });
const search = (page: Page) => new URL(page.url()).search;

describe('back and forward', () => {
  it('go through the filters of a list one by one', async () => {
    const { page, complaints, close } = await stage.open(`${base}/resources/clusters`);
    const row = page.getByRole('link', { name: 'demo-upstream' });
    await row.waitFor();
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await page.waitForURL(/sort=name/);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('checkbox', { name: places.version }).check();
    await page.waitForURL(/version=/);
    await page.keyboard.press('Escape');
    await row.click();
    await page.getByRole('heading', { level: 1, name: /^demo-upstream/ }).waitFor();

    await page.goBack();
    await page.getByRole('button', { name: /^Remove filter Proxy version/ }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: /^Remove filter/ }).waitFor({ state: 'detached' });
    expect(search(page)).toBe('?sort=name');
    await page.goBack();
    await expect.poll(() => search(page)).toBe('');
    await page.goForward();
    await page.goForward();
    await page.getByRole('button', { name: /^Remove filter Proxy version/ }).waitFor();
    await row.waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('go through the tabs of a service and of a document', async () => {
    const { page, complaints, close } = await stage.open(`${base}/services/${places.service}`);
    await tab(page, 'Overview').waitFor();
    await page.getByRole('tab', { name: /^Nodes/ }).click();
    await tab(page, /^Nodes/).waitFor();
    await page.getByRole('tab', { name: 'Graph' }).click();
    await tab(page, 'Graph').waitFor();
    await page.goBack();
    await tab(page, /^Nodes/).waitFor();
    await page.goBack();
    await tab(page, 'Overview').waitFor();
    await page.goForward();
    await tab(page, /^Nodes/).waitFor();

    await page.goto(`${base}/resources/routes/${places.version}/demo-routes`);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: /^Revision 1/ }).click();
    await page.waitForURL(/revision=1/);
    await page.goBack();
    await expect.poll(() => search(page)).toBe('?tab=history');
    await page.goBack();
    await tab(page, 'RouteConfiguration').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('close and open a drawer', async () => {
    const { page, complaints, close } = await stage.open(`${base}/clients`);
    await page.getByRole('link', { name: 'this-machine' }).waitFor();
    await page.getByRole('button', { name: 'Enrol a client' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.waitFor();
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`${base}/clients`);
    await page.goForward();
    await drawer.waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('restore the scroll position and the search text of a list', async () => {
    const { page, close } = await stage.open(`${base}/audit`);
    await page.getByRole('row').nth(4).waitFor();
    await page.getByRole('searchbox').fill('policy');
    await page.waitForURL(/q=policy/);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Services' }).click();
    await page.getByRole('heading', { level: 1, name: 'Services' }).waitFor();
    await page.goBack();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('policy');
    await close();
  });
});

describe('a link', () => {
  const STATES: readonly (readonly [
    what: string,
    path: () => string,
    shown: (page: Page) => ReturnType<Page['locator']>,
  ])[] = [
    [
      'filters',
      () => 'resources/clusters?q=demo&sort=-name',
      (page) => page.getByRole('link', { name: 'demo-upstream' }),
    ],
    [
      'a filter without matches',
      () => 'services?health=stopped',
      (page) => page.getByRole('button', { name: /^Remove filter/ }),
    ],
    ['a tab', () => `services/${places.service}?tab=logs`, (page) => tab(page, 'Logs')],
    [
      'a revision compared with now',
      () => `resources/routes/${places.version}/demo-routes?tab=history&revision=1&against=now`,
      (page) => page.getByRole('button', { name: 'Compare with current', pressed: true }),
    ],
    [
      'code instead of the form',
      () => `resources/clusters/${places.version}/demo-upstream?view=yaml`,
      (page) => page.getByRole('textbox', { name: 'Document' }).getByText('connect_timeout'),
    ],
    ['a dialog', () => `services/${places.service}?do=restart`, (page) => page.getByRole('dialog')],
    ['a drawer', () => `audit?entry=${places.auditEntry}`, (page) => page.getByRole('dialog')],
    [
      'an error',
      () => `services/${places.service}?tab=errors&error=${places.error}`,
      (page) =>
        page
          .getByRole('dialog')
          .getByText(/demo-routes/)
          .first(),
    ],
    ['a range of time', () => `clients/${places.client}?tab=statistics&range=6h`, (page) => tab(page, 'Statistics')],
    ['the graph as a list', () => `services/${places.service}?tab=graph&view=list`, (page) => tab(page, 'Graph')],
  ];

  it.each(isFullTier ? STATES : STATES.filter((_, index) => index % 2 === 0))(
    'restores %s, also after a reload',
    async (_, path, shown) => {
      const { page, complaints, close } = await stage.open(`${base}/${path()}`);
      await shown(page).waitFor();
      await settle(page);
      const before = page.url();
      await page.reload();
      await shown(page).waitFor();
      await settle(page);
      expect(page.url()).toBe(before);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  const NOWHERE: readonly (readonly [what: string, path: string, says: RegExp])[] = [
    ['a page that never was', '/p/default/no-such-page', /Page not found/],
    ['a place outside of projects', '/no/such/place', /Page not found/],
    ['a project of others', '/p/no-such-project/services', /not in a project with this name/],
    ['an unknown collection', `${base}/resources/gadgets`, /Page not found/],
    ['a form for an unknown collection', `${base}/resources/gadgets/new`, /Page not found/],
    ['a document that is gone', `${base}/resources/clusters/1.40.0/no-such-cluster`, /There is no such document/],
    ['a document of an unknown collection', `${base}/resources/gadgets/1.40.0/a`, /There is no such/],
    ['a document of an unknown version', `${base}/resources/clusters/one/demo-upstream`, /There is no such document/],
    ['a service that is gone', `${base}/services/${NOBODY}`, /There is no such service/],
    ['a service that never was one', `${base}/services/no-id`, /There is no such service/],
    ['the form of a service that is gone', `${base}/services/${NOBODY}/edit`, /There is no such service/],
    ['a client that is gone', `${base}/clients/${NOBODY}`, /There is no such client/],
    ['a client that never was one', `${base}/clients/no-id`, /There is no such client/],
    ['a policy that is gone', `${base}/policies/no-such-policy`, /There is no such policy/],
    ['a user that is gone', `${base}/users/${NOBODY}`, /There is no such user/],
    ['an unknown tab', `${base}/services?tab=no-such`, /Services/],
    ['an entry that is gone', `${base}/audit?entry=${NOBODY}`, /Audit log/],
    [
      'a revision that never existed',
      `${base}/resources/clusters/1.40.0/demo-upstream?tab=history&revision=99`,
      /Revision|revision/,
    ],
    ['an unknown sort order', `${base}/resources/clusters?sort=nonsense`, /./],
    ['a filter of nonsense', `${base}/services?health=Nonsense`, /./],
  ];

  /** One of each kind. Most of the others are the same page with other words. */
  const KINDS = [
    'a page that never was',
    'a project of others',
    'an unknown collection',
    'a document that is gone',
    'a service that never was one',
    'a policy that is gone',
    'an unknown tab',
    'a revision that never existed',
    'an unknown sort order',
  ];

  it.each(isFullTier ? NOWHERE : NOWHERE.filter(([what]) => KINDS.includes(what)))(
    'to %s leads to a page that explains the problem',
    async (what, path, says) => {
      const { page, complaints, close } = await stage.open(path);
      await page.locator('h1').waitFor();
      await settle(page);
      expect(await page.locator('h1').textContent()).not.toMatch(/failed/i);
      await page.getByRole('main').or(page.getByRole('dialog')).getByText(says).first().waitFor();
      await takePicture(page, `nowhere ${what}`);
      await expectAccessible(page, what);
      // The page has its navigation.
      await page.getByRole('banner', { includeHidden: true }).waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );
});

describe('a list with an invalid filter in its address', () => {
  it('opens without the filter after one click', async () => {
    const { page, close } = await stage.open(`${base}/services?health=Nonsense&sort=nonsense&q=demo`);
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Clear filters and sorting' }).click();
    await page.getByRole('link', { name: 'demo', exact: true }).waitFor();
    expect(search(page)).toBe('');
    await close();
  });
});

describe('another project', () => {
  it('can be selected by name, and its own contents are shown from then on', async () => {
    const { page, complaints, close } = await stage.open(`${base}/resources/clusters`);
    await page.getByRole('link', { name: 'demo-upstream' }).waitFor();
    await page.getByRole('button', { name: /^Project default/ }).click();
    await page.getByRole('textbox', { name: 'Find a project' }).fill('emp');
    await page.getByRole('option', { name: /^empty/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/p\/empty\/overview/);
    // The address changes before the frame does: until then the frame's links lead to the previous project.
    await page.getByRole('button', { name: /^Project empty/ }).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Clusters' }).click();
    await page.getByText('No clusters yet').waitFor();
    expect(await page.getByRole('link', { name: 'demo-upstream' }).count()).toBe(0);
    await page.goto('/');
    await page.waitForURL(/\/p\/empty\/overview/);
    await page.goto('/profile');
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    await page.getByRole('button', { name: /^Project empty/ }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.waitForURL(/\/p\/empty/);
    expect(complaints).toEqual([]);
    await close();
  });

  it('follows its own address in another tab of the same person', async () => {
    const { page, close } = await stage.open(`${base}/overview`);
    const other = await page.context().newPage();
    await other.goto('/p/empty/services');
    await other.getByRole('button', { name: /^Project empty/ }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: /^Project default/ }).waitFor();
    await close();
  });
});

it.each(['/settings/license', `/p/${PROJECT}/settings/clean-up`])(
  'the current page is visible in every list of pages on a small laptop screen: %s',
  async (path) => {
    const { page, close } = await stage.open(path);
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.locator('h1').waitFor();
    await settle(page);
    const lists = await page.getByRole('navigation').all();
    expect(lists.length).toBeGreaterThan(1);
    for (const list of lists) {
      expect(await list.evaluate((one) => one.scrollHeight - one.clientHeight)).toBeLessThanOrEqual(0);
      const open = await list.locator('[aria-current="page"]').last().boundingBox();
      expect(open && open.y + open.height).toBeLessThanOrEqual(720);
    }
    await close();
  },
);
