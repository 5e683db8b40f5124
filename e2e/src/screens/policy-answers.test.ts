import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, type Stage, takePicture } from './stage.ts';
import { pathOf, readPolicy, saveReviewed, storePolicy } from './stored-policies.ts';

let stage: Stage;

beforeAll(async () => {
  ({ stage } = await shareFurnishedStage());
});

describe('form and text', () => {
  it('show the block responses of a domain and of a route, each inherited or replaced as a whole', async () => {
    const original = await storePolicy(stage, 'answers');
    const { page, complaints, close } = await stage.open(`${pathOf('answers')}?at=d0`);
    const answer = (part: Locator) => part.getByRole('radiogroup', { name: 'Response to blocked requests' });
    const domain = page.getByRole('region', { name: 'Domain shop.example.com' });
    await answer(domain).getByText('Custom').click();
    await domain
      .getByRole('radiogroup', { name: 'Response format for blocked requests' })
      .getByText('problem_json')
      .click();
    await domain.getByRole('textbox', { name: 'Challenge realm' }).fill('shop');
    await domain.getByRole('button', { name: '/open', exact: true }).click();
    const route = page.getByRole('region', { name: 'Route /open' });
    await answer(route).getByText('Inherit (problem_json)').waitFor();
    await answer(route).getByText('Custom').click();
    const status = route.getByRole('textbox', { name: 'Status for missing or wrong credentials' });
    await status.fill('401');
    // The field waits for a pause in typing: until then, the page says that the text without the status is valid.
    await status.blur();
    await page.getByText('Valid', { exact: true }).waitFor();
    await expectAccessible(page, 'a route with an answer of its own');
    await takePicture(page, 'policy-own-answer');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await saveReviewed(page, 'Save');
    const { text } = await readPolicy(stage, 'answers');
    expect(text.match(/block_response:[^#]*?realm: shop/g)).toHaveLength(2);
    expect(text.match(/unauthorized_status: 401/g)).toHaveLength(1);

    await answer(route).getByText('Inherit').click();
    await answer(domain).first().getByText('Inherit').click();
    await page.getByText('Valid', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await saveReviewed(page, 'Save');
    const again = await readPolicy(stage, 'answers');
    expect(again.text).not.toMatch(/block_response|realm/);
    for (const comment of original.match(/#.*$/gm) ?? []) expect(again.text).toContain(comment);
    expect(complaints).toEqual([]);
    await close();
  });
});
