import { documentRoutes } from '@flotilla/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage, settle } from './stage.ts';

const LISTED = [
  ['clusters', 'list-unused', { name: 'list-unused', connect_timeout: '1s', type: 'STATIC' }],
  ['routes', 'list-routes', { name: 'list-routes' }],
  ['virtual_hosts', 'list-routes/list.example.com', { name: 'list.example.com', domains: ['list.example.com'] }],
  ['endpoints', 'list-endpoints', { cluster_name: 'list-endpoints' }],
  ['secrets', 'list-secret', { name: 'list-secret', generic_secret: { secret: { inline_string: 'listed' } } }],
] as const;

let stage: Stage;
let places: Places;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  const documents = LISTED.map(([collection, name, resource]) => ({
    collection,
    name,
    version: places.version,
    labels: { team: 'lists' },
    resource,
  }));
  await places.owner.call(documentRoutes.apply, { query: {}, body: { project: places.owner.project, documents } });
});

const WIDE_PX = [1280, 1440, 1600];

/** Columns of the kind, which no list hides in a window of 1280 px. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  listeners: ['Name', 'State', 'Address', 'Services', 'Used by', 'By'],
  routes: ['Name', 'State', 'Domains', 'Routes', 'Services', 'Used by'],
  virtual_hosts: ['Name', 'State', 'Domains', 'Routes', 'Services', 'Used by'],
  clusters: ['Name', 'State', 'Address', 'Endpoints', 'Services', 'Used by'],
  endpoints: ['Name', 'State', 'Address', 'Endpoints', 'Services', 'Used by'],
  secrets: ['Name', 'State', 'Content', 'Certificate', 'Services', 'Used by'],
};

describe('a list of documents', () => {
  it.each(Object.entries(KINDS))('shows the columns of %s within the window', async (collection, wanted) => {
    const { page, close } = await stage.open(`/p/${PROJECT}/resources/${collection}`);
    const heads = page.getByRole('columnheader');
    for (const width of WIDE_PX) {
      await page.setViewportSize({ width, height: 800 });
      await page.locator('[data-index]').first().waitFor();
      await settle(page);
      const found = await heads.evaluateAll((all) =>
        all.map((head) => ({ text: head.textContent?.trim() ?? '', right: head.getBoundingClientRect().right })),
      );
      expect(found.map(({ text }) => text)).toEqual(expect.arrayContaining([...wanted]));
      expect(Math.max(...found.map(({ right }) => right)), `${width} px`).toBeLessThanOrEqual(width);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await look(page, `columns of ${collection}`);
    await close();
  });

  it('shows for each listener where it listens, its service, and that its proxies run it', async () => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/resources/listeners`);
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'demo-listener' }) });
    await row.getByText(/:\d+$/).first().waitFor();
    await row.getByRole('link', { name: 'demo', exact: true }).waitFor();
    await row.getByText('Live', { exact: true }).waitFor();
    await settle(page);
    await look(page, 'list of listeners');
    expect(complaints).toEqual([]);
    await close();
  });

  it('is filtered by unused documents and by a label that it offers', async () => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/resources/clusters`);
    const used = page.getByRole('link', { name: 'demo-upstream' });
    await used.waitFor();
    await look(page, 'list of clusters');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('checkbox', { name: 'team=lists (1)' }).check();
    await page.waitForURL(/label=team%3Dlists|label=team=lists/);
    await page.getByRole('checkbox', { name: 'Unused' }).check();
    await page.waitForURL(/state=unused/);
    await page.keyboard.press('Escape');
    await used.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'list-unused' }).waitFor();
    await page.getByRole('status').getByText('1 row', { exact: true }).waitFor();
    await look(page, 'list of unused clusters');
    expect(complaints).toEqual([]);
    await close();
  });
});
