import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { look, PROJECT, type Stage } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = (await shareFurnishedStage()).stage;
});

const PATH = `/p/${PROJECT}/shield/filters`;

async function openDemo(page: Page) {
  await page.getByRole('link', { name: 'demo', exact: true }).press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Filter' });
  await drawer.waitFor();
  return drawer;
}

describe('the status of a filter', () => {
  it.each(['light', 'dark'] as const)('shows its files and its log in the %s theme', async (scheme) => {
    const { page, complaints, close } = await stage.open(PATH, { scheme });
    const drawer = await openDemo(page);
    await drawer.getByText('demo-policy.yaml').waitFor();
    await drawer.getByText(/serving, process \d+/).waitFor();
    expect((await drawer.locator('pre').textContent()) ?? '').not.toBe('');
    await look(page, `filter-status-${scheme}`);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('is read again after the policies are sent again', async () => {
    const { page, close } = await stage.open(PATH);
    await page.getByRole('button', { name: 'Send policies again' }).click();
    const question = page.getByRole('dialog', { name: 'Send the policies to all filters again?' });
    await look(page, 'filter-status-question');
    await question.getByRole('button', { name: 'Send policies again' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByText(/^Sent to \d+ filters?/).waitFor();
    await expect
      .poll(async () => {
        const { body } = await stage.fleet.api('GET', '/api/op/commands?type=SHIELD&limit=1');
        return body.items[0]?.outcome;
      })
      .toBe('done');
    await page.getByText('Current', { exact: true }).first().waitFor();
    await close();
  });

  it('says that a filter is not in the list', async () => {
    const { page, close } = await stage.open(`${PATH}?filter=nobody`);
    await page.getByText('This filter is not in the list').waitFor();
    await close();
  });
});
