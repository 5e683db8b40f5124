import {
  alertChannelRoutes,
  alertRoutes,
  alertRuleRoutes,
  apiTokenRoutes,
  backupRoutes,
  type CommandName,
  clientRoutes,
  documentRoutes,
  enrolmentRoutes,
  mayCommand,
  policyRoutes,
  projectRoutes,
  publishRoutes,
  type Role,
  type RouteContract,
  serviceRoutes,
  shieldNodeRoutes,
  shieldTrialRoutes,
  userRoutes,
  xdsRoutes,
} from '@flotilla/contract';
import { isFullTier } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import type { Screen } from './screen.ts';
import { listScreens, MAIN_SCREENS } from './screen-table.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, PROJECT, type Stage, type StagePage, settle, takePicture } from './stage.ts';

/** Words of a control and the route that it calls, or the command that it sends. */
const OFFERS: readonly (readonly [words: RegExp, needs: RouteContract | CommandName])[] = [
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
  [/^(Acknowledge|Withdraw|Silence|End silence)\b/, alertRoutes.acknowledge],
  [/^Create (a |the first )?(rule|channel)$/, alertRuleRoutes.create],
  [/^Send a test message/, alertChannelRoutes.test],
  [/^Edit labels$/, clientRoutes.setLabels],
  [/^Edit\b/, serviceRoutes.patch],
  [/^Deploy\b/, 'DEPLOY'],
  [/^Undeploy\b/, 'UNDEPLOY'],
  [/^Start\b/, 'SERVICE SUB_START'],
  [/^Stop\b/, 'SERVICE SUB_STOP'],
  [/^Restart\b/, 'SERVICE SUB_RESTART'],
  [/^Reload\b/, 'SERVICE SUB_RELOAD'],
  [/^(Drain|End the drain)$/, 'PROXY WRITE'],
  [/^Set proxy version/, 'DATAPLANE_VERSION SET_VERSION'],
  [/^Upgrade Envoy/, 'UPGRADE_LISTENER'],
  [/^Delete the service/, serviceRoutes.remove],
  [/enrol/i, enrolmentRoutes.createToken],
  [/^Remove$/, clientRoutes.remove],
  [/^Create (a |an |the first )?policy/i, policyRoutes.create],
  [/^(Add a (domain|route|key|file)|(Add|Remove|Switch off|Override|Inherit again): )/, policyRoutes.replace],
  [/^Send policies again$/, shieldNodeRoutes.resync],
  [/^Unpublish/, publishRoutes.unpublish],
  [/^Try (it|a request|this request)$/, shieldTrialRoutes.try],
  [/^Create (a |an |the first )?(API )?token/i, apiTokenRoutes.create],
  [/^Rotate /, apiTokenRoutes.rotate],
  [/^Revoke/, apiTokenRoutes.delete],
  [/^Add (a |the first )?(user|member)/i, userRoutes.addMember],
  [/^Create (a |the first )?project/i, projectRoutes.create],
];

/** Screens on which these words mean something else: the history names commands after what they did. */
const OWN: readonly string[] = ['profile', 'client-commands', 'client-command'];

let stage: Stage;
let places: Places;
let screens: readonly Screen[];
/** A sample in the commit tier. */
let visited: readonly Screen[];

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  screens = listScreens(places);
  visited = isFullTier ? screens : screens.filter(({ name }) => MAIN_SCREENS.includes(name));
});

function allows(route: RouteContract | CommandName, role: Role): boolean {
  if (typeof route === 'string') return mayCommand(role, route);
  if (route.access.kind === 'roles') return route.access.roles.includes(role);
  return route.access.kind !== 'system_owner';
}

const PEOPLE = [
  { username: 'ann', role: 'editor', visits: isFullTier },
  // A control that ignores rights shows up for a viewer, who may change nothing.
  { username: 'victor', role: 'viewer', visits: true },
] as const;

describe.each(PEOPLE)('a member with the role $role', ({ username, role, visits }) => {
  let opened: StagePage;
  /** Refusals of the controller while screens were only viewed. */
  const refused: string[] = [];

  beforeAll(async () => {
    opened = await stage.open('/', { user: { username, password: places.passwords[username] } });
    opened.page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(`${answer.request().method()} ${new URL(answer.url()).pathname}`);
    });
    await opened.page.getByRole('banner').waitFor();
  });
  afterAll(() => opened?.close());

  it('finds only accessible screens in the navigation', async () => {
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
    // The navigation has every screen that the user may open.
    const main = expected.filter((path) => isMain(path));
    expect(hrefs.toSorted()).toEqual(main.toSorted());
  });

  it.runIf(visits)('is not offered actions that the controller would refuse', async () => {
    const { page, complaints } = opened;
    const wrong: string[] = [];
    for (const screen of visited.filter(({ needs }) => allows(needs, role))) {
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

  it.runIf(visits)('shows a clear message at the address of a screen for other roles', async () => {
    const { page, complaints } = opened;
    const closed = visited.filter(({ needs }) => !allows(needs, role));
    expect(closed.length).toBeGreaterThan(0);
    const wrong: string[] = [];
    for (const screen of closed) {
      await page.goto(screen.path);
      await page.locator('h1').waitFor();
      await settle(page);
      const title = await page.locator('h1').textContent();
      if (/failed/i.test(title ?? '')) wrong.push(`${screen.name}: ${title}`);
      const failed = page.getByRole('main').getByText(/could not be loaded/);
      if ((await failed.count()) > 0) wrong.push(`${screen.name}: ${await failed.first().textContent()}`);
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

  it('finds no action and no place in the palette that the controller would refuse', async () => {
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

it('an editor can save a cluster', async () => {
  // Not the demo's cluster, whose port belongs to the host: editors may not change it.
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
  if (!screen) throw new Error(`no screen has the path ${path}`);
  return screen.needs;
}

/** Whether the path is a list that the navigation names, rather than an item in it. */
function isMain(path: string): boolean {
  return /^\/p\/[^/]+\/(overview|clients|services|policies|traffic|shield\/events|alerts|jobs|audit|users|tokens)$|^\/p\/[^/]+\/resources\/[a-z_]+$|^\/projects$/.test(
    path,
  );
}

/** Returns the names of everything in the page that can be pressed or chosen, with menus opened. */
async function listOffers(page: Page): Promise<string[]> {
  const controls = page
    .locator('main')
    .locator('button:enabled, a[href], input[type=checkbox]:enabled')
    .or(page.getByRole('dialog').locator('button:enabled, a[href], input[type=checkbox]:enabled'));
  const names = await controls.evaluateAll((all) =>
    all.map((one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').trim()),
  );
  // Elements behind an open dialog cannot be pressed; the same page without the dialog is checked, too.
  if ((await page.getByRole('dialog').count()) > 0) return names;
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
