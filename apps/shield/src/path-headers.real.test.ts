import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FilterProcess } from './testing/filter-process.ts';
import { RawClient } from './testing/raw-client.ts';
import { RecordingEnvoy } from './testing/recording-envoy.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: headers }
spec:
  domains:
    - hosts: [api.example.com]
      routes:
        - match: { path_prefix: /guarded }
          policy: { engines: { api_key: { keys: [{ key: the-key }] } } }
`;

describe.each(Object.values(TEST_ENVOY_VERSIONS))('headers that change the path, before Envoy %s', (version) => {
  let folder: string;
  let filter: FilterProcess;
  let envoy: RecordingEnvoy;
  let client: RawClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'path-headers-'));
    const policy = join(folder, 'policy.yaml');
    await writeFile(policy, POLICY);
    const shieldSocket = join(folder, 's.sock');
    filter = new FilterProcess(['--policy', policy, '--listen', `unix:${shieldSocket}`], join(folder, 'a.sock'));
    await filter.start();
    envoy = new RecordingEnvoy({ folder, shieldSocket, listeners: { generated: {} } });
    await envoy.start((await ensureTestEnvoy(version)).path);
    client = new RawClient(envoy.portOf('generated'));
  });

  afterAll(async () => {
    client?.close();
    await envoy?.close();
    await filter?.end();
    await rm(folder, { recursive: true, force: true });
  });

  // Gunicorn believes its neighbours by default, and cuts a script name from the path: it serves /guarded.
  it('reach no upstream that would take /x/guarded for /guarded', async () => {
    const before = envoy.upstream.seen.length;
    await client.send('GET /x/guarded HTTP/1.1\r\nhost: api.example.com\r\nSCRIPT_NAME: /x\r\n\r\n');
    expect(envoy.upstream.seen[before]?.header('script_name') ?? []).toEqual([]);
  });
});
