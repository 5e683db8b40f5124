import { documentRoutes, overviewRoutes } from '@flotilla/contract';
import { isFullTier } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLLECTIONS } from './fleet-screens.ts';
import type { Places } from './furnish.ts';
import type { Screen } from './screen.ts';
import { listScreens } from './screen-table.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, PROJECT, type Stage, type StagePage, settle, takePicture } from './stage.ts';

let stage: Stage;
let places: Places;
let screens: readonly Screen[];

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  screens = listScreens(places);
});

describe('an empty screen', () => {
  let opened: StagePage;
  beforeAll(async () => {
    opened = await stage.open('/');
  });
  afterAll(() => opened?.close());

  const LISTS: readonly (readonly [path: string, says: RegExp, action: RegExp])[] = [
    ['overview', /./, /./],
    ['services', /No service/, /Create|Enrol|New/],
    ['clients', /No clients yet/, /Enrol/],
    ['clients?tab=enrolment', /No |token/, /Enrol/],
    ['policies', /No policies yet/, /Create/],
    ['tokens', /No API tokens yet/, /Create/],
    ['groups', /No groups yet/, /Create/],
    ['permissions', /Nobody to give permissions to/, /Create a group/],
    // The lists of all collections are one screen.
    ...(isFullTier ? Object.keys(COLLECTIONS) : ['clusters']).map(
      (collection) => [`resources/${collection}`, /^No .* yet$/, /^Create/] as const,
    ),
  ];

  it.each(LISTS)('%s explains its purpose and offers the first action', async (path, says, action) => {
    const { page, complaints } = opened;
    await page.goto(`/p/${places.emptyProject.name}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settle(page);
    const main = page.getByRole('main');
    await main.getByText(says).first().waitFor();
    const actions = main.getByRole('button', { name: action }).or(main.getByRole('link', { name: action }));
    await actions.first().waitFor();
    expect(await main.getByRole('row').count()).toBe(0);
    await takePicture(page, `empty ${path.replaceAll(/\W/g, '-')}`);
    await expectAccessible(page, `empty ${path}`);
    await page.setViewportSize({ width: 390, height: 844 });
    await takePicture(page, `empty ${path.replaceAll(/\W/g, '-')} 390`);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(complaints).toEqual([]);
  });

  it('a search without results has a different message from an empty list', async () => {
    const { page } = opened;
    await page.goto(`/p/${PROJECT}/resources/clusters?q=no-such-name`);
    await page.getByText('Nothing matches these filters').waitFor();
    await takePicture(page, 'nothing fits');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('link', { name: 'demo-upstream' }).waitFor();
  });
});

/** One screen of each kind: tiles, a list, a detail with tabs, an editor, a policy, a log. */
const SHAPES = ['overview', 'service-nodes', 'list-clusters', 'cluster-form', 'policy', 'audit'];

const MAIN = [
  'overview',
  'services',
  'service-nodes',
  'clients',
  'client-overview',
  'list-clusters',
  'cluster-form',
  'document-history',
  'policies',
  'policy',
  'audit',
  'users',
  'user',
  'groups',
  'permissions',
  'tokens',
  'jobs',
  'profile',
];

const SCREENS = isFullTier ? MAIN : SHAPES;

const API = /\/api\/(op|v3)\/(?!events)/;

describe('while responses are pending', () => {
  it.each(SCREENS)('%s shows its frame and a busy state, and its layout does not shift', async (name) => {
    const { page, complaints, close } = await stage.open('about:blank');
    const gate = await holdBack(page, API);
    await page.goto(find(name).path);
    await page.locator('h1').waitFor();
    await page.locator('main [aria-busy="true"]').first().waitFor();
    const before = await page.locator('h1').boundingBox();
    await takePicture(page, `loading ${name}`);
    await expectAccessible(page, `${name} while loading`);
    gate.open();
    await settle(page);
    const after = await page.locator('h1').boundingBox();
    expect(after?.y).toBe(before?.y);
    expect(after?.x).toBe(before?.x);
    expect(complaints).toEqual([]);
    await close();
  });

  it('the rows of a list appear at the place of its skeleton', async () => {
    const { page, close } = await stage.open('about:blank');
    const gate = await holdBack(page, /\/api\/v3\/xds\/clusters/);
    await page.goto(`/p/${PROJECT}/resources/clusters`);
    const head = page.getByRole('columnheader', { name: 'Name' });
    await head.waitFor();
    const before = await head.boundingBox();
    const skeleton = await page.locator('[role=rowgroup] > div').first().boundingBox();
    gate.open();
    await page.getByRole('link', { name: 'demo-upstream' }).waitFor();
    const row = await page.locator('[data-index="0"]').boundingBox();
    expect((await head.boundingBox())?.y).toBe(before?.y);
    expect(row?.y).toBe(skeleton?.y);
    expect(row?.height).toBe(skeleton?.height);
    await close();
  });
});

/** Holds responses back until the gate is opened. */
async function holdBack(page: Page, url: RegExp): Promise<{ open: () => void }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await promise;
    await route.continue();
  });
  return { open: resolve };
}

const REFUSALS = [
  { status: 500, code: 'internal.failure', message: 'The controller failed.' },
  { status: 403, code: 'auth.forbidden', message: 'Your role does not allow this.' },
  { status: 404, code: 'resource.not_found', message: 'There is no such thing.' },
] as const;

describe('when the controller responds with an error', () => {
  it.each(SCREENS)('%s shows the error with its request ID, and recovers with a retry', async (name) => {
    const { page, complaints, close } = await stage.open('about:blank');
    const requestId = 'req-for-this-test';
    await page.route(API, (route) =>
      route.fulfill({
        status: 500,
        contentType: 'application/json',
        body: JSON.stringify({
          code: 'internal.failure',
          message: 'The disk of the database is full.',
          request_id: requestId,
        }),
      }),
    );
    await page.goto(find(name).path);
    const main = page.getByRole('main');
    await main.getByText('The disk of the database is full.').first().waitFor();
    await main.getByText(requestId).first().waitFor();
    await settle(page);
    await takePicture(page, `error ${name}`);
    await expectAccessible(page, `${name} with an error`);
    // The rest of the screen still works.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Clusters' }).waitFor();
    await page.unroute(API);
    const retry = main.getByRole('button', { name: 'Try again' });
    // A successful response may reveal parts whose requests had failed before.
    for (await settle(page); (await retry.count()) > 0; await settle(page))
      await retry
        .first()
        .click({ timeout: 2000 })
        .catch(() => undefined);
    expect(await main.getByText(requestId).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(REFUSALS)('$status $code is shown with the message of the controller', async ({ status, code, message }) => {
    const { page, complaints, close } = await stage.open('about:blank');
    await page.route(/\/api\/v3\/xds\/clusters/, (route) =>
      route.fulfill({
        status,
        contentType: 'application/json',
        body: JSON.stringify({ code, message, request_id: `req-${status}` }),
      }),
    );
    await page.goto(`/p/${PROJECT}/resources/clusters`);
    await page.getByRole('alert').getByText(message).waitFor();
    await page.getByRole('alert').getByText(`req-${status}`).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('while the controller is unavailable', () => {
  it('a page keeps its contents, shows the state, and updates itself when the controller is back', async () => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/resources/clusters?sort=name`);
    await page.getByRole('link', { name: 'demo-upstream' }).waitFor();
    await settle(page);
    await page.getByRole('banner').getByText('Connected').waitFor();
    await stage.fleet.kill('controller');
    const banner = page.getByRole('alert').filter({ hasText: 'The controller last answered' });
    await banner.waitFor();
    expect(await page.getByRole('link', { name: 'demo-upstream' }).isVisible()).toBe(true);
    await takePicture(page, 'offline');
    await expectAccessible(page, 'a list while the controller is away');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await settle(page);
    await takePicture(page, 'offline dark');
    await expectAccessible(page, 'a list while the controller is away, dark', ['color-contrast']);
    await page.setViewportSize({ width: 390, height: 844 });
    await takePicture(page, 'offline 390');

    await untilUp();
    const document = {
      collection: 'clusters' as const,
      name: 'made-while-away',
      version: places.version,
      type: 'envoy.config.cluster.v3.Cluster',
      resource: { name: 'made-while-away', connect_timeout: '1s' },
    };
    await places.owner.call(documentRoutes.apply, {
      query: {},
      body: { project: places.owner.project, documents: [document] },
    });
    await page.getByRole('link', { name: 'made-while-away' }).waitFor();
    await banner.waitFor({ state: 'detached' });
    expect(complaints.filter((text) => !/ERR_|EventSource|Failed to fetch/.test(text))).toEqual([]);
    await close();
  });

  it('a page that failed to load is loaded when the network is back, even if the stream stayed open (screen bug 15)', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/overview`);
    await page.getByRole('banner').getByText('Connected').waitFor();
    await page.route(/\/(api\/v3\/xds|readyz)/, (route) => route.abort());
    await page.getByRole('link', { name: 'Clusters', exact: true }).click();
    await page.getByRole('main').getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor();
    await page.getByRole('banner').getByText('Offline').waitFor();
    await page.unroute(/\/(api\/v3\/xds|readyz)/);
    await page.getByRole('link', { name: 'demo-upstream' }).waitFor();
    await page.getByRole('banner').getByText('Connected').waitFor();
    await close();
  });

  it('a page from the page cache shows that the controller is unavailable, and recovers without a reload', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/overview`);
    await settle(page);
    await page.getByRole('link', { name: 'Clusters', exact: true }).click();
    await page.getByRole('link', { name: 'demo-upstream' }).waitFor();
    await stage.fleet.kill('controller');
    await page.getByRole('link', { name: 'Listeners', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Listeners' }).waitFor();
    await untilUp();
    await page.getByRole('link', { name: 'demo-listener' }).waitFor();
    await close();
  });
});

/** Waits until `flotilla up` has started the controller again. */
async function untilUp(): Promise<void> {
  await stage.fleet.until(
    async () => (await stage.fleet.api('GET', overviewRoutes.read.path).catch(() => undefined))?.status === 200,
    'the controller is back',
  );
}

function find(name: string): Screen {
  const screen = screens.find((one) => one.name === name);
  if (!screen) throw new Error(`no screen has the name ${name}`);
  return screen;
}
