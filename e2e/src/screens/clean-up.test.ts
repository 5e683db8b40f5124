import { documentRoutes, xdsRoutes } from '@flotilla/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { furnish, type Places } from './furnish.ts';
import { look, PROJECT, Stage } from './stage.ts';

const RETIRED = '1.36.4';

let stage: Stage;
let places: Places;
beforeAll(async () => {
  stage = await Stage.open();
  places = await furnish(stage);
});
afterAll(() => stage?.close());

it('what is of a retired version is looked at, taken away and brought back; what is in use is not', async () => {
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
  const shown = page.getByRole('region', { name: 'What would go' });
  await shown.getByText('Nothing can be taken away yet').waitFor();
  await look(page, 'clean-up-blocked');
  expect(await page.getByRole('button', { name: /^Take away/ }).count()).toBe(0);

  await page.getByRole('combobox', { name: 'Proxy version' }).click();
  await page.getByRole('option', { name: RETIRED }).click();
  await shown.getByText('of-old', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Take away 1 …' }).click();
  const question = page.getByRole('dialog', { name: `Take away what the project has of ${RETIRED}?` });
  await question.getByText(/^1 document goes/).waitFor();
  await look(page, 'clean-up-question');
  await question.getByRole('button', { name: 'Take away' }).click();
  const kept = page.getByRole('region', { name: 'Can be brought back' });
  await kept.getByText(`${RETIRED}, 1 document`).waitFor();
  expect(await listOld()).toEqual([]);
  await look(page, 'clean-up-kept');

  await kept.getByRole('button', { name: `Bring back what was of ${RETIRED}` }).click();
  const undo = page.getByRole('dialog', { name: `Bring back what was of ${RETIRED}?` });
  await undo.getByRole('button', { name: 'Bring back' }).click();
  await kept.getByText('Nothing was taken away within the last 30 days.').waitFor();
  expect(await listOld()).toEqual(['of-old']);
  expect(complaints).toEqual([]);
  await close();
});
