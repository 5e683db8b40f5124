import { type ArchiveServer, startArchive, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { setArchive } from './release-archive.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage } from './stage.ts';

const { newest: RUNNING } = TEST_ENVOY_VERSIONS;
/** The controller knows it, and the archive of the test does not have it. */
const MISSING = '1.38.3';
let stage: Stage;
let places: Places;
let archive: ArchiveServer;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  archive = await startArchive();
  archive.publish([]);
  await setArchive(places, archive.url);
});
afterAll(async () => {
  await setArchive(places, null);
  await archive.close();
});

it.each(['light', 'dark'] as const)(
  'an upgrade names versions and drain time, says what happens to connections, and shows that the client goes back (%s)',
  async (scheme) => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/services/${places.service}?tab=nodes`, {
      scheme,
    });
    await page.getByRole('button', { name: 'Actions', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Upgrade Envoy …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Upgrade Envoy: demo' });
    await dialog.getByText('No connection is refused or reset.').waitFor();
    await dialog.getByText('goes back to the version that it had').waitFor();
    const action = dialog.getByRole('button', { name: /^Upgrade Envoy/ });
    expect(await dialog.getByRole('combobox', { name: 'From version' }).inputValue()).toBe(RUNNING);
    expect(await action.isDisabled()).toBe(true);
    const to = dialog.getByRole('combobox', { name: 'To version' });
    await to.fill(RUNNING);
    await dialog.getByText('Choose another version than the one before').waitFor();
    await to.fill(MISSING);
    await dialog.getByRole('textbox', { name: 'Drain time (seconds)' }).fill('12');
    await look(page, `upgrade-dialog-${scheme}`);
    await action.click();
    await dialog.getByText(`The client goes back to Envoy ${RUNNING}.`).first().waitFor();
    await look(page, `upgrade-failed-${scheme}`);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByText('12 s', { exact: true }).waitFor();
    await page.getByText(RUNNING, { exact: true }).first().waitFor();
    await look(page, `upgrade-after-${scheme}`);
    expect(complaints).toEqual([]);
    await close();
  },
);

it('an upgrade can go out in waves, from the link in its dialog', async () => {
  const { page, complaints, close } = await stage.open(`/p/${PROJECT}/services/${places.service}?do=upgrade`);
  await page.getByRole('link', { name: 'Roll out an upgrade' }).click();
  await page.getByRole('dialog', { name: 'Roll out a command' }).waitFor();
  await page.getByRole('combobox', { name: 'Command' }).click();
  await page.getByRole('option', { name: 'Upgrade Envoy', exact: true }).click();
  await page.getByRole('combobox', { name: 'Service' }).fill('demo');
  await page.getByRole('textbox', { name: 'Version before' }).fill(RUNNING);
  const plan = page.getByRole('button', { name: 'Show the waves' });
  expect(await plan.isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Version', exact: true }).fill(MISSING);
  await plan.click();
  await page.getByRole('list', { name: 'Waves' }).getByText('Wave 1: 1 client').waitFor();
  expect(complaints).toEqual([]);
  await close();
});
