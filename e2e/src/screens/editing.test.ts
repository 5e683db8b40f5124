import { randomUUID } from 'node:crypto';
import { serviceRoutes } from '@flotilla/contract';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Owner } from './owner.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, PROJECT, type Stage, settle, takePicture } from './stage.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;

let stage: Stage;
let count = 0;
let name: string;

beforeAll(async () => {
  ({ stage } = await shareFurnishedStage());
});

/** Gives each story its own cluster. */
beforeEach(async () => {
  count += 1;
  name = `edited-${count}`;
  const resource = { name, type: 'STATIC', connect_timeout: '1s' };
  const made = await stage.fleet.api('POST', '/api/v3/xds/clusters', { name, version: VERSION, resource });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
});

const pathOf = (cluster: string) => `/p/${PROJECT}/resources/clusters/${VERSION}/${cluster}`;
const read = async () => (await stage.fleet.api('GET', `/api/v3/xds/clusters/${name}?version=${VERSION}`)).body;
const timeoutField = (page: Page) => page.getByRole('textbox', { name: 'Connect timeout' });

async function chooseView(page: Page, view: 'Form' | 'YAML' | 'JSON'): Promise<void> {
  await page.getByRole('radiogroup', { name: 'View' }).getByText(view, { exact: true }).click();
}

async function reviewAndSave(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review and save' }).click();
  const dialog = page.getByRole('dialog', { name: `Save ${name}?` });
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

describe('an open form', () => {
  it('keeps unsaved input while the controller crashes and restarts, and saves it then', async () => {
    const { page, complaints, close } = await stage.open(pathOf(name));
    await timeoutField(page).fill('7s');
    await stage.fleet.kill('controller');
    await page.getByRole('alert').filter({ hasText: 'The controller last answered' }).waitFor();
    await page.getByRole('textbox', { name: 'Description' }).fill('typed while nobody answered');
    await takePicture(page, 'editing-offline');
    await expectAccessible(page, 'editing while the controller is away');
    await page.getByRole('alert').filter({ hasText: 'The controller last answered' }).waitFor({ state: 'detached' });
    expect(await timeoutField(page).inputValue()).toBe('7s');
    await reviewAndSave(page);
    await page.getByRole('region', { name: 'Progress of the change' }).getByText('Stored').waitFor();
    expect(await read()).toMatchObject({
      description: 'typed while nobody answered',
      resource: { connect_timeout: '7s' },
    });
    expect(complaints.filter((text) => !text.includes('ERR_'))).toEqual([]);
    await close();
  });

  it('shows that the controller is unavailable when the user saves, and loses nothing', async () => {
    const { page, close } = await stage.open(pathOf(name));
    await timeoutField(page).fill('8s');
    await page.route('**/api/v3/xds/**', (route) => route.abort('connectionrefused'));
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByText('The controller does not answer').first().waitFor();
    expect(await timeoutField(page).inputValue()).toBe('8s');
    await page.unroute('**/api/v3/xds/**');
    await reviewAndSave(page);
    expect((await read()).resource.connect_timeout).toBe('8s');
    await close();
  });

  it('restores unsaved input after the page is reloaded', async () => {
    const { page, close } = await stage.open(pathOf(name));
    await timeoutField(page).fill('9s');
    await page.reload();
    await page.getByText('Your unsaved changes were restored').waitFor();
    expect(await timeoutField(page).inputValue()).toBe('9s');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => timeoutField(page).inputValue()).toBe('1s');
    await page.reload();
    await settle(page);
    expect(await page.getByText('Your unsaved changes were restored').count()).toBe(0);
    await close();
  });
});

describe('the review of a change', () => {
  it('shows the text in the language being edited, and the differences as a list', async () => {
    const { page, complaints, close } = await stage.open(pathOf(name));
    await timeoutField(page).fill('4s');
    await page.getByRole('textbox', { name: 'Description' }).fill('reviewed');
    const review = page.getByRole('dialog', { name: `Save ${name}?` });
    const shown = review.getByRole('region', { name: /Revision 1.*As it will be stored/ });
    const open = async (view: 'Form' | 'YAML' | 'JSON') => {
      await chooseView(page, view);
      await page.getByRole('button', { name: 'Review and save' }).click();
      await shown.waitFor();
    };
    await open('JSON');
    await shown.getByText('"connect_timeout": "4s"').waitFor();
    // The description is not part of the text.
    await review.getByText('"reviewed"').waitFor();
    await review.getByText('Not used by a deployed service yet').waitFor();
    await takePicture(page, 'review-of-json');
    await expectAccessible(page, 'a review');
    await review.getByText('List (2)', { exact: true }).click();
    await shown.waitFor({ state: 'detached' });
    await review.getByText('resource.connect_timeout', { exact: true }).waitFor();
    await takePicture(page, 'review-as-list');
    await review.getByRole('button', { name: 'Back to editing' }).click();
    await open('YAML');
    await shown.getByText('connect_timeout: 4s').waitFor();
    await takePicture(page, 'review-of-yaml');
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('form and code', () => {
  it('are two views of one document, switched without loss', async () => {
    const { page, complaints, close } = await stage.open(pathOf(name));
    await timeoutField(page).fill('3s');
    await chooseView(page, 'YAML');
    const code = page.getByRole('textbox', { name: 'Document' });
    await code.getByText('connect_timeout').waitFor();
    expect(await code.textContent()).toContain('3s');
    await expectAccessible(page, 'the code view');
    await takePicture(page, 'code-view');
    await code.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\nalt_stat_name: from-code');
    await chooseView(page, 'Form');
    await page.getByText('from-code').or(page.locator('input[value="from-code"]')).first().waitFor();
    expect(await timeoutField(page).inputValue()).toBe('3s');
    expect(complaints).toEqual([]);
    await close();
  });

  it('keep an invalid text, show where it is invalid, and do not save it', async () => {
    const { page, close } = await stage.open(`${pathOf(name)}?view=yaml`);
    const code = page.getByRole('textbox', { name: 'Document' });
    await code.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\nfoo: bar: baz');
    await page.getByText('Syntax error').waitFor();
    expect(await page.getByRole('radio', { name: 'Form' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
    await page.reload();
    await code.getByText('foo: bar: baz').waitFor();
    await close();
  });

  it('show an error at its field, as Envoy of this version reports it', async () => {
    const { page, close } = await stage.open(pathOf(name));
    await timeoutField(page).fill('-5s');
    await page.getByRole('alert').getByText('1 error', { exact: true }).waitFor();
    await takePicture(page, 'field-error');
    await expectAccessible(page, 'a form with an error');
    expect(await timeoutField(page).getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: /connect_timeout/ }).click();
    await expect.poll(() => timeoutField(page).evaluate((field) => field === document.activeElement)).toBe(true);
    await close();
  });
});

describe('two people editing one document', () => {
  it('see the differences: compatible changes are merged, and the user resolves the others', async () => {
    const { page: mine, close } = await stage.open(pathOf(name));
    await timeoutField(mine).fill('5s');
    await mine.getByRole('textbox', { name: 'Description' }).fill('mine');
    const stored = await read();
    const theirs = await stage.fleet.api(
      'PUT',
      `/api/v3/xds/clusters/${name}?version=${VERSION}`,
      { description: 'theirs', resource: { ...stored.resource, alt_stat_name: 'added-by-them' } },
      { 'if-match': `"${stored.revision}"` },
    );
    expect(theirs.status, JSON.stringify(theirs.body)).toBe(200);
    await mine.getByText(/saved revision 2 while you were editing/).waitFor();
    await mine.getByRole('button', { name: 'Review and save' }).click();
    const dialog = mine.getByRole('dialog', { name: 'Someone else saved this while you were editing' });
    await dialog.getByText('description').first().waitFor();
    await settle(mine);
    await takePicture(mine, 'conflict');
    await expectAccessible(mine, 'a conflict');
    await dialog.getByRole('radio', { name: /^Mine/ }).check({ force: true });
    await dialog.getByRole('button', { name: /use|take|apply|merged/i }).click();
    await dialog.waitFor({ state: 'detached' });
    await reviewAndSave(mine);
    expect(await read()).toMatchObject({
      revision: 3,
      description: 'mine',
      resource: { connect_timeout: '5s', alt_stat_name: 'added-by-them' },
    });
    await close();
  });

  it('never overwrite each other, because a save of an old revision is refused', async () => {
    const { page, close } = await stage.open(pathOf(name));
    await timeoutField(page).fill('5s');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = page.getByRole('dialog', { name: `Save ${name}?` });
    await review.getByRole('button', { name: 'Save', exact: true }).waitFor();
    const stored = await read();
    await stage.fleet.api('PUT', `/api/v3/xds/clusters/${name}?version=${VERSION}`, {
      description: 'theirs',
      resource: stored.resource,
    });
    await review.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog', { name: 'Someone else saved this while you were editing' }).waitFor();
    expect(await read()).toMatchObject({ revision: 2, description: 'theirs', resource: { connect_timeout: '1s' } });
    await close();
  });
});

describe('two people who edit the same service', () => {
  it('both keep their changes, after the second one compared them', async () => {
    const owner = await Owner.of(stage);
    const query = { project: owner.project };
    const [demo] = (await owner.call(serviceRoutes.list, { query })).items;
    if (!demo) throw new Error('the stage has no service');
    const whole = await owner.call(serviceRoutes.read, { params: { service_id: demo.id }, query });
    const service = `edited-service-${randomUUID().slice(0, 8)}`;
    const shield = { threads: 1, xff_trusted_hops: 0 };
    const { version, bootstrap } = whole;
    const body = { name: service, version, bootstrap, listeners: [], policies: [], shield, clients: [] };
    const { id } = await owner.call(serviceRoutes.create, { query, body });
    const params = { service_id: id };

    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/services/${id}/edit`);
    const review = page.getByRole('button', { name: 'Review', exact: true });
    await page.getByRole('textbox', { name: 'Name' }).fill(`${service}-mine`);
    await review.click();
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    const theirs = { ...shield, xff_trusted_hops: 2 };
    await owner.call(serviceRoutes.patch, { params, query, body: { shield: theirs } });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Apply my changes on top of theirs' }).click();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(`${service}-mine`);
    await review.click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: `${service}-mine` }).waitFor();
    expect(await owner.call(serviceRoutes.read, { params, query })).toMatchObject({
      name: `${service}-mine`,
      shield: theirs,
      revision: 3,
    });
    expect(complaints).toEqual([]);
    await close();
  });
});
