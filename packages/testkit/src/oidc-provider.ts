import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** A test provider's claims about a person. */
type TestClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

export const OIDC_CLIENT_ID = 'flotilla';
export const OIDC_CLIENT_SECRET = 'Client-Secret-Of-The-Provider-77';

export interface OidcProvider {
  readonly issuer: string;
  /** The person who signs in next, without being asked. */
  person: TestClaims;
  /** Subjects of people who have left. */
  readonly gone: Set<string>;
  /** The paths of all requests (`/token`, `/jwks` ...). */
  readonly requests: string[];
  /**
   * By path. `failing`: 503 without an effect; `limited`: 429 without an effect; `unheard`: the request takes effect,
   * and the response never arrives.
   */
  readonly faults: Map<string, 'failing' | 'limited' | 'unheard'>;
  /** Awaited before a request is served. */
  before: (path: string) => Promise<void>;
  close(): Promise<void>;
}

const SETTINGS = {
  // Set for everything, otherwise the library warns about each missing value.
  ttl: {
    Interaction: 600,
    Grant: 600,
    Session: 600,
    AccessToken: 600,
    AuthorizationCode: 60,
    IdToken: 600,
    RefreshToken: 600,
  },
  // Each can be used once.
  rotateRefreshToken: true,
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  claims: {
    openid: ['sub', 'groups'],
    profile: ['preferred_username'],
    email: ['email', 'email_verified'],
  },
};

/** A real provider (oidc-provider) on loopback, whose sign-in page accepts the next person automatically. */
export async function startOidcProvider(redirectUris: readonly string[]): Promise<OidcProvider> {
  const { issuer, close } = await serveIssuer((request, response) => answer(request, response));
  const people = new Map<string, TestClaims>();
  const gone = new Set<string>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: OIDC_CLIENT_ID,
        client_secret: OIDC_CLIENT_SECRET,
        redirect_uris: [...redirectUris],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    cookies: { keys: ['cookies of a test'] },
    jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] },
    ...SETTINGS,
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, id) =>
      gone.has(id) ? undefined : { accountId: id, claims: () => people.get(id) ?? { sub: id } },
  });
  const serve = provider.callback();
  const made: OidcProvider = {
    issuer,
    person: { sub: 'nobody' },
    gone,
    requests: [],
    faults: new Map(),
    before: async () => {},
    close,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    made.requests.push(path);
    await made.before(path);
    const fault = made.faults.get(path);
    if (fault === 'failing') return response.writeHead(503).end();
    if (fault === 'limited') return response.writeHead(429).end();
    if (fault === 'unheard') response.end = () => response.destroy();
    if (!path.startsWith('/interaction/')) return serve(request, response);
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

/** Serves on its own port; `close` also ends open connections. */
export async function serveIssuer(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<{ issuer: string; close(): Promise<void> }> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    issuer: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
