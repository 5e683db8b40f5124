import { createHash } from 'node:crypto';
import { createId } from '@flotilla/kit';
import { OIDC_CLIENT_ID as CLIENT_ID } from '@flotilla/testkit/oidc-provider';
import { describe, expect, it } from 'vitest';
import { readEntries } from '../../../platform/http/testing/record.ts';
import { newsOf, person, REFUSED, stageProviders, whoIs } from './testing/stage.ts';

const here = stageProviders();

describe('the callback of a provider', () => {
  it('works once, even with the cookie of the browser that started the sign-in', async () => {
    here.corp.person = person('joy');
    const browser = here.openBrowser();
    const begun = await browser.open('/auth/oidc/corp/start');
    const thief = here.openBrowser();
    thief.steal(browser);
    const callback = await browser.signInAt(begun.location);
    expect((await browser.open(callback)).location).toBe('/');
    expect(newsOf((await browser.open(callback)).location)).toEqual(REFUSED);
    expect(newsOf((await thief.open(callback)).location)).toEqual(REFUSED);
    expect(await whoIs(thief)).toBeUndefined();
  });

  it('works once, even if the provider accepts a code repeatedly', async () => {
    here.liar.lie = { claims: { sub: 'again', preferred_username: 'p-again', groups: ['operators'] } };
    const browser = here.openBrowser();
    const { searchParams } = new URL((await browser.open('/auth/oidc/liar/start')).location);
    here.liar.nonce = searchParams.get('nonce') ?? '';
    const thief = here.openBrowser();
    thief.steal(browser);
    const callback = `/auth/oidc/liar/callback?code=c&state=${searchParams.get('state')}`;
    const [one, two] = await Promise.all([browser.open(callback), thief.open(callback)]);
    expect([one.location, two.location].toSorted()[0]).toBe('/');
    expect([newsOf(one.location), newsOf(two.location)]).toContainEqual(REFUSED);
  });

  it('does not work in another browser: no link can sign somebody in as another person', async () => {
    here.corp.person = person('mal-3');
    const attacker = here.openBrowser();
    const callback = await attacker.signInAt((await attacker.open('/auth/oidc/corp/start')).location);
    const victim = here.openBrowser();
    expect(newsOf((await victim.open(callback)).location)).toEqual(REFUSED);
    await victim.open('/auth/oidc/corp/start');
    expect(newsOf((await victim.open(callback)).location)).toEqual(REFUSED);
    expect(await whoIs(victim)).toBeUndefined();
  });

  it('does not work with the code of another sign-in, which lacks the proof of who started it', async () => {
    here.corp.person = person('mal-4');
    const attacker = here.openBrowser();
    const stolen = new URL(await attacker.signInAt((await attacker.open('/auth/oidc/corp/start')).location));
    const victim = here.openBrowser();
    const own = new URL(await victim.signInAt((await victim.open('/auth/oidc/corp/start')).location));
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expect(newsOf((await victim.open(own.href)).location)).toEqual(REFUSED);
  });

  it.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'x')],
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', here.other.issuer)],
    ['no issuer, where the provider always names it', (url: URL) => url.searchParams.delete('iss')],
    ['an error', (url: URL) => url.searchParams.set('error', 'access_denied')],
    ['no code', (url: URL) => url.searchParams.delete('code')],
  ])('is refused with %s, and recorded', async (_name, change) => {
    here.corp.person = person('kim');
    const browser = here.openBrowser();
    const url = new URL(await browser.signInAt((await browser.open('/auth/oidc/corp/start')).location));
    change(url);
    const requestId = createId();
    const { location } = await browser.open(url.href, { 'x-request-id': requestId });
    expect(newsOf(location)).toEqual(REFUSED);
    expect(await whoIs(browser)).toBeUndefined();
    // Filters by this request: entries of earlier tests may be written later.
    await expect
      .poll(() => readEntries(here.t, requestId))
      .toMatchObject([{ action: 'session.login', outcome: 'denied' }]);
  });

  it('is refused at the address of another provider', async () => {
    here.corp.person = person('kim');
    const browser = here.openBrowser();
    const callback = await browser.signInAt((await browser.open('/auth/oidc/corp/start')).location);
    expect(newsOf((await browser.open(callback.replace('/corp/', '/other/'))).location)).toEqual(REFUSED);
  });

  it('sends no code to a provider that was configured later', async () => {
    const browser = here.openBrowser();
    here.corp.person = person('kim');
    const callback = await browser.signInAt((await browser.open('/auth/oidc/corp/start')).location);
    const redeemed = here.liar.redeemed;
    await here.configure('corp', { issuer: here.liar.issuer });
    expect(newsOf((await browser.open(callback)).location)).toEqual(REFUSED);
    expect(here.liar.redeemed).toBe(redeemed);
  });

  const claims = { preferred_username: 'p-lie', groups: ['operators'] };
  it.each([
    ['another audience', { claims: { ...claims, aud: 'somebody-else' } }],
    ['several audiences and another party', { claims: { ...claims, aud: [CLIENT_ID, 'x'], azp: 'x' } }],
    ['another nonce', { claims: { ...claims, nonce: 'x' } }],
    ['no nonce', { claims: { ...claims, nonce: undefined } }],
    ['another issuer', { claims: { ...claims, iss: 'https://accounts.example' } }],
    ['an end that has passed', { claims: { ...claims, exp: 1 } }],
    ['no signature', { claims, sign: 'none' as const }],
    ['the signature of another key', { claims, sign: 'other_key' as const }],
    ['no ID token', { idToken: false as const }],
    ['the hash of another access token', { claims: { ...claims, at_hash: 'x'.repeat(22) } }],
    ['no answer to who redeems the code', { claims, isAway: true as const }],
    ['somebody else at the user info', { claims: { sub: 'liar' }, userInfo: { ...claims, sub: 'ada' } }],
  ])('is refused with %s', async (_name, lie) => {
    const { location, browser } = await here.signInAtLiar(lie);
    expect(newsOf(location)).toEqual(REFUSED);
    expect(await whoIs(browser)).toBeUndefined();
    expect(await here.findUser('p-lie')).toBeUndefined();
  });

  it("is accepted with the provider's current key, and with no previous one", async () => {
    const signedBy = (sub: string) => ({ claims: { sub, preferred_username: `p-${sub}`, groups: ['operators'] } });
    expect((await here.signInAtLiar(signedBy('key-1'))).location).toBe('/');
    here.liar.rotateKey();
    expect((await here.signInAtLiar(signedBy('key-2'))).location).toBe('/');
  });

  it('is accepted with the hash of its own access token', async () => {
    // The left half of the SHA-256 of "access".
    const atHash = createHash('sha256').update('access').digest().subarray(0, 16).toString('base64url');
    const { location } = await here.signInAtLiar({
      claims: { ...claims, sub: 'hash', preferred_username: 'p-hash', at_hash: atHash },
    });
    expect(location).toBe('/');
  });

  it('is accepted if everything is valid', async () => {
    expect(
      (await here.signInAtLiar({ claims: { ...claims, sub: 'honest', preferred_username: 'p-honest' } })).location,
    ).toBe('/');
  });
});
