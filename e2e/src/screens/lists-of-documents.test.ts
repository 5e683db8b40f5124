import { documentRoutes } from '@flotilla/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage, settle } from './stage.ts';

let stage: Stage;
let places: Places;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  const document = {
    collection: 'clusters' as const,
    name: 'list-unused',
    version: places.version,
    type: 'envoy.config.cluster.v3.Cluster',
    labels: { team: 'lists' },
    resource: { name: 'list-unused', connect_timeout: '1s', type: 'STATIC' },
  };
  await places.owner.call(documentRoutes.apply, {
    query: {},
    body: { project: places.owner.project, documents: [document] },
  });
});

describe('a list of documents', () => {
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
