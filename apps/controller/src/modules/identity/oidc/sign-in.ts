import { Buffer } from 'node:buffer';
import { failSignIn, type OidcSettings } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { isSameSecret, type Logger } from '@flotilla/kit';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { RequestContext } from '../../../platform/http/context.ts';
import type { FlowCookie } from '../../../platform/http/flow-cookie.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { type Admission, rolesOf } from '../directories/index.ts';
import type { SignedInBy } from '../sessions/index.ts';
import { isOfAccessToken } from './at-hash.ts';
import { providerGrantContext } from './encryption-contexts.ts';
import type { Flow, Flows } from './flow.ts';
import { putGrant } from './grant-store.ts';
import { giverOf, isAskedAgain, type Provider, type Providers } from './providers.ts';
import { spendSignIn } from './spent-store.ts';

interface Deps {
  readonly db: Db;
  readonly providers: Providers;
  readonly flows: Flows;
  readonly admission: Admission;
  readonly keyring: Pick<Keyring, 'encrypt'>;
  /** The public URL of the installation, never taken from a request. undefined if it is not configured. */
  readonly address: () => Promise<string | undefined>;
  readonly logger: Logger;
}

type Claims = Readonly<Record<string, unknown>>;

/** Sign-in at a provider: authorization code with PKCE, bound to the browser that started it, usable once. */
export class OidcSignIn {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Returns the redirect and the data to verify on return. */
  async begin(
    ctx: RequestContext,
    { provider: name, returnTo }: { provider: string; returnTo: string },
  ): Promise<{ location: string; flow: FlowCookie }> {
    const { providers, flows } = this.#deps;
    const redirectUri = await this.#redirectUri(name);
    const { settings, client } = await providers.open(name);
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const location = buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      scope: [...new Set(['openid', ...settings.scopes])].join(' '),
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      // Without it, providers issue no refresh token (OpenID Connect Core 1.0, 11).
      ...(isAskedAgain(settings) && { prompt: 'consent' }),
    });
    return {
      location: location.href,
      flow: flows.add(
        ctx.flowCookie,
        { provider: name, issuer: settings.issuer, state, nonce, verifier, returnTo },
        ctx.now,
      ),
    };
  }

  /**
   * Returns who signed in. `query` is that of the callback, with `flow` of the same browser. Throws sign_in.* and
   * auth.wrong_credentials.
   */
  async finish(
    ctx: RequestContext,
    { provider: name, flow, query }: { provider: string; flow: Flow | undefined; query: Claims },
  ): Promise<SignedInBy> {
    const { db, providers, admission, keyring } = this.#deps;
    const realm = `oidc/${name}`;
    ctx.about({ type: 'user', changes: { realm } });
    if (flow?.provider !== name || typeof query.state !== 'string' || !isSameSecret(flow.state, query.state))
      throw failSignIn('sign_in.provider_refused');
    if (!(await spendSignIn(db, flow.state, { now: ctx.now, endsAt: new Date(flow.endsAt) })))
      throw failSignIn('sign_in.provider_refused');
    const callback = new URL(await this.#redirectUri(name));
    for (const [key, value] of Object.entries(query)) {
      if (typeof value === 'string') callback.searchParams.set(key, value);
    }
    const provider = await providers.open(name);
    if (provider.settings.issuer !== flow.issuer) throw failSignIn('sign_in.provider_refused');
    const { issuer, subject, claims, refreshToken } = await this.#redeem(provider, callback, flow);
    const { settings } = provider;
    const groups = new Set(textsOf(claims[settings.groups_claim]));
    const person = {
      issuer,
      subject,
      realm,
      username: textOf(claims[settings.name_claim]) ?? subject,
      email: claims.email_verified === true ? (textOf(claims.email) ?? null) : null,
      roles: rolesOf(settings.mapping, (group) => groups.has(group)),
      mayBeNew: settings.create_users,
    };
    const userId = await admission.admit(ctx, person, async (tx, id) => {
      if (refreshToken === undefined || !isAskedAgain(settings)) return;
      const sealed = keyring.encrypt(Buffer.from(refreshToken), providerGrantContext(id));
      await putGrant(tx, { userId: id, giver: giverOf(settings), sealed }, ctx.now);
    });
    return { userId, primary: 'oidc', factors: sparesFactor(settings, claims) ? ['provider'] : [] };
  }

  async #redeem(
    { client, settings }: Provider,
    callback: URL,
    flow: Flow,
  ): Promise<{ issuer: string; subject: string; claims: Claims; refreshToken: string | undefined }> {
    try {
      const tokens = await authorizationCodeGrant(client, callback, {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      if (!idToken || tokens.id_token === undefined) throw new Error('no ID token');
      if (!isOfAccessToken(tokens.id_token, idToken, tokens.access_token))
        throw new Error('the ID token is of another access token');
      const hasAll = idToken[settings.groups_claim] !== undefined && idToken[settings.name_claim] !== undefined;
      const canAsk = client.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasAll || !canAsk ? {} : await fetchUserInfo(client, tokens.access_token, idToken.sub);
      // The signed claims of this sign-in override those of the user info endpoint.
      const { iss: issuer, sub: subject } = idToken;
      return { issuer, subject, claims: { ...more, ...idToken }, refreshToken: tokens.refresh_token };
    } catch (error) {
      this.#deps.logger.warn({ provider: flow.provider, err: error }, 'oidc.refused');
      throw failSignIn('sign_in.provider_refused', {}, { cause: error });
    }
  }

  async #redirectUri(name: string): Promise<string> {
    const address = await this.#deps.address();
    if (address === undefined) throw failSignIn('sign_in.no_address');
    return new URL(`/auth/oidc/${name}/callback`, address).href;
  }
}

/** Only values that an administrator has listed replace our own second factor. */
function sparesFactor(settings: OidcSettings, claims: Claims): boolean {
  const { trusted_acr: acr, trusted_amr: amr } = settings;
  return textsOf(claims.acr).some((one) => acr.includes(one)) || textsOf(claims.amr).some((one) => amr.includes(one));
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined;
}

function textsOf(claim: unknown): string[] {
  return [claim].flat().filter((one) => typeof one === 'string');
}
