import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestEnvoy, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FilterProcess } from './testing/filter-process.ts';
import { RawClient } from './testing/raw-client.ts';
import { RecordingEnvoy } from './testing/recording-envoy.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: threads }
spec:
  domains:
    - hosts: [api.example.com]
      policy: { engines: { api_key: { keys: [{ key: the-key }] } } }
`;

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let folder: string;
  let envoy: RecordingEnvoy;
  let filter: FilterProcess | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'threads-'));
    await writeFile(join(folder, 'policy.yaml'), POLICY);
    await startFilter(1);
    envoy = new RecordingEnvoy({ folder, shieldSocket: join(folder, 's.sock'), listeners: { plain: {} }, threads: 3 });
    await envoy.start((await ensureTestEnvoy(version)).path);
  });

  afterAll(async () => {
    await envoy?.close();
    await filter?.end();
    await rm(folder, { recursive: true, force: true });
  });

  async function startFilter(threads: number): Promise<void> {
    await filter?.end();
    const options = ['--policy', join(folder, 'policy.yaml'), '--listen', `unix:${join(folder, 's.sock')}`];
    filter = new FilterProcess([...options, '--threads', `${threads}`], join(folder, 'a.sock'));
    await filter.start();
  }

  async function ask(count: number): Promise<Set<number>> {
    const client = new RawClient(envoy.portOf('plain'));
    const statuses = new Set<number>();
    for (let n = 0; n < count; n++) {
      const key = n % 2 === 0 ? 'x-api-key: the-key\r\n' : '';
      const { status } = await client.send(`GET / HTTP/1.1\r\nhost: api.example.com\r\n${key}\r\n`);
      statuses.add(status === (n % 2 === 0 ? 200 : 403) ? 0 : status);
    }
    client.close();
    return statuses;
  }

  it('the filter gets no request at an address without a listener', async () => {
    await vi.waitFor(async () => expect(await ask(40)).toEqual(new Set([0])));
    expect(await ask(300)).toEqual(new Set([0]));
    const [first = 0, ...others] = await envoy.shieldRequests();
    expect([first > 300, others]).toEqual([true, [0, 0]]);
  });

  it('the filter gets requests at every address once all have listeners', async () => {
    await startFilter(3);
    await vi.waitFor(
      async () => {
        expect(await ask(60)).toEqual(new Set([0]));
        for (const count of await envoy.shieldRequests()) expect(count).toBeGreaterThan(0);
      },
      { timeout: 90_000 },
    );
  });

  it('requests fail instead of passing while the filter has no thread', async () => {
    await filter?.end('SIGKILL');
    const before = envoy.upstream.seen.length;
    for (const status of await ask(10)) expect(status).toBeGreaterThanOrEqual(500);
    expect(envoy.upstream.seen.length).toBe(before);
    filter = undefined;
    await startFilter(3);
    await vi.waitFor(async () => expect(await ask(20)).toEqual(new Set([0])));
  });
});
