import { connect } from 'node:http2';
import { TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FilteredEnvoy, startFilteredEnvoy } from './testing/filtered-envoy.ts';
import { RawClient } from './testing/raw-client.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: upgrades }
spec:
  defaults: { inspect_request_body: true, max_request_body_bytes: 65536 }
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          graphql: { paths: [/graphql], max_depth: 3, block_upgrades: true }
`;

describe.each(TIER_ENVOY_VERSIONS)('WebSockets behind Envoy %s', (version) => {
  let filtered: FilteredEnvoy;

  beforeAll(async () => {
    const manager = {
      upgrade_configs: [{ upgrade_type: 'websocket' }],
      http2_protocol_options: { allow_connect: true },
    };
    filtered = await startFilteredEnvoy({ version, policy: POLICY, listeners: { open: { manager } } });
  });

  beforeEach(() => {
    filtered.envoy.upstream.seen.length = 0;
  });

  afterAll(async () => {
    await filtered?.close();
  });

  const reached = () => filtered.envoy.upstream.seen.map(({ target, header }) => [target, ...header('upgrade')]);

  /** The status of a handshake like a browser's (RFC 6455 section 4.1). */
  async function shakeHands(target: string): Promise<number> {
    const client = new RawClient(filtered.envoy.portOf('open'));
    const key = Buffer.from('sixteen bytes ..').toString('base64');
    const { status } = await client.send(
      `GET ${target} HTTP/1.1\r\nhost: api.example.com\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
    );
    client.close();
    return status;
  }

  /** The same over HTTP/2 (RFC 8441). */
  async function shakeHandsOverHttp2(target: string): Promise<number> {
    const session = connect(`http://127.0.0.1:${filtered.envoy.portOf('open')}`);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    session.on('error', reject);
    session.on('remoteSettings', () => {
      const stream = session.request({
        ':method': 'CONNECT',
        ':protocol': 'websocket',
        ':scheme': 'http',
        ':authority': 'api.example.com',
        ':path': target,
        'sec-websocket-version': '13',
      });
      stream.on('response', (headers) => resolve(Number(headers[':status'])));
      stream.on('error', reject);
    });
    try {
      return await promise;
    } finally {
      session.destroy();
    }
  }

  it.each([
    ['HTTP/1.1', shakeHands],
    ['HTTP/2', shakeHandsOverHttp2],
  ])('over %s never get to a limited path, in any spelling of it', async (_, shake) => {
    for (const target of ['/graphql', '//GraphQL', '/%67raphql/ws', '/x/../graphql?a=b']) {
      expect(await shake(target), target).toBe(403);
    }
    expect(reached()).toEqual([]);
    await shake('/chat');
    expect(reached()).toEqual([['/chat', 'websocket']]);
  });
});
