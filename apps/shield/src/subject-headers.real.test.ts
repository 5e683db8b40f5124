import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilteredEnvoy, startFilteredEnvoy } from './testing/filtered-envoy.ts';
import { RawClient } from './testing/raw-client.ts';

const POLICY = JSON.stringify({
  apiVersion: 'flotilla.dev/v1',
  kind: 'SecurityPolicy',
  metadata: { name: 'subjects' },
  spec: {
    domains: [
      {
        hosts: ['api.example.com'],
        routes: Array.from({ length: 12 }, (_, n) => ({
          match: { path_prefix: `/named${n}/` },
          policy: {
            engines: { api_key: { keys: [{ key: 'the-key', subject: 'till-7' }], subject_header: `X-${n}-User-Id` } },
          },
        })),
      },
    ],
  },
});

describe.each(Object.values(TEST_ENVOY_VERSIONS))('subjects told before Envoy %s', (version) => {
  let filtered: FilteredEnvoy;

  beforeAll(async () => {
    filtered = await startFilteredEnvoy({ version, policy: POLICY, listeners: { plain: {} } });
  });
  afterAll(async () => {
    await filtered?.close();
  });

  // Envoy fails a request of which more than a hundred headers are to be removed.
  it('in a header of each of a dozen routes are told by no client of any other, and all are answered', async () => {
    const { envoy } = filtered;
    const client = new RawClient(envoy.portOf('plain'));
    for (const path of ['/open', '/named0/x']) {
      const before = envoy.upstream.seen.length;
      const head = `GET ${path} HTTP/1.1\r\nhost: api.example.com\r\nx-api-key: the-key\r\nx-1-user-id: root\r\nx_2_user_id: root\r\n\r\n`;
      expect((await client.send(head)).status).toBe(200);
      const seen = envoy.upstream.seen[before];
      expect([seen?.header('x-1-user-id'), seen?.header('x_2_user_id')]).toEqual([[], []]);
    }
    client.close();
  });
});
