import { beforeAll, describe, expect, it } from 'vitest';
import { chooseView, open, row, storeCluster, textOf } from './document-form.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, PROJECT, type Stage, takePicture } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  ({ stage } = await shareFurnishedStage());
});

describe('the code', () => {
  it('keeps the order of the keys that are typed faster than a slow machine renders', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/resources/clusters/new?view=yaml`);
    const code = page.getByRole('textbox', { name: 'Document' });
    await code.click();
    const browser = await page.context().newCDPSession(page);
    await browser.send('Emulation.setCPUThrottlingRate', { rate: 10 });
    const typed = 'name: typed-while-the-page-was-busy';
    await Promise.all([...typed].map((key) => page.keyboard.type(key)));
    await browser.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    await expect.poll(() => page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe(typed.slice(6));
    expect(await code.textContent()).toBe(typed);
    await close();
  });

  it('adopts the name that was written in the code', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/resources/clusters/new?view=yaml`);
    const code = page.getByRole('textbox', { name: 'Document' });
    await code.click();
    await page.keyboard.type('name: from-code');
    await expect.poll(() => page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('from-code');
    await chooseView(page, 'Form');
    await row(page, 'connect_timeout').waitFor();
    expect(await row(page, 'name').count()).toBe(0);
    await close();
  });

  for (const view of ['yaml', 'json'] as const) {
    it(`completes and explains the names in ${view.toUpperCase()}`, async () => {
      const { page, complaints, close } = await stage.open(
        `${await storeCluster(stage, `coded-${view}`)}?view=${view}`,
      );
      const code = page.getByRole('textbox', { name: 'Document' });
      await code.getByText('connect_timeout').hover();
      const card = page.locator('.cm-tooltip-hover');
      await card.getByText('Duration').first().waitFor();
      expect(await card.getByRole('link', { name: 'Documentation' }).getAttribute('href')).toContain('connect-timeout');
      await code.click();
      await page.keyboard.press(view === 'yaml' ? 'Control+End' : 'Control+Home');
      if (view === 'json') await page.keyboard.press('End');
      await page.keyboard.type(view === 'yaml' ? '\nlb_pol' : '\n"lb_pol');
      const options = page.getByRole('listbox', { name: 'Completions' });
      await options
        .getByRole('option', { name: /^lb_policy/ })
        .first()
        .waitFor();
      await takePicture(page, `completion-${view}`);
      await expectAccessible(page, `completion in ${view}`);
      await page.keyboard.press('Enter');
      await code.getByText('lb_policy').waitFor();
      expect(complaints).toEqual([]);
      await close();
    });
  }
});

describe('the form beside the code', () => {
  it('keeps its state and its undo history while the code is shown', async () => {
    const { page, close } = await stage.open(await storeCluster(stage, 'looked-at'));
    await open(page, 'circuit_breakers');
    await textOf(page, 'connect_timeout').fill('4s');
    await chooseView(page, 'YAML');
    await page.getByRole('textbox', { name: 'Document' }).getByText('4s').waitFor();
    await chooseView(page, 'Form');
    const header = row(page, 'circuit_breakers').locator('button[aria-expanded]').first();
    await header.waitFor();
    expect(await header.getAttribute('aria-expanded')).toBe('true');
    await header.press('Control+z');
    await expect.poll(() => textOf(page, 'connect_timeout').inputValue()).toBe('1s');
    await close();
  });
});
