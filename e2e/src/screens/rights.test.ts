import {
  apiTokenRoutes,
  backupRoutes,
  clientRoutes,
  documentRoutes,
  enrolmentRoutes,
  policyRoutes,
  projectRoutes,
  type Role,
  type RouteContract,
  serviceRoutes,
  shieldTrialRoutes,
  userRoutes,
  xdsRoutes,
} from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { furnish, type Places } from './furnish.ts';
import type { Screen } from './screen.ts';
import { listScreens } from './screen-table.ts';
import { expectAccessible, PROJECT, Stage, type StagePage, settle, takePicture } from './stage.ts';

/** What is offered under these words calls this route. */
const OFFERS: readonly (readonly [words: RegExp, route: RouteContract])[] = [
  [
    /^Create (a |an |the first )?(listener|route|virtual host|cluster|endpoint|secret|filter|extension|bootstrap)/i,
    xdsRoutes.create,
  ],
  [/^(Review and save|Review and create|Save|Discard)$/i, xdsRoutes.replace],
  [/^Copy$/, xdsRoutes.create],
  [/^Delete( …)?$/, xdsRoutes.remove],
  [/^Select (row|all)/, documentRoutes.apply],
  [/^Restore from a file/, backupRoutes.import],
  [/^Make (a|the first) backup/, backupRoutes.export],
  [/^Restore/, xdsRoutes.restore],
  [/^(Create|New) (a |an |the first )?service/i, serviceRoutes.create],
  [/^(Edit|Deploy|Undeploy|Start|Stop|Restart|Reload)\b/, serviceRoutes.patch],
  [/^Delete the service/, serviceRoutes.remove],
  [/enrol/i, enrolmentRoutes.createToken],
  [/^Remove$/, clientRoutes.remove],
  [/^Create (a |an |the first )?policy/i, policyRoutes.create],
  [/^(Add a (domain|route|key|file)|(Add|Remove|Switch off|Write its own|Inherit again): )/, policyRoutes.replace],
  [/^Try (it|a request|this request)$/, shieldTrialRoutes.try],
  [/^Create (a |an |the first )?(API )?token/i, apiTokenRoutes.create],
  [/^Rotate /, apiTokenRoutes.rotate],
  [/^Revoke/, apiTokenRoutes.delete],
  [/^Add (a |the first )?(user|member)/i, userRoutes.addMember],
  [/^Create (a |the first )?project/i, projectRoutes.create],
];

/** Words that mean something else on these screens. */
const OWN: readonly string[] = ['profile'];

let stage: Stage;
let places: Places;
let screens: readonly Screen[];

beforeAll(async () => {
  stage = await Stage.open();
  places = await furnish(stage);
  screens = listScreens(places);
});
afterAll(() => stage?.close());

function allows(route: RouteContract, role: Role): boolean {
  if (route.access.kind === 'roles') return route.access.roles.includes(role);
  return route.access.kind !== 'system_owner';
}

const PEOPLE = [
  { username: 'ann', role: 'editor' },
  { username: 'victor', role: 'viewer' },
] as const;

describe.each(PEOPLE)('somebody who is $role', ({ username, role }) => {
  let opened: StagePage;
  /** What the controller refused while screens were only looked at. */
  const refused: string[] = [];

  beforeAll(async () => {
    opened = await stage.open('/', { user: { username, password: places.passwords[username] } });
    opened.page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(`${answer.request().method()} ${new URL(answer.url()).pathname}`);
    });
    await opened.page.getByRole('banner').waitFor();
  });
  afterAll(() => opened?.close());

  it('finds in the navigation only what may be opened', async () => {
    const { page } = opened;
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const expected = screens
      .filter(({ path }) => !path.includes('?') && allows(routeOf(path), role))
      .map(({ path }) => path);
    expect(hrefs.length).toBeGreaterThan(3);
    for (const href of hrefs) {
      const screen = screens.find(({ path }) => path === href);
      expect(screen, href).toBeDefined();
      if (screen) expect(allows(screen.needs, role), href).toBe(true);
    }
    // And nothing that may be opened is left out.
    const main = expected.filter((path) => isMain(path));
    expect(hrefs.toSorted()).toEqual(main.toSorted());
  });

  it('is offered nothing that the controller would refuse, on any screen', async () => {
    const { page, complaints } = opened;
    const wrong: string[] = [];
    for (const screen of screens.filter(({ needs }) => allows(needs, role))) {
      refused.length = 0;
      await page.goto(screen.path);
      await page.locator('h1').waitFor();
      await settle(page);
      const offered = await listOffers(page);
      for (const words of offered) {
        const offer = OFFERS.find(([pattern]) => pattern.test(words));
        if (offer && !OWN.includes(screen.name) && !allows(offer[1], role)) wrong.push(`${screen.name}: ${words}`);
      }
      for (const path of refused) wrong.push(`${screen.name}: asked for ${path}, which was refused`);
      if (['overview', 'list-clusters', 'cluster-form', 'policy'].includes(screen.name))
        await takePicture(page, `${role} ${screen.name}`);
    }
    expect(wrong).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('gets a plain answer from the address of a screen that is for others', async () => {
    const { page, complaints } = opened;
    const closed = screens.filter(({ needs }) => !allows(needs, role));
    expect(closed.length).toBeGreaterThan(0);
    const wrong: string[] = [];
    for (const screen of closed) {
      await page.goto(screen.path);
      await page.locator('h1').waitFor();
      await settle(page);
      const title = await page.locator('h1').textContent();
      if (/failed/i.test(title ?? '')) wrong.push(`${screen.name}: ${title}`);
      for (const words of await listOffers(page)) {
        const offer = OFFERS.find(([pattern]) => pattern.test(words));
        if ((offer && !allows(offer[1], role)) || /^(Review|Save)/.test(words))
          wrong.push(`${screen.name}: offers ${words}`);
      }
      await takePicture(page, `${role} at ${screen.name}`);
    }
    await expectAccessible(page, 'a screen for others');
    expect(wrong).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('finds in the palette no action and no place that would be refused', async () => {
    const { page } = opened;
    await page.goto(`/p/${PROJECT}/overview`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    const options = await page.getByRole('option').allTextContents();
    for (const words of options) {
      const offer = OFFERS.find(([pattern]) => pattern.test(words));
      if (offer) expect(allows(offer[1], role), words).toBe(true);
    }
    expect(options.some((words) => words.startsWith('Create a cluster'))).toBe(allows(xdsRoutes.create, role));
    expect(options.some((words) => words.startsWith('Users'))).toBe(allows(userRoutes.list, role));
    await page.keyboard.press('Escape');
  });
});

it('an editor saves a cluster, which is what editors are for', async () => {
  // Not the demo's: its port is one of the host's, and those that proxies are run by are not for editors.
  const cluster = {
    collection: 'clusters' as const,
    name: 'of-editors',
    version: places.version,
    type: 'envoy.config.cluster.v3.Cluster',
    resource: { name: 'of-editors', connect_timeout: '1s' },
  };
  const body = { project: places.owner.project, documents: [cluster] };
  await places.owner.call(documentRoutes.apply, { query: {}, body });
  const { page, complaints, close } = await stage.open(
    `/p/${PROJECT}/resources/clusters/${places.version}/of-editors`,
    { user: { username: 'ann', password: places.passwords.ann } },
  );
  await page.getByRole('textbox', { name: 'Description' }).waitFor();
  await settle(page);
  await page.getByRole('textbox', { name: 'Description' }).fill('by ann');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('region', { name: 'Progress of the change' }).getByText('Revision 2').waitFor();
  expect(complaints).toEqual([]);
  await close();
});

function routeOf(path: string): RouteContract {
  const screen = screens.find((one) => one.path === path);
  if (!screen) throw new Error(`no screen at ${path}`);
  return screen.needs;
}

/** The places that a navigation names: lists, not what is in them. */
function isMain(path: string): boolean {
  return /^\/p\/[^/]+\/(overview|clients|services|policies|shield\/events|jobs|audit|users|tokens)$|^\/p\/[^/]+\/resources\/[a-z_]+$|^\/projects$/.test(
    path,
  );
}

/** Names of everything in the page that can be pressed or chosen, menus opened. */
async function listOffers(page: Page): Promise<string[]> {
  const controls = page
    .locator('main')
    .locator('button:enabled, a[href], input[type=checkbox]:enabled')
    .or(page.getByRole('dialog').locator('button:enabled, a[href], input[type=checkbox]:enabled'));
  const names = await controls.evaluateAll((all) =>
    all.map((one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').trim()),
  );
  for (const menu of await page.locator('main [aria-haspopup="menu"]:enabled').all()) {
    if (!(await menu.isVisible())) continue;
    await menu.click();
    await page.getByRole('menuitem').first().waitFor();
    names.push(...(await page.getByRole('menuitem').allTextContents()));
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
  }
  return names;
}
