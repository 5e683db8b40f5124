import {
  OIDC_CLIENT_ID as CLIENT_ID,
  OIDC_CLIENT_SECRET as CLIENT_SECRET,
  type OidcProvider,
  startOidcProvider,
} from '@flotilla/testkit/oidc-provider';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { createTestController, type TestController } from '../../../../testing/controller.ts';
import { TestBrowser } from './browser.ts';
import { startLyingProvider } from './provider.ts';

/** The public URL of the installation. */
export const ADDRESS = 'https://fleet.example';

type Liar = Awaited<ReturnType<typeof startLyingProvider>>;

/** A person at a provider whose operators are editors here. */
export const person = (sub: string, more: Record<string, unknown> = {}) => ({
  sub,
  preferred_username: `p-${sub}`,
  groups: ['operators'],
  email: `${sub}@example.org`,
  email_verified: true,
  ...more,
});

/** The data in the fragment of the final redirect. */
export function newsOf(location: string): unknown {
  const fragment = new URLSearchParams(new URL(location, ADDRESS).hash.slice(1));
  return JSON.parse(fragment.get('sign-in') ?? 'null');
}

export const REFUSED = { kind: 'error', code: 'sign_in.provider_refused' };

/**
 * A controller for the tests of a file with three providers configured before each test: two real ones, `corp` and
 * `other`, and one that lies.
 */
export function stageProviders() {
  let t: TestController;
  let corp: OidcProvider;
  let other: OidcProvider;
  let liar: Liar;

  beforeAll(async () => {
    t = await createTestController();
    corp = await startOidcProvider([`${ADDRESS}/auth/oidc/corp/callback`]);
    other = await startOidcProvider([`${ADDRESS}/auth/oidc/other/callback`]);
    liar = await startLyingProvider();
  });
  afterAll(async () => {
    await t?.close();
    await Promise.all([corp?.close(), other?.close(), liar?.close()]);
  });
  beforeEach(async () => {
    liar.lie = {};
    expect((await put('general', { public_url: ADDRESS })).status).toBe(200);
    for (const [name, { issuer }] of Object.entries({ corp, other, liar })) await configure(name, { issuer });
  });

  function put(path: string, body: unknown) {
    return t.owner.call('PUT', `/api/v3/setting/documents/${path}`, body);
  }

  async function configure(name: string, change: Record<string, unknown> = {}): Promise<void> {
    const answer = await put(`oidc/${name}`, {
      enabled: true,
      title: `Sign in at ${name}`,
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      mapping: { rules: [{ group: 'operators', project: t.project, role: 'editor' }] },
      ...change,
    });
    expect(answer.body).toMatchObject({ key: 'oidc', name });
  }

  return {
    get t() {
      return t;
    },
    get corp() {
      return corp;
    },
    get other() {
      return other;
    },
    get liar() {
      return liar;
    },
    put,
    configure,
    openBrowser: () => new TestBrowser(t.app),
    /** Signs in completely at the lying provider, without its page. */
    async signInAtLiar(lie: Liar['lie']) {
      liar.lie = lie;
      const browser = new TestBrowser(t.app);
      const { location: there } = await browser.open('/auth/oidc/liar/start');
      const { searchParams } = new URL(there);
      liar.nonce = searchParams.get('nonce') ?? '';
      const { location } = await browser.open(`/auth/oidc/liar/callback?code=c&state=${searchParams.get('state')}`);
      return { location, browser };
    },
    async findUser(username: string) {
      return t.database.db.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirst();
    },
  };
}

/** The account of the browser's session. */
export async function whoIs(browser: TestBrowser) {
  const answer = await browser.open('/auth/browser/session');
  return answer.status === 200 ? JSON.parse(answer.body).user : undefined;
}
