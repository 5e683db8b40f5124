import { documentRoutes, xdsRoutes } from '@flotilla/contract';
import { beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage } from './stage.ts';

const RETIRED = '1.36.4';

let stage: Stage;
let places: Places;
beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
});

it('a clean-up of a retired version is previewed, done and undone; documents in use block it', async () => {
  const { owner } = places;
  const document = {
    collection: 'clusters' as const,
    name: 'of-old',
    version: RETIRED,
    type: 'envoy.config.cluster.v3.Cluster',
    resource: { name: 'of-old', connect_timeout: '1s' },
  };
  await owner.call(documentRoutes.apply, { query: {}, body: { project: owner.project, documents: [document] } });
  const listOld = async () =>
    (
      await owner.call(xdsRoutes.list, {
        params: { collection: 'clusters' },
        query: { project: owner.project, version: RETIRED },
      })
    ).items.map(({ name }) => name);

  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/settings/clean-up?version=${places.version}`);
  const shown = page.getByRole('region', { name: 'Documents to remove' });
  await shown.getByText('Nothing can be removed yet').waitFor();
  await look(page, 'clean-up-blocked');
  expect(await page.getByRole('button', { name: /^Remove \d/ }).count()).toBe(0);

  await page.getByRole('combobox', { name: 'Proxy version' }).click();
  await page.getByRole('option', { name: RETIRED }).click();
  await shown.getByText('of-old', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove 1 document …' }).click();
  const question = page.getByRole('dialog', { name: `Remove the documents of ${RETIRED}?` });
  await question.getByText(/^1 document will be removed/).waitFor();
  await look(page, 'clean-up-question');
  await question.getByRole('button', { name: 'Remove' }).click();
  const kept = page.getByRole('region', { name: 'Recoverable' });
  await kept.getByText(`${RETIRED}, 1 document`).waitFor();
  expect(await listOld()).toEqual([]);
  await look(page, 'clean-up-kept');

  await kept.getByRole('button', { name: `Restore the documents of ${RETIRED}` }).click();
  const undo = page.getByRole('dialog', { name: `Restore the documents of ${RETIRED}?` });
  await undo.getByRole('button', { name: 'Restore' }).click();
  await kept.getByText('Nothing was removed in the last 30 days.').waitFor();
  expect(await listOld()).toEqual(['of-old']);
  expect(complaints).toEqual([]);
  await close();
});
