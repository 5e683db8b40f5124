import { settingRoutes } from '@flotilla/contract';
import { isFullTier, type LdapServer, startLdapServer } from '@flotilla/testkit';
import {
  OIDC_CLIENT_ID,
  OIDC_CLIENT_SECRET,
  type OidcProvider,
  startOidcProvider,
} from '@flotilla/testkit/oidc-provider';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Owner } from './owner.ts';
import { expectAccessible, PROJECT, Stage, settle, takePicture } from './stage.ts';

const PASSWORD = 'In-The-Directory-7';
const ENTRIES = `
dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: uid=lena,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
cn: lena
sn: lena
uid: lena
userPassword: ${PASSWORD}

dn: cn=operators,dc=example,dc=org
objectClass: groupOfNames
cn: operators
member: uid=lena,ou=people,dc=example,dc=org
`;

let stage: Stage;
let owner: Owner;
let provider: OidcProvider;
let ldap: LdapServer;

beforeAll(async () => {
  stage = await Stage.open();
  owner = await Owner.of(stage);
  provider = await startOidcProvider([`${stage.url}/auth/oidc/corp/callback`]);
  ldap = await startLdapServer(ENTRIES);
  const rule = { project: owner.project, role: 'editor' as const };
  const patch = (key: string, body: Record<string, unknown>) =>
    owner.call(settingRoutes.patch, { params: { key }, query: {}, body });
  await patch('general', { public_url: stage.url });
  await patch('ldap', {
    enabled: true,
    title: 'Example Inc.',
    servers: [{ url: ldap.tlsUrl }],
    ca: ldap.ca,
    bind_dn: ldap.bindDn,
    bind_password: ldap.bindPassword,
    base_dn: ldap.baseDn,
    groups: { from: 'search' },
    mapping: { rules: [{ ...rule, group: 'operators' }] },
  });
  for (const [name, title, issuer] of [
    ['corp', 'corp accounts', provider.issuer],
    ['gone', 'gone accounts of everybody at the subsidiary by the sea', 'http://localhost:1'],
  ])
    await owner.call(settingRoutes.replaceNamed, {
      params: { key: 'oidc', name: name ?? '' },
      query: {},
      body: {
        enabled: true,
        title: title ?? '',
        issuer,
        client_id: OIDC_CLIENT_ID,
        client_secret: OIDC_CLIENT_SECRET,
        mapping: { rules: [{ ...rule, group: 'operators' }] },
      },
    });
});
afterAll(async () => {
  await stage?.close();
  await Promise.all([provider?.close(), ldap?.close()]);
});

const there = `/p/${PROJECT}/resources/clusters?q=demo`;

async function openAnonymous(options: { scheme?: 'dark'; width?: 390 } = {}) {
  const opened = await stage.open(there, { user: undefined, ...options });
  await opened.page.getByRole('link', { name: 'Sign in with corp accounts' }).waitFor();
  return opened;
}

/** Navigates to the element with this name and presses it, by keyboard alone. */
async function pressOn(page: Page, name: string): Promise<void> {
  for (let step = 0; step < 20; step += 1) {
    const focused = await page.evaluate(() => document.activeElement?.textContent ?? '');
    if (focused === name) return page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not move the focus to ${name}`);
}

describe('a user of a provider', () => {
  it('signs in there by keyboard, and comes back to the requested page', async () => {
    provider.person = { sub: 'paul', preferred_username: 'paul', groups: ['operators'] };
    const { page, complaints, close } = await openAnonymous();
    await pressOn(page, 'Sign in with corp accounts');
    await page.getByRole('button', { name: 'Account of paul' }).waitFor();
    await page.getByRole('link', { name: 'demo-upstream' }).waitFor();
    expect(`${new URL(page.url()).pathname}${new URL(page.url()).search}`).toBe(there);
    expect(new URL(page.url()).hash).toBe('');
    expect(complaints).toEqual([]);
    await close();
  });

  it('sees the reason if none of their groups has a role, and the address does not keep it', async () => {
    provider.person = { sub: 'greta', preferred_username: 'greta', groups: [] };
    const { page, complaints, close } = await openAnonymous();
    await page.getByRole('link', { name: 'Sign in with corp accounts' }).click();
    await page.getByText('none of your groups has access').waitFor();
    expect(new URL(page.url()).hash).toBe('');
    await takePicture(page, 'sign-in-no-access');
    await expectAccessible(page, 'a sign-in at a provider that gives no access');
    expect(complaints).toEqual([]);
    await close();
  });

  it('sees that a provider is unavailable, and signs in another way', async () => {
    const { page, close } = await openAnonymous();
    await page.getByRole('link', { name: 'Sign in with gone accounts' }).click();
    await page.getByText('The provider does not answer').waitFor();
    await takePicture(page, 'sign-in-provider-away');
    await expectAccessible(page, 'a provider that is away');
    await page.getByLabel('Account').selectOption('ldap');
    await page.getByLabel('User name').fill('lena');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Account of lena' }).waitFor();
    await close();
  });

  it('is not signed in by a link from somebody else, because the address is not trusted', async () => {
    const news = encodeURIComponent(JSON.stringify({ kind: 'error', code: 'sign_in.no_access' }));
    const { page, close } = await stage.open(`${there}#sign-in=${news}`, { user: undefined });
    await page.getByText('That sign-in was not started in this tab').waitFor();
    await close();
  });
});

describe('a user of a directory', () => {
  it('selects it, sees the usual message for a wrong password, and then has the role of their group', async () => {
    const { page, complaints, close } = await openAnonymous();
    await page.getByLabel('Account').selectOption('ldap');
    await page.getByLabel('User name').fill('lena');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Sign-in failed').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Account of lena' }).waitFor();
    await page.getByRole('link', { name: 'demo-upstream' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it('sees that the directory is unavailable, while local accounts still sign in', async () => {
    await ldap.stop();
    const { page, close } = await openAnonymous();
    await page.getByLabel('Account').selectOption('ldap');
    await page.getByLabel('User name').fill('lena');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('The directory does not answer').waitFor();
    await takePicture(page, 'sign-in-directory-away');
    await expectAccessible(page, 'a directory that is away');
    await page.getByLabel('Account').selectOption('local');
    const { username, password } = await stage.admin();
    await page.getByLabel('User name').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Account of ${username}` }).waitFor();
    await ldap.start();
    await close();
  });
});

describe('the page with every way to sign in', () => {
  const LOOKS = [
    ['light', 1280],
    ['dark', 390],
    ['light', 390],
    ['dark', 1280],
  ] as const;

  it.each(isFullTier ? LOOKS : LOOKS.slice(0, 2))('works in %s at %i px', async (scheme, width) => {
    const { page, complaints, close } = await openAnonymous({
      ...(scheme === 'dark' && { scheme }),
      ...(width === 390 && { width }),
    });
    await settle(page);
    await takePicture(page, `sign-in-all-ways-${scheme}-${width}`);
    await expectAccessible(page, `all ways in, ${scheme}, ${width}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    expect(complaints).toEqual([]);
    await close();
  });
});
