import { createHash } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { lookEverywhere } from './everywhere.ts';
import type { Owner } from './owner.ts';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, PROJECT, type Stage, settle, takePicture } from './stage.ts';
import { pathOf, readPolicy, saveReviewed, storePolicy, TEXT } from './stored-policies.ts';

let stage: Stage;
let owner: Owner;

beforeAll(async () => {
  const shared = await shareFurnishedStage();
  stage = shared.stage;
  owner = shared.places.owner;
});

const read = (name: string) => readPolicy(stage, name);
const store = (name: string) => storePolicy(stage, name);

/** Presses a key on the element that a person has navigated to, by keyboard alone. */
async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await target.waitFor();
  await target.focus();
  await page.keyboard.press(key);
}

describe('a policy created with the form, by keyboard alone', () => {
  it('admits requests with its key, and its text contains only the SHA-256 of the key', async () => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/policies/new?starter=empty`);
    await page.getByRole('textbox', { name: 'Name' }).first().focus();
    await page.keyboard.type('by-keyboard');
    await press(page, page.getByRole('button', { name: 'Add a domain' }));
    const hosts = page.getByRole('combobox', { name: 'Hosts' });
    await hosts.focus();
    await page.keyboard.type('keys.example.com');
    await page.keyboard.press('Enter');
    await press(page, page.getByRole('button', { name: 'Add: API keys' }));
    await press(page, page.getByRole('button', { name: 'Add a key', exact: true }));
    const dialog = page.getByRole('dialog', { name: 'Add an API key' });
    const key = ((await dialog.locator('pre').textContent()) ?? '').trim();
    expect(key).toMatch(/^flk_/);
    await dialog.getByRole('textbox', { name: 'Subject' }).focus();
    await page.keyboard.type('robot');
    await expectAccessible(page, 'adding a key');
    await takePicture(page, 'policy-add-key');
    await press(page, dialog.getByRole('button', { name: 'Add to the policy' }));
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Valid', { exact: true }).waitFor();
    await expectAccessible(page, 'a policy with a key');
    await press(page, page.getByRole('button', { name: 'Review and create' }));
    await saveReviewed(page, 'Create');

    await page.getByRole('heading', { level: 1, name: 'by-keyboard' }).waitFor();
    const { text } = await read('by-keyboard');
    expect(text).toContain(createHash('sha256').update(key).digest('hex'));
    expect(text).not.toContain(key);

    await page.goto(`${pathOf('by-keyboard')}?tab=try`);
    await page.getByRole('textbox', { name: 'URL' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Blocked: the client gets 403').waitFor();
    await page.getByRole('textbox', { name: 'Headers' }).focus();
    await page.keyboard.type(`X-Api-Key: ${key}`);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Allowed', { exact: true }).waitFor();
    await page.getByText('Subject robot').waitFor();
    expect(page.url()).not.toContain(key);
    await expectAccessible(page, 'a trial');
    expect(complaints).toEqual([]);
    await close();
  });

  it('hashes an existing key in the browser, so that no request carries it', async () => {
    await store('brought');
    const { page, close } = await stage.open(`${pathOf('brought')}?at=d0.r0`);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    const route = page.getByRole('region', { name: 'Route /open' });
    await route.getByRole('button', { name: 'Add: API keys' }).click();
    await route.getByRole('button', { name: 'Add a key', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Add an API key' });
    await dialog.getByText('Use an existing key').click();
    await dialog.getByRole('textbox', { name: 'Key' }).fill('  a key from elsewhere ');
    await dialog.getByRole('button', { name: 'Add to the policy' }).click();
    await page.getByText('Valid', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await saveReviewed(page, 'Save');
    expect((await read('brought')).text).toContain(createHash('sha256').update('a key from elsewhere').digest('hex'));
    expect(sent.filter((each) => each.includes('a key from elsewhere'))).toEqual([]);
    await close();
  });
});

describe('the limits of keys and tokens', () => {
  it('are set in the form and written to the text', async () => {
    await store('used-for');
    const { page, complaints, close } = await stage.open(`${pathOf('used-for')}?at=d0.r0`);
    const route = page.getByRole('region', { name: 'Route /open' });
    await route.getByRole('button', { name: 'Add: API keys' }).click();
    await route.getByRole('button', { name: 'Add a key', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Add an API key' });
    await dialog.getByRole('textbox', { name: 'Subject' }).fill('robot');
    await dialog.getByRole('button', { name: 'Add to the policy' }).click();
    await route.getByRole('button', { name: 'robot', exact: true }).click();
    const methods = route.getByRole('combobox', { name: 'Methods' });
    for (const method of ['POST', 'G@T']) {
      await methods.fill(method);
      await methods.press('Enter');
    }
    await route.getByText('G@T is not a method, such as GET').waitFor();
    await methods.press('Backspace');
    const rate = route.getByRole('textbox', { name: 'Requests per second' });
    await rate.fill('0.5');
    await rate.press('Tab');
    await page.getByText('Valid', { exact: true }).waitFor();
    await route.getByText('POST only').waitFor();
    await route.getByText('0.5 per second').waitFor();
    await expectAccessible(page, 'what a key may be used for');
    await takePicture(page, 'policy-key-rules');
    const bodies = route.getByText('can override the method', { exact: false });
    await bodies.waitFor();
    await route.getByRole('button', { name: 'Read bodies up to 64 KiB' }).click();
    await bodies.waitFor({ state: 'detached' });
    await page.getByText('Valid', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await saveReviewed(page, 'Save');
    const { text } = await read('used-for');
    expect(text).toMatch(/subject: robot.*methods:.*POST.*requests_per_second: 0\.5/s);
    expect(text).toMatch(/inspect_request_body: true/);

    await route.getByRole('button', { name: 'Add: Tokens (JWT)' }).click();
    await route.getByRole('button', { name: 'Add to Required claims by path' }).click();
    const anyOf = route.getByRole('combobox', { name: 'One of' });
    await anyOf.fill('admin');
    await anyOf.press('Enter');
    await page.getByRole('textbox', { name: 'Security policy' }).getByText('any_of').waitFor();
    await expectAccessible(page, 'what a token may be used for');
    await takePicture(page, 'policy-token-rules');
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('the methods of a path', () => {
  it('are chosen or typed in the form, which shows the same as the text', async () => {
    await store('listed-methods');
    const { page, complaints, close } = await stage.open(`${pathOf('listed-methods')}?at=d0.r0`);
    const route = page.getByRole('region', { name: 'Route /open' });
    const written = page.getByRole('textbox', { name: 'Security policy' });
    const allowed = route.getByRole('combobox', { name: 'Allowed methods' });
    await route.getByRole('button', { name: 'Add: Methods' }).click();
    await allowed.waitFor();
    await written.getByText('allow: [GET, HEAD, OPTIONS]').waitFor();
    await page.getByText('Valid', { exact: true }).waitFor();

    const unseen = route.getByText('can override the method', { exact: false });
    expect(await unseen.count()).toBe(0);
    await allowed.click();
    await page.getByRole('option', { name: 'POST' }).click();
    await takePicture(page, 'policy-methods-choice');
    await allowed.press('Escape');
    await unseen.waitFor();
    await page.getByText('1 possible mistake', { exact: false }).waitFor();
    await page.getByRole('button', { name: /methods\.allow has a method that a field of a body/ }).waitFor();
    await lookEverywhere(page, 'policy-methods-unseen');
    await route.getByRole('button', { name: 'Read bodies up to 64 KiB' }).click();
    await unseen.waitFor({ state: 'detached' });
    await written.getByText('inspect_request_body: true').waitFor();
    await page.getByText('possible mistake', { exact: false }).waitFor({ state: 'detached' });

    for (const method of ['get', 'G@T']) {
      await allowed.fill(method);
      await allowed.press('Enter');
    }
    await route.getByText('G@T is not a method, such as GET').waitFor();
    await page.getByText('Invalid: 1 error').waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
    await allowed.press('Escape');
    await lookEverywhere(page, 'policy-methods-error');
    for (let left = 6; left > 0; left -= 1) await allowed.press('Backspace');
    await written.getByText('allow: []').waitFor();
    await route.getByText('Needs at least 1 entry').waitFor();
    await takePicture(page, 'policy-methods-empty');
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);

    await allowed.fill('DELETE');
    await allowed.press('Enter');
    await allowed.press('Escape');
    await route.getByRole('button', { name: 'Methods', exact: true }).click();
    await route.getByText('Only these methods: DELETE.').waitFor();
    await page.getByText('Valid', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await saveReviewed(page, 'Save');
    const { text } = await read('listed-methods');
    expect(text).toMatch(/methods:\s+allow:\s+\[\s?DELETE\s?\]/);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('the handling of upgrades', () => {
  it('can be set in the form either way, and removed again', async () => {
    await store('upgrades');
    const { page, complaints, close } = await stage.open(`${pathOf('upgrades')}?at=d0.r0`);
    const route = page.getByRole('region', { name: 'Route /open' });
    const written = page.getByRole('textbox', { name: 'Security policy' });
    await route.getByRole('button', { name: 'Add: GraphQL' }).click();
    await route.getByText('More options', { exact: true }).click();
    const upgrades = route.getByRole('radiogroup', { name: 'Block upgrades' });
    expect(await upgrades.getByRole('radio', { name: 'not set' }).isChecked()).toBe(true);
    for (const choice of ['false', 'true']) {
      await upgrades.getByText(choice, { exact: true }).click();
      await written.getByText(`block_upgrades: ${choice}`).waitFor();
    }
    await expectAccessible(page, 'what happens to upgrades');
    await upgrades.getByText('not set').click();
    await written.getByText('block_upgrades').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('form and text', () => {
  it('are one document: the form changes nothing else, and comments stay', async () => {
    const before = await store('two-views');
    const { page, complaints, close } = await stage.open(`${pathOf('two-views')}?at=d0.r0`);
    const route = page.getByRole('region', { name: 'Route /open' });
    await route.getByText('Inherited from the domain').waitFor();
    await route.getByRole('button', { name: 'Switch off: Rate limit' }).click();
    await route.getByText('Switched off here').waitFor();
    await page.getByRole('textbox', { name: 'Security policy' }).getByText('null').waitFor();
    await page.getByText('Valid', { exact: true }).waitFor();
    await takePicture(page, 'policy-switched-off');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByText('is no longer protected by rate_limit').waitFor();
    await saveReviewed(page, 'Save');
    const { text } = await read('two-views');
    expect(text).toBe(
      before.replace(
        '          policy: {}\n',
        '          policy:\n            engines:\n              rate_limit: null\n',
      ),
    );

    await route.getByRole('button', { name: 'Inherit again: Rate limit' }).click();
    await route.getByText('Inherited from the domain').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('show an error at the field and at the line', async () => {
    await store('wrong');
    const { page, close } = await stage.open(`${pathOf('wrong')}?at=d0`);
    const domain = page.getByRole('region', { name: 'Domain shop.example.com' });
    await domain.getByRole('button', { name: 'Rate limit', exact: true }).click();
    const rate = domain.getByRole('textbox', { name: 'Requests per second' });
    await rate.fill('-2');
    await domain.getByText('Must be greater than 0').waitFor();
    await page.getByText('Invalid: 1 error').waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true);
    await press(page, page.getByRole('button', { name: 'Show', exact: true }));
    await page
      .locator('button:focus')
      .getByText(/requests_per_second/)
      .waitFor();
    await expectAccessible(page, 'a form with an error');
    await takePicture(page, 'policy-error');
    await rate.fill('2.5');
    await page.getByText('Valid', { exact: true }).waitFor();
    await domain.getByText('Must be greater than 0').waitFor({ state: 'detached' });
    expect(await page.locator('.cm-content').textContent()).toContain(
      'requests_per_second: 2.5, key: ip } # one limiter',
    );
    await close();
  });

  it('show a warning less prominently than an error, and it does not prevent saving', async () => {
    await store('careless');
    const { page, close } = await stage.open(`${pathOf('careless')}?at=d0`);
    const code = page.getByRole('textbox', { name: 'Security policy' });
    await code.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(
      TEXT.replace('NAME', 'careless').replace('key: ip }', 'key: ip, header: x-tenant }'),
    );
    await page.getByText(/possible mistake/).waitFor();
    await page
      .getByRole('button', { name: /rate_limit\.header/ })
      .first()
      .waitFor();
    await page.locator('.cm-lint-marker-warning').first().waitFor();
    await page.getByText('Valid', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Review and save' }).isEnabled()).toBe(true);
    await expectAccessible(page, 'a policy with a warning');
    await close();
  });

  it('lead to each other: opening a part of the form moves the cursor in the text', async () => {
    await store('following');
    const { page, close } = await stage.open(pathOf('following'));
    await page.locator('.cm-content').getByText('/open').click();
    await page.waitForURL(/at=d0\.r0/);
    await page.getByRole('region', { name: 'Route /open' }).getByText('Inherited from the domain').waitFor();
    await close();
  });

  it('are shown one at a time on a phone, and the URL says which', async () => {
    const { page, close } = await stage.open(`${pathOf('demo-policy')}?at=d0.r0`, { width: 390, scheme: 'dark' });
    await page.getByRole('region', { name: 'Route /api/' }).waitFor();
    expect(await page.locator('.cm-editor').count()).toBe(0);
    await page.getByRole('radiogroup', { name: 'View' }).getByText('Text').click();
    await page.locator('.cm-editor').waitFor();
    await page.waitForURL(/view=text/);
    await settle(page);
    await expectAccessible(page, 'the text of a policy on a phone');
    await close();
  });

  it('are both read-only for a viewer', async () => {
    const user = await owner.addMember('viewer');
    const { page, close } = await stage.open(`${pathOf('demo-policy')}?at=d0.r1`, { user });
    const route = page.getByRole('region', { name: 'Route /limited/' });
    await route.getByRole('button', { name: 'Rate limit', exact: true }).click();
    expect(await route.getByRole('textbox', { name: 'Requests per second' }).isEditable()).toBe(false);
    expect(
      await page
        .getByRole('main')
        .getByRole('button', { name: /^(Add|Remove|Switch)/ })
        .count(),
    ).toBe(0);
    await close();
  });
});

describe('a new policy', () => {
  it('shows what its starter protects, and what prevents its creation', async () => {
    const { page, close } = await stage.open(`/p/${PROJECT}/policies/new`);
    await page.getByRole('region', { name: 'Domain api.example.com' }).getByText('Requires a valid key').waitFor();
    await page.getByText('Enter a name').waitFor();
    const domain = page.getByRole('button', { name: 'api.example.com' });
    await domain.click();
    expect(await domain.getAttribute('aria-expanded')).toBe('false');
    await domain.click();
    await settle(page);
    await expectAccessible(page, 'a starter');
    await takePicture(page, 'policy-starter');
    await close();
  });

  it('begins a route with a slash that typing replaces', async () => {
    await store('routed');
    const { page, close } = await stage.open(pathOf('routed'));
    await page.getByRole('button', { name: 'Add a route' }).click();
    await page.getByRole('textbox', { name: 'Path prefix' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('/health');
    await page.getByRole('region', { name: 'Route /health' }).waitFor();
    await close();
  });
});
