import { createHmac } from 'node:crypto';
import { settingRoutes, userRoutes } from '@flotilla/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Owner } from './owner.ts';
import { expectAccessible, PROJECT, Stage, settle, signIn, takePicture } from './stage.ts';

let stage: Stage;
let owner: Owner;
/** Passkeys belong to host names: the URL of the same controller with the name localhost. */
let url: string;

beforeAll(async () => {
  stage = await Stage.open();
  owner = await Owner.of(stage);
  url = stage.url.replace('127.0.0.1', 'localhost');
});
afterAll(() => stage?.close());

const GIVEN = 'handed over at the door';
const OWN = 'rowing a boat at dawn';

async function addNewcomer(username: string): Promise<void> {
  const memberships = [{ project: owner.project, role: 'editor' as const }];
  await owner.call(userRoutes.create, { query: {}, body: { username, password: GIVEN, memberships } });
}

async function type(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Adds an authenticator to this page that is always unlocked. */
async function plugIn(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function signOut(page: Page, username: string): Promise<void> {
  await page.getByRole('button', { name: `Account of ${username}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
}

describe('a new user', () => {
  it('changes the initial password, sets up a code, signs in with it, then with a passkey', async () => {
    await owner.call(settingRoutes.patch, {
      params: { key: 'general' },
      query: {},
      body: { public_url: url },
    });
    await addNewcomer('nina');
    const { page, complaints, close } = await stage.open(`${url}/p/${PROJECT}/overview`, { user: undefined });
    await plugIn(page);

    await type(page, 'nina', GIVEN);
    const form = page.getByRole('form', { name: 'Choose your password' });
    await form.waitFor();
    await page.reload();
    await form.waitFor();
    await form.getByLabel('Temporary password').fill(GIVEN);
    await form.getByLabel('New password', { exact: true }).fill(GIVEN);
    await form.getByRole('button', { name: 'Continue' }).click();
    await form.getByText('it is the current one').waitFor();
    await takePicture(page, 'first-password');
    await expectAccessible(page, 'the first password');
    await form.getByLabel('New password', { exact: true }).fill(OWN);
    await form.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    await page.goto(`${url}/profile`);
    await page.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill(OWN);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('img', { name: /QR code/ }).waitFor();
    await takePicture(page, 'second-factor-set-up');
    const secret = (await dialog.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
    const [backupCode = '', another = ''] = await dialog.locator('li.mono').allTextContents();
    await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret, 0));
    await dialog.getByRole('button', { name: 'Switch on' }).click();
    await dialog.waitFor({ state: 'detached' });

    await signOut(page, 'nina');
    await type(page, 'nina', OWN);
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('The code is wrong').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('banner').waitFor();

    // Without the phone, by keyboard alone; each backup code works once.
    for (const isGood of [true, false]) {
      await signOut(page, 'nina');
      await type(page, 'nina', OWN);
      await page.getByRole('button', { name: 'Use a backup code' }).press('Enter');
      await page.getByLabel('Backup code').fill(backupCode);
      await page.keyboard.press('Enter');
      if (isGood) {
        await page.getByRole('banner').waitFor();
        continue;
      }
      await page.getByText('The code is wrong').waitFor();
      await takePicture(page, 'backup-code-again');
      await expectAccessible(page, 'a backup code that was used before');
      await page.getByLabel('Backup code').fill(another);
      await page.keyboard.press('Enter');
      await page.getByRole('banner').waitFor();
    }

    await page.goto(`${url}/profile`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('blue key');
    await page.getByRole('dialog').getByLabel('Current password').fill(OWN);
    await takePicture(page, 'passkey-add');
    await expectAccessible(page, 'adding a passkey');
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('list', { name: 'Your passkeys' }).getByText('blue key').waitFor();
    await page.getByRole('button', { name: 'Rename the passkey blue key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('green key');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('list', { name: 'Your passkeys' }).getByText('green key').waitFor();
    await settle(page);
    await takePicture(page, 'profile-with-factors');
    await expectAccessible(page, 'a profile with a passkey');

    // As the only factor, without name and password.
    await signOut(page, 'nina');
    await takePicture(page, 'sign-in-with-passkey');
    await expectAccessible(page, 'signing in with a passkey');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: 'Account of nina' }).waitFor();

    // As the second factor, instead of the code.
    await signOut(page, 'nina');
    await type(page, 'nina', OWN);
    await page.getByRole('button', { name: 'Use the passkey' }).waitFor();
    await takePicture(page, 'second-factor');
    await expectAccessible(page, 'the second factor');
    await page.getByRole('button', { name: 'Use the passkey' }).click();
    await page.getByRole('button', { name: 'Account of nina' }).waitFor();

    await page.goto(`${url}/profile`);
    await page.getByRole('button', { name: 'Remove the passkey green key' }).click();
    await page.getByRole('dialog').getByLabel('Current password').fill(OWN);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('list', { name: 'Your passkeys' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  it('a change of the address asks an owner first if it locks out people who have only a passkey', async () => {
    await owner.call(settingRoutes.patch, { params: { key: 'general' }, query: {}, body: { public_url: url } });
    const otto = await owner.addMember('editor');
    const theirs = await stage.open(`${url}/profile`, { user: undefined });
    await plugIn(theirs.page);
    await type(theirs.page, otto.username, otto.password);
    await theirs.page.getByRole('button', { name: 'Add a passkey' }).click();
    await theirs.page.getByRole('dialog').getByLabel('Name').fill('only key');
    await theirs.page.getByRole('dialog').getByLabel('Current password').fill(otto.password);
    await theirs.page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
    await theirs.page.getByRole('list', { name: 'Your passkeys' }).getByText('only key').waitFor();
    await theirs.close();

    const { page, complaints, close } = await stage.open('/settings');
    const address = page.getByLabel('Public address');
    await address.fill('https://elsewhere.example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the public address?' });
    await dialog.getByText('1 user signs in with passkeys for localhost').waitFor();
    await settle(page);
    await takePicture(page, 'another-address');
    await expectAccessible(page, 'the question before another address');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await address.inputValue()).toBe('https://elsewhere.example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Change the address' }).click();
    await page.getByText('General: saved').waitFor();
    expect(complaints).toEqual([]);
    await close();
    await owner.call(userRoutes.patch, { params: { user_id: otto.id }, query: {}, body: { active: false } });
  });

  it('sees only the ways to sign in that this installation has', async () => {
    await owner.call(settingRoutes.patch, { params: { key: 'general' }, query: {}, body: { public_url: null } });
    const { page, close } = await stage.open('/', { user: undefined });
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('button').allTextContents()).toEqual(expect.not.arrayContaining(['Use a passkey']));
    await signIn(page, await stage.admin());
    await page.goto('/profile');
    await page.getByText('An owner can set it in the general settings').waitFor();
    await close();
  });

  // This test is the last one, because it uses up the attempts of the address.
  it('is shown how long to wait after too many attempts, but not whether the name exists', async () => {
    await addNewcomer('oskar');
    for (const name of ['oskar', 'nobody-of-this-name']) {
      const { page, close } = await stage.open('/', { user: undefined });
      const statuses: number[] = [];
      while (statuses.length < 20 && statuses.at(-1) !== 429) {
        const answered = page.waitForResponse((response) => response.url().endsWith('/auth/browser/login'));
        await type(page, name, `guess ${statuses.length}`);
        statuses.push((await answered).status());
        await page.getByRole('alert').waitFor();
      }
      // Tests of the API cover the number of attempts; earlier tests may have used some.
      expect(statuses.slice(0, -1)).toEqual(statuses.slice(0, -1).map(() => 401));
      expect([statuses.length > 1, statuses.at(-1)]).toEqual([true, 429]);
      await takePicture(page, 'sign-in-throttled');
      await page.getByText('You can try again now.').waitFor();
      await close();
    }
  });
});

/** Computes a six-digit code (RFC 6238, SHA-1, 30 s) for a base32 key, `steps` after now. */
function codeOf(secret: string, steps: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((one) => alphabet.indexOf(one).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 0xf) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}
