import { TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
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
        routes: Array.from({ length: 100 }, (_, n) => ({
          match: { path_prefix: `/named${n}/` },
          policy: {
            engines: { api_key: { keys: [{ key: 'the-key', subject: 'till-7' }], subject_header: `X-${n}-User-Id` } },
          },
        })),
      },
    ],
  },
});

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let filtered: FilteredEnvoy;

  beforeAll(async () => {
    filtered = await startFilteredEnvoy({ version, policy: POLICY, listeners: { plain: {} } });
  });
  afterAll(async () => {
    await filtered?.close();
  });

  interface Arrival {
    readonly status: number;
    /** Sent names that arrived at the upstream. */
    readonly reached: readonly string[];
    readonly subject: readonly string[];
  }

  async function send(path: string, names: readonly string[]): Promise<Arrival> {
    const { envoy } = filtered;
    const before = envoy.upstream.seen.length;
    const client = new RawClient(envoy.portOf('plain'));
    const lines = names.map((name) => `${name}: root\r\n`).join('');
    const { status } = await client.send(
      `GET ${path} HTTP/1.1\r\nhost: api.example.com\r\nx-api-key: the-key\r\n${lines}\r\n`,
    );
    client.close();
    const seen = envoy.upstream.seen[before];
    const reached = names.filter((name) => seen?.header(name.toLowerCase()).includes('root'));
    return { status, reached, subject: seen?.header('x-0-user-id') ?? [] };
  }

  // Envoy fails a request with more than a hundred headers to remove.
  it('a hundred routes with different subject headers accept them from no client, and all requests are answered', async () => {
    const names = ['x-1-user-id', 'x_2_user_id', 'X-99.User_Id', 'x-0-user-id', 'x!0~user+id'];
    expect(await send('/open', names)).toEqual({ status: 200, reached: [], subject: [] });
    expect(await send('/named0/x', names)).toEqual({ status: 200, reached: [], subject: ['till-7'] });
  });

  it('no mixture of signs passes a subject header, however many a client sends', async () => {
    const signs = [..."-_.!#$%&'*+^`|~"];
    const mixed = signs.flatMap((first) => signs.map((second) => `x${first}0${second}user-id`)).slice(-90);
    expect(await send('/named0/x', mixed)).toEqual({ status: 200, reached: [], subject: ['till-7'] });
    expect(await send('/named0/x', [])).toEqual({ status: 200, reached: [], subject: ['till-7'] });
  });

  it('headers with other names are kept', async () => {
    const names = ['x-0-user', 'x-0-user-id-', 'x-100-user-id', 'x0userid'];
    expect(await send('/named0/x', names)).toEqual({ status: 200, reached: names, subject: ['till-7'] });
  });
});
