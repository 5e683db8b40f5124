import { controllerRoutes, fleetRoutes, xdsRoutes } from '@flotilla/contract';
import { createServerCertificate, isFullTier } from '@flotilla/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage } from './stage.ts';

let stage: Stage;
let places: Places;
beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
});

const BASE = `/p/${PROJECT}`;

describe('a change that Envoy refused', () => {
  it('leads from the overview to the error, to the document, and to the previous revision', async () => {
    const { page, complaints, close } = await stage.open(`${BASE}/overview`);
    // The service still serves its previous configuration.
    const unwell = page.getByRole('list', { name: 'Services that need attention' });
    await unwell.locator('[data-state="Degraded"]').waitFor();
    await page.getByRole('link', { name: /^Envoy refused/ }).click();
    const drawer = page.getByRole('dialog', { name: 'Configuration error' });
    await drawer.getByText('Fix it in demo-routes, or review its last change').waitFor();
    await look(page, 'error from the overview');
    await drawer.getByRole('link', { name: 'demo-routes' }).first().click();
    // The document also shows the refusal to people who did not save it.
    const progress = page.getByRole('region', { name: 'Progress of the change' });
    await progress.getByText('The previous revision keeps running there').waitFor();
    expect(await progress.getByRole('button', { name: 'Hide progress' }).count()).toBe(0);
    await look(page, 'document that is refused');
    await progress.getByRole('button', { name: 'Compare with previous revision' }).click();
    await page.getByRole('tab', { name: 'History', selected: true }).waitFor();
    expect(page.url()).toContain('revision=1');
    expect(complaints).toEqual([]);
    await close();
  });

  it('is not shown on a document that every node runs', async () => {
    const { page, close } = await stage.open(`${BASE}/resources/clusters/${places.version}/demo-upstream`);
    await page.getByRole('tab', { name: 'Cluster', selected: true }).waitFor();
    await page.getByText('Checked').waitFor();
    expect(await page.getByRole('region', { name: 'Progress of the change' }).count()).toBe(0);
    await close();
  });
});

describe('a request that was blocked', () => {
  it('opens with a click anywhere on its row, and leads to the line that blocked it and back', async () => {
    const { page, complaints, close } = await stage.open(`${BASE}/shield/events`);
    const row = page.getByRole('row').filter({ hasText: 'apikey.missing' }).first();
    // Selecting text is not a click.
    const reason = row.getByText('apikey.missing');
    await reason.hover({ position: { x: 1, y: 8 } });
    await page.mouse.down();
    await reason.hover({ position: { x: 80, y: 8 } });
    await page.mouse.up();
    expect(await page.evaluate(() => `${window.getSelection()}`)).toContain('key');
    expect(page.url()).not.toContain('event=');
    await page.getByRole('heading', { name: 'Filter events' }).click();
    await row.getByText('Blocked 403').click();
    const drawer = page.getByRole('dialog', { name: 'No key was sent' });
    await look(page, 'event opened by its row');
    await drawer.getByRole('link', { name: 'Show the rule' }).click();
    // The policy was changed after the request. The page shows the revision that decided, not the current one.
    const deciding = page.getByRole('region', { name: 'Rule that decided the request' });
    await deciding.getByText('Revision 1 decided this request').waitFor();
    await deciding.locator('.cm-activeLine', { hasText: 'api_key:' }).waitFor();
    expect(await deciding.getByText('# A second revision.').count()).toBe(0);
    await look(page, 'rule as it was');
    await page.emulateMedia({ colorScheme: 'dark' });
    await look(page, 'rule as it was dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await deciding.getByRole('button', { name: 'Compare with current' }).press('Enter');
    await page.getByRole('tab', { name: 'History', selected: true }).waitFor();
    await page.getByText('# A second revision.').waitFor();
    await page.goBack();
    await deciding.getByRole('button', { name: 'Show the current rule' }).press('Enter');
    await page.getByRole('tab', { name: /^Edit/, selected: true }).waitFor();
    await page.locator('.cm-activeLine', { hasText: 'api_key:' }).waitFor();
    expect(await deciding.count()).toBe(0);
    const prefix = page.getByRole('textbox', { name: 'Path prefix' });
    expect(await prefix.inputValue()).toBe('/api/');
    await page.goBack();
    await page.goBack();
    await drawer.waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('also leads from a trial to the rule', async () => {
    const path = `${BASE}/shield/try?service=${places.service}&url=https://example.com/limited/`;
    const { page, close } = await stage.open(path);
    const verdicts = page.getByRole('list', { name: 'Verdicts of the engines' });
    await verdicts.getByRole('link', { name: 'demo-policy' }).click();
    await page.locator('.cm-activeLine', { hasText: 'rate_limit:' }).waitFor();
    await close();
  });

  it('can be tried without a choice if there is one service, and leads to a policy if there is no service', async () => {
    const { page, close } = await stage.open(`${BASE}/overview`);
    // Other files may have left services in this project.
    await page.route(new RegExp(`${fleetRoutes.services.path}\\?`), async (route) => {
      const answer = await route.fetch();
      const list = await answer.json();
      const items = list.items.filter(({ id }: { id: string }) => id === places.service);
      await route.fulfill({ response: answer, json: { ...list, items } });
    });
    await page.goto(`${BASE}/shield/try`);
    await page.getByRole('button', { name: 'Try it' }).waitFor();
    await page.goto('/p/empty/shield/try');
    await page.getByText('No policies yet').waitFor();
    await look(page, 'trial without a policy');
    await page.getByRole('link', { name: 'Create a policy' }).click();
    await page.getByRole('heading', { level: 1, name: 'New policy' }).waitFor();
    await close();
  });

  it('is filtered by the values in the list', async () => {
    const { page, close } = await stage.open(`${BASE}/shield/events`);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('checkbox', { name: 'Engine failed' }).check();
    await page.getByText('Verdict: Engine failed').waitFor();
    await close();
  });
});

describe('the address of a deleted record', () => {
  const GONE = ['resources/clusters/1.40.0/gone', 'users/gone'];
  const MORE_GONE = ['policies/gone', 'services/gone', 'clients/gone'];

  it.each(isFullTier ? [...GONE, ...MORE_GONE] : GONE)('%s leads to its entries in the audit log', async (place) => {
    const { page, close } = await stage.open(`${BASE}/${place}`);
    await page.getByRole('link', { name: 'audit log', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('gone');
    await close();
  });

  it('the address of an unknown project leads to an existing one', async () => {
    const { page, close } = await stage.open('/p/nowhere/overview');
    await look(page, 'no such project');
    await page.getByRole('link', { name: 'Go to a project of yours' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await close();
  });
});

describe('the rules of a field', () => {
  it('are shown below the name of a new document while the user types it', async () => {
    const { page, close } = await stage.open(`${BASE}/resources/clusters/new?starter=empty`);
    const review = page.getByRole('button', { name: 'Review and create' });
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await page.getByText('Enter a name').waitFor();
    await name.fill('no name!');
    await page.getByText(/^Letters, digits/).waitFor();
    expect(await review.isDisabled()).toBe(true);
    await look(page, 'document with an invalid name');
    await name.fill('name');
    await page.getByRole('button', { name: 'Review and create', disabled: false }).waitFor();
    await close();
  });

  it('have no default for a choice that ends two secrets at once', async () => {
    const { page, close } = await stage.open(`${BASE}/settings/discovery-token?change=secret`);
    const drawer = page.getByRole('dialog', { name: 'Rotate the secret of the discovery token' });
    const make = drawer.getByRole('button', { name: 'Create new secret' });
    const holds = drawer.getByRole('combobox', { name: 'Keep the current secret valid for' });
    await holds.waitFor();
    expect([await holds.inputValue(), await make.isDisabled()]).toEqual(['', true]);
    await holds.click();
    await page.getByRole('option', { name: 'Not at all' }).click();
    await make.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).waitFor();
    await close();
  });
});

it('a certificate that expires soon is marked on its document', async () => {
  const { certificatePem, privateKeyPem } = await createServerCertificate('shop.example.com');
  const chain = { certificate_chain: { inline_string: certificatePem } };
  await places.owner.call(xdsRoutes.create, {
    params: { collection: 'secrets' },
    query: { project: places.owner.project },
    body: {
      name: 'shop-certificate',
      version: places.version,
      resource: { tls_certificate: { ...chain, private_key: { inline_string: privateKeyPem } } },
    },
  });
  const { page, complaints, close } = await stage.open(`${BASE}/resources/secrets/${places.version}/shop-certificate`);
  const shown = page.getByRole('list', { name: 'Certificates' }).getByRole('listitem');
  await shown.filter({ hasText: /^Expires soon.*shop\.example\.com.*expires in 2\d h/ }).waitFor();
  await look(page, 'certificate that ends soon');
  expect(complaints).toEqual([]);
  await close();
});

/** The lists with the most columns. */
const WIDE_LISTS = ['shield/events', 'services', 'clients', 'audit'];
const OTHER_LISTS = ['clients?tab=enrolment', 'policies', 'tokens', 'users', 'jobs'];

it.each(isFullTier ? [...WIDE_LISTS, ...OTHER_LISTS] : WIDE_LISTS)(
  'the list of %s needs no horizontal scrolling at 1024 px',
  async (place) => {
    const { page, close } = await stage.open(`${BASE}/${place}`);
    await page.setViewportSize({ width: 1024, height: 768 });
    await page.getByRole('row').nth(1).waitFor();
    const frame = page.getByRole('group', { name: /^List of/ }).first();
    const { content, shown } = await frame.evaluate((list) => ({ content: list.scrollWidth, shown: list.clientWidth }));
    expect(content).toBeLessThanOrEqual(shown);
    await close();
  },
);

it('the client of a token and the controllers of jobs are shown by name', async () => {
  const { page, close } = await stage.open(`${BASE}/clients?tab=enrolment`);
  const used = page.getByRole('row').filter({ hasText: 'flotilla up on' });
  await used.getByRole('link', { name: 'this-machine' }).waitFor();
  await page.goto(`${BASE}/jobs?tab=workers`);
  const { instances } = await places.owner.call(controllerRoutes.instances, { query: {} });
  const workers = page.getByRole('list', { name: 'Workers' });
  await workers.getByText(instances[0]?.hostname ?? 'none', { exact: true }).waitFor();
  await close();
});
