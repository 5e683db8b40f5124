import { expect, it } from 'vitest';
import { person, stageProviders, whoIs } from './testing/stage.ts';

const here = stageProviders();

const remove = (name: string) => here.t.owner.call('DELETE', `/api/v3/setting/documents/oidc/${name}`);

async function signIn(sub: string, provider = here.corp, name = 'corp') {
  provider.person = person(sub);
  const browser = here.openBrowser();
  expect((await browser.signIn(name)).location).toBe('/');
  return browser;
}

it('a removed provider signs its people out at once, and nobody else', async () => {
  const anna = await signIn('anna');
  const bert = await signIn('bert', here.other, 'other');
  expect((await remove('corp')).status).toBe(204);
  expect([await whoIs(anna), (await whoIs(bert))?.username]).toEqual([undefined, 'p-bert']);
  await here.configure('corp', { issuer: here.corp.issuer });
  expect(await whoIs(anna)).toBeUndefined();
  expect((await whoIs(await signIn('anna')))?.username).toBe('p-anna');
});

it('a provider with another issuer has none of the people of the previous one', async () => {
  const clara = await signIn('clara');
  await here.configure('corp', { issuer: here.other.issuer });
  expect(await whoIs(clara)).toBeUndefined();
});

it('the same issuer in another spelling is the same', async () => {
  const dirk = await signIn('dirk');
  await here.configure('corp', { issuer: here.corp.issuer.replace('http:', 'HTTP:') });
  expect((await whoIs(dirk))?.username).toBe('p-dirk');
});

it('a provider configured by the address of its document has the people of the issuer in that document', async () => {
  await here.configure('corp', { issuer: `${here.corp.issuer}/.well-known/openid-configuration` });
  const gerd = await signIn('gerd');
  // Changes a provider, which triggers the check of all realms.
  expect((await remove('other')).status).toBe(204);
  expect((await whoIs(gerd))?.username).toBe('p-gerd');
});

it('a sign-in that is running while the provider is switched off does not complete', async () => {
  await signIn('emma');
  here.corp.person = person('emma');
  const browser = here.openBrowser();
  let isOff = false;
  here.corp.before = async (path) => {
    // The controller has already read the provider's settings for the last time.
    if (isOff || !path.startsWith('/token')) return;
    isOff = true;
    await here.configure('corp', { issuer: here.corp.issuer, enabled: false });
  };
  try {
    expect((await browser.signIn('corp')).location).not.toBe('/');
  } finally {
    here.corp.before = async () => {};
  }
  expect(isOff).toBe(true);
  expect(await whoIs(browser)).toBeUndefined();
});

it('people belong to the provider of their last sign-in, whatever its previous name', async () => {
  await signIn('finn');
  const { id = '' } = (await here.findUser('p-finn')) ?? {};
  const { db } = here.t.database;
  await db.updateTable('external_identities').set({ realm: 'oidc/before' }).where('user_id', '=', id).execute();
  const finn = await signIn('finn');
  // Changes a provider, which triggers the check of all realms.
  expect((await remove('other')).status).toBe(204);
  expect((await whoIs(finn))?.username).toBe('p-finn');
});
