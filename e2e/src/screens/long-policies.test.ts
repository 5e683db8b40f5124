import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import type { Stage } from './stage.ts';
import { pathOf } from './stored-policies.ts';

let stage: Stage;

beforeAll(async () => {
  ({ stage } = await shareFurnishedStage());
});

/** Waits until the element is on the screen, not only in the page. */
async function expectInView(target: Locator): Promise<void> {
  const isInView = async () => {
    const box = (await target.count()) === 1 ? await target.boundingBox() : null;
    const height = target.page().viewportSize()?.height ?? 0;
    return box !== null && box.y >= 0 && box.y + box.height <= height;
  };
  await expect.poll(isInView).toBe(true);
}

describe('form and text of a policy of two hundred domains lead to each other', () => {
  const LONG = 'long';
  const line = (page: Page, host: number) => page.locator('.cm-line').filter({ hasText: `host-${host}.` });
  const domainOf = (page: Page, host: number) =>
    page.getByRole('region', { name: new RegExp(`^Domain host-${host}\\.`) });

  beforeAll(async () => {
    const domains = Array.from({ length: 200 }, (_, index) =>
      [
        `    - hosts: [host-${index}.a-department-of-the-shop.example.com, host-${index}.another-department.example.com]`,
        '      policy:',
        `        engines: { rate_limit: { requests_per_second: ${index + 1} } }`,
      ].join('\n'),
    );
    const text = `apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: ${LONG} }\nspec:\n  domains:\n${domains.join('\n')}\n`;
    const made = await stage.fleet.api('POST', '/api/v3/shield/policies', { name: LONG, text });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  });

  it('from a link', async () => {
    const { page, close } = await stage.open(`${pathOf(LONG)}?at=d150`);
    await domainOf(page, 150).waitFor();
    await expectInView(page.getByRole('button', { name: 'Remove the domain' }));
    await expectInView(line(page, 150));
    await page.getByRole('button', { name: /host-20\./ }).click();
    await expectInView(line(page, 20));
    await close();
  });

  it('when the editor is loaded late', async () => {
    const { page, close } = await stage.open(pathOf('demo-policy'));
    const { promise: isAllowed, resolve: allow } = Promise.withResolvers<void>();
    await page.route('**/assets/*.js', async (route) => {
      const response = await route.fetch();
      if ((await response.text()).includes('cm-lineWrapping')) await isAllowed;
      await route.fulfill({ response });
    });
    // The page may ask for the editor before it has loaded: to wait for that would be to wait for the editor.
    await page.goto(`${pathOf(LONG)}?at=d150`, { waitUntil: 'commit' });
    await domainOf(page, 150).waitFor();
    await page.getByRole('button', { name: /host-20\./ }).click();
    await domainOf(page, 20).getByRole('button', { name: 'Remove the domain' }).waitFor();
    allow();
    await expectInView(line(page, 20));
    await close();
  });
});
