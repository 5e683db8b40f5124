import { beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, PROJECT, type Stage, settle, takePicture } from './stage.ts';
import { pathOf, readPolicy, storePolicy } from './stored-policies.ts';

let stage: Stage;

beforeAll(async () => {
  ({ stage } = await shareFurnishedStage());
});

const store = (name: string) => storePolicy(stage, name);

describe('a draft', () => {
  it('can be tried before it is saved', async () => {
    await store('drafted');
    const { page, close } = await stage.open(`${pathOf('drafted')}?at=d0`);
    const domain = page.getByRole('region', { name: 'Domain shop.example.com' });
    await domain.getByRole('button', { name: 'Add: API keys' }).first().click();
    await domain.getByRole('button', { name: 'Add a key', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add to the policy' }).click();
    await page.getByText('Valid', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Try a request' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://shop.example.com/x/..//cart?token=of-mine');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('Blocked: the client gets 403').waitFor();
    await page.getByText('By your draft, not the saved policy.').waitFor();
    await page.getByText('/cart', { exact: true }).first().waitFor();
    expect(page.url()).not.toContain('of-mine');
    expect((await readPolicy(stage, 'drafted')).revision).toBe(1);
    await close();
  });
});

describe('a trial', () => {
  it('does not confuse a host with a path, and shows the request that it explains', async () => {
    await store('tried');
    const { page, close } = await stage.open(`${pathOf('tried')}?tab=try`);
    const url = page.getByRole('textbox', { name: 'URL' });
    await url.fill('shop.example.com/cart');
    await page.getByText(/^Start with https/).waitFor();
    expect(await page.getByRole('button', { name: 'Try it' }).isDisabled()).toBe(true);
    await expectAccessible(page, 'a trial without a scheme');
    await url.fill('https://shop.example.com/cart');
    await url.press('Enter');
    await page.getByText('Allowed', { exact: true }).waitFor();
    await url.fill('https://shop.example.com/open');
    const old = page.getByText('The request has changed: try again');
    await old.waitFor();
    await page.getByText('GET https://shop.example.com/cart').waitFor();
    await expectAccessible(page, 'a trial of another request');
    await takePicture(page, 'policy-trial-changed');
    await url.press('Enter');
    await old.waitFor({ state: 'detached' });
    await close();
  });
});

describe('a request that the filter blocks', () => {
  it('is among the events within seconds, and can be found, opened and tried', async () => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/shield/events`);
    await stage.fleet.until(
      async () => (await stage.fleet.request('/api/seen-on-screen', { 'x-api-key': 'wrong' })).status === 403,
      'a request is blocked',
    );
    const row = page.getByRole('row').filter({ hasText: '/api/seen-on-screen' }).first();
    await row.waitFor();
    await settle(page);
    await expectAccessible(page, 'events');
    await takePicture(page, 'shield-events with a request');

    await page.getByRole('button', { name: /^apikey.unknown/ }).click();
    await page.waitForURL(/reason=apikey.unknown/);
    await page.getByRole('searchbox').fill('no-such-path');
    await page.getByText('Nothing matches these filters').waitFor();
    await page.getByRole('searchbox').fill('seen-on-screen');
    await row.getByRole('link', { name: /seen-on-screen/ }).click();
    const drawer = page.getByRole('dialog', { name: 'The key is unknown' });
    await drawer.getByText('Blocked 403').waitFor();
    await settle(page);
    await expectAccessible(page, 'an event');
    await takePicture(page, 'shield-event');
    await page.reload();
    await drawer.waitFor();
    await drawer.getByRole('link', { name: 'Try this request' }).click();
    await page.getByRole('heading', { level: 1, name: 'Try a request' }).waitFor();
    // The record has no headers, so the missing key blocks the trial.
    await page.getByText('Blocked: the client gets 403').waitFor();
    await page.getByText('apikey.missing').first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('is one link away from the overview and from the policy', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/overview`);
    await page.getByRole('link', { name: /\d+ blocked/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Filter events' }).waitFor();
    await page.getByRole('row').filter({ hasText: '/api/seen-on-screen' }).first().waitFor();
    await page.goto(`${pathOf('demo-policy')}?tab=traffic`);
    await page.getByRole('link', { name: 'apikey.unknown' }).click();
    await page.waitForURL(/policy=demo-policy&reason=apikey.unknown/);
    await page.getByRole('row').filter({ hasText: '/api/seen-on-screen' }).first().waitFor();
    await close();
  });
});

describe('a replay', () => {
  const RECORDS = ['/cart', '/open/a', '/cart'].map((path, second) =>
    JSON.stringify({
      method: 'GET',
      url: `https://shop.example.com${path}`,
      source_ip: '203.0.113.9',
      status: 200,
      time: `2026-03-01T10:00:0${second}.000Z`,
    }),
  );

  it('shows before saving which requests of a file would get another verdict, and what the file lacks', async () => {
    await store('replayed');
    const { page, complaints, close } = await stage.open(`${pathOf('replayed')}?at=d0`);
    const domain = page.getByRole('region', { name: 'Domain shop.example.com' });
    await domain.getByRole('button', { name: 'Add: Tokens (JWT)' }).first().click();
    await domain.getByRole('button', { name: 'Remove: Tokens (JWT)' }).click();
    await domain.getByRole('button', { name: 'Rate limit', exact: true }).click();
    await domain.getByRole('textbox', { name: 'Requests per second' }).fill('0.001');
    await domain.getByRole('textbox', { name: 'Burst' }).fill('1');
    await page.getByText('Valid', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    const replay = page.getByRole('dialog').getByRole('region', { name: 'Replay' });
    const file = page.waitForEvent('filechooser');
    await replay.getByRole('button', { name: 'Replay a file' }).click();
    await (await file).setFiles({
      name: 'requests.jsonl',
      mimeType: 'application/json',
      buffer: Buffer.from([...RECORDS, 'no request'].join('\n')),
    });
    await replay.getByText('2 of 3 requests would get a different verdict from the saved policy.').waitFor();
    await replay.getByText('1 line could not be parsed.').waitFor();
    await replay.getByText('2 newly blocked').waitFor();
    await settle(page);
    await expectAccessible(page, 'a replay');
    await takePicture(page, 'policy-replay');
    await replay
      .getByRole('button', { name: /^Try GET/ })
      .first()
      .click();
    await page.getByRole('tab', { name: 'Try a request', selected: true }).waitFor();
    await page.getByText('By your draft, not the saved policy.').waitFor();
    expect(await page.getByRole('textbox', { name: 'URL' }).inputValue()).toMatch(/^https:\/\/shop\.example\.com\//);
    expect(complaints).toEqual([]);
    await close();
  });
});
