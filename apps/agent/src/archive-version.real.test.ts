import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createEnvoyDist } from '@flotilla/envoy-dist';
import { findFreePort } from '@flotilla/kit/testing';
import { type ArchiveFile, type ArchiveServer, startArchive, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AgentStage } from './testing/agent-stage.ts';
import { ask } from './testing/test-host.ts';

const { oldest: KNOWN, newest: NEW } = TEST_ENVOY_VERSIONS;
const WAIT = { interval: 50 };
let archive: ArchiveServer;
let envoy: ArchiveFile;
let stage: AgentStage;

beforeAll(async () => {
  archive = await startArchive();
  // Services run as other users.
  await chmod(archive.dir, 0o755);
  envoy = await archive.makeEnvoy(NEW, Buffer.from('of the archive'));
  archive.publish([{ version: NEW, file: envoy }]);
  // Neither the controller nor the host has an Envoy.
  stage = await AgentStage.open({
    env: { SVC_ARCHIVE_URL: archive.url, SVC_ENVOY_CACHE_DIR: join(archive.dir, 'controller') },
    knownVersions: [KNOWN],
    host: { envoyDist: createEnvoyDist({ cacheDir: join(archive.dir, 'host'), env: {}, python: '/nonexistent' }) },
  });
});
afterAll(async () => {
  await stage?.close();
  await archive?.close();
});

function apply(port: number) {
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'web',
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [
            { match: { prefix: '/' }, direct_response: { status: 200, body: { inline_string: 'of the archive' } } },
          ],
        },
      ],
    },
    http_filters: [
      {
        name: 'envoy.filters.http.router',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
  };
  const listener = {
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }] }],
  };
  return stage.t.owner.call('POST', `/api/v3/xds/apply?project=${stage.t.project}`, {
    project: stage.t.project,
    documents: [
      { collection: 'bootstrap', name: 'boot', version: NEW, resource: {} },
      { collection: 'listeners', name: 'web', version: NEW, resource: listener },
    ],
  });
}

it('a service of a version that only the archive knows is written, deployed and run', async () => {
  const { t, agent } = stage;
  const port = await findFreePort();
  const refused = await apply(port);
  expect([refused.status, refused.body.code]).toEqual([409, 'version.preparing']);
  await vi.waitFor(async () => {
    const { body } = await t.owner.call('GET', `/api/v3/jobs/${refused.body.job}?project=${t.project}`);
    expect(body.status, JSON.stringify(body)).toBe('done');
  }, WAIT);
  const applied = await apply(port);
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);

  await stage.createService('shop');
  const clientId = await agent.clientId();
  const deployed = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=60000`, {
    type: 'DEPLOY',
    clients: [{ client_id: clientId }],
    command: { project: t.project, name: 'shop' },
  });
  expect(deployed.body.results, JSON.stringify(deployed.body)).toMatchObject([{ outcome: 'done' }]);
  expect(await ask(port)).toBe('of the archive');

  const versions = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=60000`, {
    type: 'DATAPLANE_VERSION',
    clients: [{ client_id: clientId }],
    command: { operation: 'GET_VERSIONS' },
  });
  expect(versions.body.results[0].result).toMatchObject({
    installed: [{ version: NEW, sha256: envoy.sha256, used_by: [expect.stringContaining('shop')] }],
    running: [{ version: NEW }],
  });
  // Once for its descriptors, and once for the host.
  expect(archive.asked.filter((path) => path === '/files/0')).toHaveLength(2);
});
