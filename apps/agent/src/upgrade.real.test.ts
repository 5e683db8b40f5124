import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout } from '@flotilla/proto';
import { ensureTestEnvoy, startLoad, TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AgentStage } from './testing/agent-stage.ts';
import { waitFor } from './testing/test-agent.ts';

const { newest: FROM, oldest: TO } = TEST_ENVOY_VERSIONS;
const SCRIPT = join(import.meta.dirname, 'testing/host-agent-process.ts');
/** A field of the bootstrap that the newest Envoy has, and the oldest refuses. */
const NEW_FIELD = { stats_config: { allow_default_tag_overrides: true } };
let stage: AgentStage;
let clientId: string;
const ports: Record<string, number> = {};
const ids: Record<string, string> = {};

beforeAll(async () => {
  await ensureTestEnvoy(TO);
  // With the drain times that agents have by default.
  stage = await AgentStage.open({ host: { drain: { drainS: 10, shutdownS: 15 } } });
  clientId = await stage.agent.clientId();
  for (const name of ['shop', 'strict', 'late']) await createService(name);
});
afterAll(() => stage?.close());

/** A service that answers at once, or after the delay that a request names. */
async function createService(name: string) {
  const { t } = stage;
  const port = await findFreePort();
  const type = (rest: string) => `type.googleapis.com/envoy.extensions.filters.${rest}`;
  const manager = {
    '@type': type('network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: name,
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, direct_response: { status: 200, body: { inline_string: name } } }],
        },
      ],
    },
    http_filters: [
      {
        name: 'envoy.filters.http.fault',
        typed_config: {
          '@type': type('http.fault.v3.HTTPFault'),
          delay: { header_delay: {}, percentage: { numerator: 100 } },
        },
      },
      { name: 'envoy.filters.http.router', typed_config: { '@type': type('http.router.v3.Router') } },
    ],
  };
  const listener = {
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }] }],
  };
  const applied = await t.owner.call('POST', `/api/v3/xds/apply?project=${t.project}`, {
    project: t.project,
    documents: [
      { collection: 'bootstrap', name: `boot-${name}`, version: FROM, resource: name === 'strict' ? NEW_FIELD : {} },
      { collection: 'listeners', name: `web-${name}`, version: FROM, resource: listener },
    ],
  });
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  const body = { name, version: FROM, bootstrap: `boot-${name}`, listeners: [`web-${name}`] };
  const service = await t.owner.call('POST', `/api/op/services?project=${t.project}`, body);
  expect(service.status, JSON.stringify(service.body)).toBe(201);
  ids[name] = service.body.id;
  ports[name] = port;
  const deployed = await send('DEPLOY', { name });
  expect(deployed.body.results, JSON.stringify(deployed.body)).toMatchObject([{ outcome: 'done' }]);
}

function send(type: string, command: Record<string, unknown>, waitMs = 60_000) {
  const { t } = stage;
  const clients = [{ client_id: clientId }];
  return t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=${waitMs}`, { type, clients, command });
}

const upgrade = (name: string, more: Record<string, unknown> = {}, waitMs?: number) =>
  send('UPGRADE_LISTENER', { name, from_version: FROM, to_version: TO, port: ports[name], ...more }, waitMs);

async function nodeOf(name: string) {
  const { t } = stage;
  const { body } = await t.owner.call('GET', `/api/op/services/proxies/${ids[name]}?project=${t.project}`);
  return body.nodes[0];
}

const loadOn = (name: string) => startLoad({ port: ports[name] ?? 0, path: '/', perSecond: 200, newConnections: true });

it('an upgrade under load loses no request, and one in progress may last for the given drain time', async () => {
  const load = loadOn('shop');
  // Longer than the agent lets a replaced Envoy live by default.
  const slow = fetch(`http://127.0.0.1:${ports.shop}/`, { headers: { 'x-envoy-fault-delay-request': '20000' } });
  const { body } = await upgrade('shop', { drain_time_seconds: 20 });
  expect(body.results, JSON.stringify(body)).toMatchObject([
    {
      outcome: 'done',
      result: {
        name: 'shop',
        from: FROM,
        to: TO,
        port: ports.shop,
        graceful: true,
        drain_time_seconds: 20,
        install: { installed_version: TO },
        status: { phase: 'running', envoy_version: TO, error: '' },
      },
    },
  ]);
  const { envoy_pid: pid } = body.results[0].result.status;
  expect(await nodeOf('shop')).toMatchObject({ envoy_version: TO, envoy_version_wanted: TO, drain_time_seconds: 20 });

  const repeated = await upgrade('shop');
  expect(repeated.body.results).toMatchObject([
    { outcome: 'done', result: { drain_time_seconds: 20, status: { envoy_pid: pid } } },
  ]);
  const wrong = await upgrade('shop', { from_version: '1.38.3', to_version: FROM });
  expect(wrong.body.results).toMatchObject([{ outcome: 'refused', error: { code: 'upgrade.other_version' } }]);
  expect(wrong.body.results[0].error.message).toContain(`It runs ${TO}`);

  const answer = await slow;
  expect([answer.status, await answer.text()]).toEqual([200, 'shop']);
  const { sent, failures, statuses } = await load.stop();
  expect(failures).toEqual([]);
  expect(statuses.get(200)).toBe(sent);
}, 120_000);

it('a version that refuses the configuration fails with its words, and the client goes back without a gap', async () => {
  const load = loadOn('strict');
  const before = await nodeOf('strict');
  const { body } = await upgrade('strict');
  expect(body.results, JSON.stringify(body)).toMatchObject([
    { outcome: 'failed', error: { code: 'upgrade.not_live' }, result: { rolled_back: true, to: TO } },
  ]);
  expect(body.results[0].error.message).toContain('allow_default_tag_overrides');
  expect(body.results[0].error.message).toContain(`goes back to Envoy ${FROM}.`);
  await waitFor('the client is back', async () => {
    const node = await nodeOf('strict');
    return node.applied_generation === node.generation && node.error === null;
  });
  expect(await nodeOf('strict')).toMatchObject({
    envoy_version: FROM,
    envoy_version_wanted: FROM,
    restarts: 0,
    since: before.since,
  });
  expect((await load.stop()).failures).toEqual([]);
});

it('kill -9 of the agent in the middle of an upgrade loses no request, and the next agent completes it', async () => {
  await stage.agent.agent?.close();
  await stage.host.close({ stopServices: false });
  const { dirs } = stage.folders;
  const port = stage.agent.controller.port;
  const args = [SCRIPT, `${port}`, stage.agent.dir, dirs.runtimeDir, dirs.dataDir, TEST_ENVOY_CACHE_DIR];
  const start = () => spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const kill = async (child: ChildProcess) => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  let child = start();
  const load = loadOn('late');
  try {
    await waitFor('connected', async () => (await nodeOf('late')).connected);
    const sent = await upgrade('late', { drain_time_seconds: 1 }, 0);
    const id = sent.body.results[0].command_id;
    const state = `${deriveServiceLayout(dirs, ids.late ?? '').dataDir}/state.json`;
    await waitFor('the new Envoy starts', () => readFileSync(state, 'utf8').includes('"starting"'));
    await kill(child);
    child = start();
    const ended = await stage.t.owner.call('GET', `/api/op/commands/${id}?wait_ms=60000`);
    expect(ended.body, JSON.stringify(ended.body)).toMatchObject({
      outcome: 'done',
      result: { to: TO, port: ports.late, status: { envoy_version: TO } },
    });
  } finally {
    await kill(child);
  }
  const { sent, failures, statuses } = await load.stop();
  expect(failures).toEqual([]);
  expect(statuses.get(200)).toBe(sent);
}, 120_000);
