import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FilteredEnvoy, startFilteredEnvoy } from './testing/filtered-envoy.ts';
import { RawClient } from './testing/raw-client.ts';
import type { RecordingEnvoy } from './testing/recording-envoy.ts';
import type { SeenRequest } from './testing/recording-upstream.ts';

const JWT =
  'jwt: { algorithms: [ES256], public_key_file: files/key.pem, strip_credential: true, subject_header: X-User }';
const KEYS = 'keys: [{ key: the-key, subject: batch }]';
const BOTH = 'sources: [{}, { source: query, name: key }], strip_credential: true, subject_header: X-Client';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: credentials }
spec:
  domains:
    - hosts: [api.example.com]
      routes:
        - match: { path_prefix: /token }
          policy: { engines: { ${JWT} } }
        - match: { path_prefix: /watched }
          policy: { mode: detect, engines: { ${JWT}, api_key: { ${KEYS}, ${BOTH} } } }
        - match: { path_prefix: /both }
          policy: { engines: { ${JWT}, api_key: { ${KEYS}, ${BOTH} } } }
`;

const issuer = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();

function tokenOf(key: KeyObject, sub = 'alice'): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode({ alg: 'ES256' })}.${encode({ sub, exp: Math.floor(Date.now() / 1000) + 3600 })}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const GOOD = tokenOf(issuer.privateKey);
const FORGED = 'x-user: root\r\nX-USER: admin\r\nx-client: root\r\n';

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let filtered: FilteredEnvoy;
  let envoy: RecordingEnvoy;
  let client: RawClient;

  beforeAll(async () => {
    const files = { 'files/key.pem': pemOf(issuer.publicKey) };
    filtered = await startFilteredEnvoy({ version, policy: POLICY, files, listeners: { generated: {} } });
    envoy = filtered.envoy;
    client = new RawClient(envoy.portOf('generated'));
  });

  afterAll(async () => {
    client?.close();
    await filtered?.close();
  });

  /** The status that the client got, and the request that the upstream got. */
  async function ask(target: string, headers = ''): Promise<{ status: number; seen: SeenRequest | undefined }> {
    envoy.upstream.seen.length = 0;
    const { status } = await client.send(`GET ${target} HTTP/1.1\r\nhost: api.example.com\r\n${headers}\r\n`);
    return { status, seen: envoy.upstream.seen[0] };
  }

  it('the upstream gets the subject of a token, but neither the token nor the client’s claim', async () => {
    const { status, seen } = await ask('/token/x', `authorization: Bearer ${GOOD}\r\n${FORGED}`);
    expect(status).toBe(200);
    expect(seen?.header('x-user')).toEqual(['alice']);
    expect(seen?.header('authorization')).toEqual([]);
    await vi.waitFor(async () => expect(await envoy.accessLog()).toContain('/token/x alice'));
  });

  it.each<[string, string]>([
    ['none', ''],
    ['one of another key', `authorization: Bearer ${tokenOf(other.privateKey)}\r\n`],
    [
      'a second one behind it',
      `authorization: Bearer ${GOOD}\r\nauthorization: Bearer ${tokenOf(other.privateKey)}\r\n`,
    ],
    ['the same one in a list', `authorization: Bearer ${GOOD},Bearer ${GOOD}\r\n`],
  ])('a request is blocked if its token is %s', async (_, headers) => {
    expect(await ask('/token', `${headers}${FORGED}`)).toEqual({ status: 403, seen: undefined });
  });

  it('the client’s claim is removed from a request that mode detect allows', async () => {
    const { status, seen } = await ask('/watched?a=1&key=wrong&b=2', `authorization: Bearer no\r\n${FORGED}`);
    expect(status).toBe(200);
    expect(seen?.target).toBe('/watched?a=1&b=2');
    for (const name of ['x-user', 'x-client', 'authorization']) expect(seen?.header(name)).toEqual([]);
  });

  it('the subjects of two engines have separate headers, and both credentials are removed', async () => {
    const { status, seen } = await ask('/both?key=the-key', `authorization: bearer ${GOOD}\r\n${FORGED}`);
    expect(status).toBe(200);
    expect([seen?.header('x-user'), seen?.header('x-client')]).toEqual([['alice'], ['batch']]);
    expect(seen?.target).toBe('/both');
    expect((await ask('/both?key=the-key', `x-api-key: the-other\r\nauthorization: ${GOOD}\r\n`)).status).toBe(403);
    expect((await ask('/both?key=the-key', FORGED)).status).toBe(403);
  });

  it('only the new issuer is trusted as soon as its key file is in place', async () => {
    const rotated = tokenOf(other.privateKey, 'bob');
    await writeFile(join(filtered.policyFolder, 'files/key.pem'), pemOf(other.publicKey));
    await vi.waitFor(
      async () => {
        const { seen } = await ask('/token', `authorization: Bearer ${rotated}\r\n`);
        expect(seen?.header('x-user')).toEqual(['bob']);
      },
      { interval: 50 },
    );
    expect((await ask('/token', `authorization: Bearer ${GOOD}\r\n`)).status).toBe(403);
  });
});
