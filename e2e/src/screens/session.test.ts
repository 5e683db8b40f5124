import { beforeAll, describe, expect, it } from 'vitest';
import { shareFurnishedStage } from './shared-stage.ts';
import { expectAccessible, look, PROJECT, type Stage, settle, signIn, takePicture } from './stage.ts';

let stage: Stage;

beforeAll(async () => {
  ({ stage } = await shareFurnishedStage());
});

const OVERVIEW = `/p/${PROJECT}/overview`;

describe('signing in', () => {
  it('leads to the requested page, and reports a wrong password', async () => {
    const { page, complaints, close } = await stage.open(`/p/${PROJECT}/resources/clusters?q=demo`, {
      user: undefined,
    });
    await page.getByLabel('User name').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Sign-in failed').waitFor();
    await takePicture(page, 'sign-in-refused');
    await expectAccessible(page, 'sign-in with an error');
    await signIn(page, await stage.admin());
    await page.getByRole('link', { name: 'demo-upstream' }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=demo');
    expect(complaints).toEqual([]);
    await close();
  });

  it('hides the session from scripts', async () => {
    const { page, close } = await stage.open(OVERVIEW);
    await page.getByRole('banner').waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(stored).not.toMatch(/eyJ|csrf/);
    // One request for the answer, one for another session.
    const cookies = await page.context().cookies();
    const closed = { httpOnly: true, sameSite: 'Strict' };
    expect(cookies).toMatchObject([closed, closed]);
    await close();
  });

  it('runs under a policy that allows no inline script', async () => {
    const { page, complaints, close } = await stage.open(OVERVIEW);
    await page.getByRole('banner').waitFor();
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.inlineRan = true';
      document.head.append(script);
      return 'inlineRan' in globalThis;
    });
    expect(ran).toBe(false);
    expect(complaints.join()).toContain('Content Security Policy');
    await close();
  });

  it('ends the session of the page and the cookie with a sign-out', async () => {
    const { page, close } = await stage.open('/', { user: undefined });
    await signIn(page, await stage.admin());
    const cookies = await page.context().cookies();
    await page.getByRole('button', { name: 'Account of admin' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    const again = await fetch(`${stage.url}/auth/browser/session`, {
      headers: { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') },
    });
    expect(again.status).toBe(401);
    await close();
  });

  it('again after the session was ended elsewhere keeps the page and its unsaved input', async () => {
    const { page, close } = await stage.open('/', { user: undefined });
    await signIn(page, await stage.admin());
    await page.goto(`/p/${PROJECT}/resources/clusters/new?starter=empty`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('typed-before');
    await stage.fleet.api('GET', '/api/v3/profile');
    await endSession(page.context());
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await takePicture(page, 'session-ended');
    await expectAccessible(page, 'a session that has ended');
    await page
      .getByRole('dialog')
      .getByLabel('Password', { exact: true })
      .fill((await stage.admin()).password);
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).first().inputValue()).toBe('typed-before');
    await close();
  });
});

/** Ends the session with its own cookie through the API, as another browser of the same person would. */
async function endSession(context: import('playwright-core').BrowserContext): Promise<void> {
  const answer = await context.request.get('/auth/browser/session');
  const { csrf_token } = await answer.json();
  const sessions = await (await context.request.get('/api/v3/profile/sessions')).json();
  const current = sessions.items.find((session: { current: boolean }) => session.current);
  const ended = await context.request.delete(`/api/v3/profile/sessions/${current.id}`, {
    headers: { 'x-csrf-token': csrf_token },
  });
  expect(ended.status()).toBe(204);
}

describe('the palette', () => {
  it('opens anything by name, by keyboard alone', async () => {
    const { page, complaints, close } = await stage.open(OVERVIEW);
    await page.getByRole('banner').waitFor();
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Search and commands' });
    await input.waitFor();
    await page.keyboard.type('demo-up');
    await page.getByRole('option', { name: /demo-upstream/ }).waitFor();
    await takePicture(page, 'palette');
    await expectAccessible(page, 'the palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /demo-upstream/ }).waitFor();
    await settle(page);
    await page.keyboard.press('Control+k');
    await input.waitFor();
    await page.keyboard.type('create a clu');
    await page.getByRole('option', { name: /cluster/i, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'New cluster' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: /demo-upstream/ }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

it('an owner sees an address from which many accounts were tried, and unlocks it without a mouse', async () => {
  const address = '198.51.100.7';
  // A hundred sign-ins from one address would take minutes, because the API makes it wait for each.
  await stage.fleet.withDatabase(async (db) => {
    const soon = new Date(Date.now() + 3_600_000);
    const row = { account: null, failures: 104, last_at: new Date(), blocked_until: soon };
    await db
      .insertInto('sign_in_attempts')
      .values([
        { ...row, key: `address ${address}` },
        { ...row, key: 'address 2001:db8:7:1::', blocked_until: new Date(0) },
      ])
      .execute();
  });
  const { page, complaints, close } = await stage.open('/settings/sign-in-blocks');
  const row = page.getByRole('row').filter({ hasText: address });
  await row.getByText('Blocked', { exact: true }).waitFor();
  await row.getByRole('cell', { name: '104' }).waitFor();
  await page.getByRole('row').filter({ hasText: '2001:db8:7:1::/64' }).getByText('One attempt allowed').waitFor();
  await look(page, 'sign-in-blocks');
  await page.setViewportSize({ width: 390, height: 844 });
  await look(page, 'sign-in-blocks on a phone');
  await row.getByRole('button', { name: `Unlock ${address}` }).focus();
  await page.keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: `Unlock ${address}?` });
  await question.getByRole('button', { name: 'Unlock' }).focus();
  await look(page, 'sign-in-blocks question');
  await page.keyboard.press('Enter');
  await row.waitFor({ state: 'detached' });
  await page.getByText('2001:db8:7:1::/64', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});
