import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { OIDC_CLIENT_ID, serveIssuer } from '@flotilla/testkit/oidc-provider';

interface LyingProvider {
  readonly issuer: string;
  /** Content and signature of its next ID token. */
  lie: Lie;
  /** Number of redeemed codes. */
  readonly redeemed: number;
  close(): Promise<void>;
}

interface Lie {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly sign?: 'own' | 'none' | 'other_key';
  readonly idToken?: false;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  readonly metadataIssuer?: string;
  /** Does not answer when a code is redeemed. */
  readonly isAway?: true;
}

/** A provider that can send what a real one never would. `nonce` is that of the running sign-in. */
export async function startLyingProvider(): Promise<LyingProvider & { nonce: string; rotateKey(): void }> {
  let own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let keyId = 'k';
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const { issuer, close } = await serveIssuer((request, response) => {
    const send = (body: unknown) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    };
    const path = request.url?.split('?')[0];
    if (path === '/.well-known/openid-configuration') return send(metadata());
    if (path === '/jwks')
      return send({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: keyId, alg: 'RS256', use: 'sig' }] });
    if (path === '/me') return send(made.lie.userInfo ?? {});
    if (made.lie.isAway) return request.socket.destroy();
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
      aud: OIDC_CLIENT_ID,
      sub: 'liar',
      iat: now,
      exp: now + 60,
      nonce: made.nonce,
      ...made.lie.claims,
    };
    return signToken(claims, made.lie.sign ?? 'own', { own: own.privateKey, other, keyId });
  };
  const made = {
    issuer,
    lie: {} as Lie,
    nonce: '',
    get redeemed() {
      return count;
    },
    /** Invalidates the previous key. */
    rotateKey: () => {
      own = generateKeyPairSync('rsa', { modulusLength: 2048 });
      keyId += 'k';
    },
    close,
  };
  return made;
}

function signToken(
  claims: object,
  how: NonNullable<Lie['sign']>,
  keys: { own: KeyObject; other: KeyObject; keyId: string },
): string {
  const alg = how === 'none' ? 'none' : 'RS256';
  const parts = [{ alg, typ: 'JWT', ...(how !== 'none' && { kid: keys.keyId }) }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  if (how === 'none') return `${signed}.`;
  const key = how === 'own' ? keys.own : keys.other;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}
