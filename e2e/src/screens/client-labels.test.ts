import { createId } from '@flotilla/kit';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Places } from './furnish.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage, type StagePage } from './stage.ts';

const HOSTILE = `<img src=x onerror="document.title='hit'"> "a"='b'`;

let stage: Stage;
let places: Places;
let opened: StagePage | undefined;
/** Unique for each attempt. */
let key: string;

beforeAll(async () => {
  ({ stage, places } = await shareFurnishedStage());
  key = `e2e-${createId().slice(-8)}`;
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  await opened?.close();
  opened = undefined;
});
afterAll(() => setLabels({ [key]: null, [`${key}-2`]: null }));

async function open(path: string): Promise<Page> {
  opened = await stage.open(`/p/${PROJECT}/${path}`);
  return opened.page;
}

function setLabels(labels: Record<string, string | null>) {
  return stage.fleet.api('PATCH', `/api/op/clients/${places.client}/labels`, { labels });
}

describe('the page of a client', () => {
  it('shows facts with where they come from, and what the host can do', async () => {
    const page = await open(`clients/${places.client}`);
    const cloud = page.getByRole('region', { name: 'Cloud' });
    await cloud.getByText('Not detected').waitFor();
    await cloud.getByText('--cloud-detection off').waitFor();
    const host = page.getByRole('region', { name: 'Host' });
    await host.getByText(/No process is named|process bgpd|process gobgpd|hidden from the agent/).waitFor();
    const capabilities = page.getByRole('region', { name: 'Capabilities' });
    await capabilities.getByText('Run Envoy').waitFor();
    await capabilities.getByText('Run the filter').waitFor();
    // Others depend on the programs of this host.
    expect(await capabilities.getByText('Available').count()).toBeGreaterThanOrEqual(2);
    await look(page, 'client-facts-light');
  });

  it('changes labels, names what is wrong with them, and shows them as text', async () => {
    const page = await open(`clients/${places.client}`);
    const labels = page.getByRole('region', { name: 'Labels' });
    await labels.getByRole('button', { name: 'Edit labels' }).click();
    const form = page.getByRole('dialog', { name: 'Labels' });
    const input = form.getByRole('textbox', { name: 'Labels' });
    const before = await input.inputValue();
    await input.fill(`${before}\nNot a label`);
    await form.getByText('is not KEY=VALUE').waitFor();
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    // Somebody else sets one meanwhile; it must stay.
    await setLabels({ [`${key}-2`]: 'theirs' });
    await input.fill(`${before}\n${key}=${HOSTILE}`);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'hidden' });
    const table = page.getByRole('table', { name: 'Labels of this client' });
    await table
      .getByRole('row', { name: `${key} ` })
      .getByText(HOSTILE)
      .waitFor();
    await table
      .getByRole('row', { name: `${key}-2` })
      .getByText('theirs')
      .waitFor();
    await look(page, 'client-labels-light');
    expect(await page.title()).not.toBe('hit');
  });

  it('leads to the list of clients with the same label, which can be narrowed by hand, too', async () => {
    await setLabels({ [key]: 'here' });
    const page = await open(`clients/${places.client}`);
    await page.getByRole('link', { name: `Show the clients with ${key}=here` }).click();
    const row = page.getByRole('row', { name: new RegExp(`${key}=here`) });
    await row.waitFor();
    expect(page.url()).toContain('label=');
    await page.goto(page.url().replace(/label=[^&]*/, `label=${key}%3Delsewhere`));
    await page.getByRole('button', { name: /Remove filter Label/ }).waitFor();
    await row.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('textbox', { name: 'Label (KEY=VALUE or KEY)' }).fill(key);
    await page.keyboard.press('Enter');
    await row.waitFor();
  });
});

describe('the form that enrols a client', () => {
  it('gives labels to the token', async () => {
    const page = await open('clients?enrol=new');
    const form = page.getByRole('dialog', { name: 'Enrol a client' });
    await form.getByRole('textbox', { name: 'Note' }).fill(key);
    await form.getByRole('textbox', { name: 'Labels' }).fill(`${key}=token`);
    await form.getByRole('button', { name: 'Create token' }).click();
    await form.getByText('Waiting for the host').waitFor();
    const { body } = await stage.fleet.api('GET', `/api/v3/setting/enrolment-tokens?q=${key}`);
    expect(body.items).toMatchObject([{ note: key, labels: { [key]: 'token' } }]);
    await stage.fleet.api('DELETE', `/api/v3/setting/enrolment-tokens/${body.items[0].id}`);
  });
});
