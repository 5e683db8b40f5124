import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** What a provider of the tests says of somebody. */
type TestClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

export const CLIENT_ID = 'flotilla';
export const CLIENT_SECRET = 'Client-Secret-Of-The-Provider-77';

export interface TestProvider {
  readonly issuer: string;
  /** Who signs in next, without being asked. */
  person: TestClaims;
  close(): Promise<void>;
}

/** A real provider (oidc-provider) on loopback, whose sign-in page takes whoever is to sign in next. */
export async function startProvider(redirectUris: readonly string[]): Promise<TestProvider> {
  const { server, issuer } = await listen((request, response) => answer(request, response));
  const people = new Map<string, TestClaims>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [...redirectUris],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    cookies: { keys: ['cookies of a test'] },
    jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] },
    // Said of everything, or it tells of each that it has not been told.
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    claims: {
      openid: ['sub', 'groups'],
      profile: ['preferred_username'],
      email: ['email', 'email_verified'],
    },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => people.get(id) ?? { sub: id } }),
  });
  const serve = provider.callback();
  const made: TestProvider = {
    issuer,
    person: { sub: 'nobody' },
    close: () => close(server),
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return serve(request, response);
    const { person } = made;
    people.set(person.sub, person);
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: person.sub, clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    const grantId = await grant.save();
    return provider.interactionFinished(request, response, {
      login: { accountId: person.sub },
      consent: { grantId },
    });
  };
  return made;
}

interface LyingProvider {
  readonly issuer: string;
  /** What its next ID token is made of, and how it is signed. */
  lie: Lie;
  /** How often a code was redeemed. */
  readonly redeemed: number;
  close(): Promise<void>;
}

interface Lie {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly sign?: 'own' | 'none' | 'other_key';
  readonly idToken?: false;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  readonly metadataIssuer?: string;
}

/** A provider that says whatever it is told to: what a real one never would. `nonce` is that of the sign-in it is asked for. */
export async function startLyingProvider(): Promise<LyingProvider & { nonce: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const { server, issuer } = await listen((request, response) => {
    const send = (body: unknown) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    };
    const path = request.url?.split('?')[0];
    if (path === '/.well-known/openid-configuration') return send(metadata());
    if (path === '/jwks')
      return send({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }] });
    if (path === '/me') return send(made.lie.userInfo ?? {});
    count += 1;
    send({
      access_token: 'access',
      token_type: 'Bearer',
      ...(made.lie.idToken !== false && { id_token: idToken() }),
    });
  });
  let count = 0;
  const metadata = () => ({
    issuer: made.lie.metadataIssuer ?? issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/me`,
    response_types_supported: ['code'],
    id_token_signing_alg_values_supported: ['RS256'],
  });
  const idToken = () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: CLIENT_ID,
      sub: 'liar',
      iat: now,
      exp: now + 60,
      nonce: made.nonce,
      ...made.lie.claims,
    };
    return signToken(claims, made.lie.sign ?? 'own', { own: privateKey, other });
  };
  const made = {
    issuer,
    lie: {} as Lie,
    nonce: '',
    get redeemed() {
      return count;
    },
    close: () => close(server),
  };
  return made;
}

function signToken(claims: object, how: NonNullable<Lie['sign']>, keys: { own: KeyObject; other: KeyObject }): string {
  const alg = how === 'none' ? 'none' : 'RS256';
  const parts = [{ alg, typ: 'JWT', ...(how !== 'none' && { kid: 'k' }) }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  if (how === 'none') return `${signed}.`;
  const key = how === 'own' ? keys.own : keys.other;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<{ server: Server; issuer: string }> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, issuer: `http://localhost:${(server.address() as AddressInfo).port}` };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
