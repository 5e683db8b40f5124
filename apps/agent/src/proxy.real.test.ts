import type { TestController } from '@flotilla/controller/testing/controller';
import {
  type EnvoyApi,
  type FieldDescription,
  type JsonValue,
  loadEnvoyApi,
  type ValueDescription,
} from '@flotilla/envoy-api';
import { findFreePort } from '@flotilla/kit/testing';
import { CONFIG_DUMP_RESOURCES } from '@flotilla/proto/commands';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redactDump } from './envoy-admin/redact.ts';
import { callAdmin } from './host/envoy/admin-client.ts';
import type { ServiceHost } from './host/index.ts';
import { AgentStage } from './testing/agent-stage.ts';
import { type TestAgent, waitFor } from './testing/test-agent.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const SECRETS = {
  users: 'alice:{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=',
  generic: 'generic-Hunter2-01',
  header: 'Bearer header-Hunter2-02',
  metadata: 'metadata-Hunter2-03',
  statically: 'static-Hunter2-04',
};

let stage: AgentStage;
let t: TestController;
let agent: TestAgent;
let host: ServiceHost;
let serviceId: string;
let port: number;

beforeAll(async () => {
  stage = await AgentStage.open();
  ({ t, agent, host } = stage);
  port = await findFreePort();
  await addDocuments();
  serviceId = await stage.createService('shop');
  expect(await send('DEPLOY', {})).toMatchObject({ outcome: 'done' });
});
afterAll(() => stage?.close());

async function send(type: string, command: Record<string, unknown>, by = t.owner, query = '') {
  const clients = [{ client_id: await agent.clientId() }];
  const body = { type, clients, command: { service_id: serviceId, ...command } };
  const answer = await by.call('POST', `/api/op/clients?project=${t.project}&wait_ms=60000${query}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.results[0];
}

/** Reads a path of Envoy, or writes it, and returns the body. */
async function call(path: string, queries: Record<string, string> = {}) {
  const result = await send('PROXY', { path, queries });
  expect(result, JSON.stringify(result.error)).toMatchObject({ outcome: 'done', result: { path } });
  return result.result.body;
}

async function addDocuments(): Promise<void> {
  const documents: Array<[collection: string, name: string, resource: unknown]> = [
    ['secrets', 'word', { generic_secret: { secret: { inline_string: SECRETS.generic } } }],
    ['bootstrap', 'boot', bootstrapResource()],
    ['listeners', 'web', listenerResource()],
  ];
  for (const [collection, name, resource] of documents) {
    const url = `/api/v3/xds/${collection}?project=${t.project}`;
    const answer = await t.owner.call('POST', url, { name, version: VERSION, resource });
    expect(answer.status, `${collection}/${name}: ${JSON.stringify(answer.body)}`).toBe(201);
  }
}

function bootstrapResource() {
  return {
    layered_runtime: { layers: [{ name: 'admin', admin_layer: {} }] },
    static_resources: {
      secrets: [{ name: 'own', generic_secret: { secret: { inline_string: SECRETS.statically } } }],
      clusters: [
        {
          name: 'upstream',
          type: 'STATIC',
          metadata: { filter_metadata: { shop: { password: SECRETS.metadata, team: 'shop' } } },
        },
      ],
    },
  };
}

function listenerResource() {
  const type = (name: string) => `type.googleapis.com/envoy.extensions.${name}`;
  const route = {
    match: { prefix: '/' },
    direct_response: { status: 200 },
    request_headers_to_add: [{ header: { key: 'authorization', value: SECRETS.header } }],
  };
  return {
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [
      {
        filters: [
          {
            name: 'hcm',
            typed_config: {
              '@type': type('filters.network.http_connection_manager.v3.HttpConnectionManager'),
              stat_prefix: 'shop',
              route_config: { name: 'all', virtual_hosts: [{ name: 'all', domains: ['*'], routes: [route] }] },
              http_filters: [
                {
                  name: 'basic_auth',
                  typed_config: {
                    '@type': type('filters.http.basic_auth.v3.BasicAuth'),
                    users: { inline_string: SECRETS.users },
                  },
                },
                {
                  name: 'credential_injector',
                  typed_config: {
                    '@type': type('filters.http.credential_injector.v3.CredentialInjector'),
                    credential: {
                      name: 'generic',
                      typed_config: {
                        '@type': type('http.injected_credentials.generic.v3.Generic'),
                        credential: { name: 'word', sds_config: { ads: {}, resource_api_version: 'V3' } },
                      },
                    },
                  },
                },
                { name: 'router', typed_config: { '@type': type('filters.http.router.v3.Router') } },
              ],
            },
          },
        ],
      },
    ],
  };
}

describe('the admin interface of a real Envoy', () => {
  it('answers every path that is a read', async () => {
    for (const path of ['/certs', '/memory', '/runtime', '/server_info']) expect(await call(path)).toBeTypeOf('object');
    expect(await call('/ready')).toBe('LIVE');
    expect(await call('/hot_restart_version')).toMatch(/^\d+\.\d+/);
    const { cluster_statuses: clusters } = await call('/clusters');
    expect(clusters.map(({ name }: { name: string }) => name)).toContain('upstream');
    const { listener_statuses: listeners } = await call('/listeners');
    expect(JSON.stringify(listeners)).toContain(String(port));
  });

  it('filters statistics, and reports an expression that Envoy refuses', async () => {
    const { stats } = await call('/stats', { filter: '^listener_manager\\.', type: 'Gauges' });
    expect(stats.map(({ name }: { name: string }) => name)).toContain('listener_manager.total_listeners_active');
    const refused = await send('PROXY', { path: '/stats', queries: { filter: '[' } });
    expect(refused).toMatchObject({ outcome: 'failed', error: { code: 'proxy.refused' } });
  });

  it('collects the parts of /envoy, also for a viewer', async () => {
    const viewer = await t.createMember('viewer');
    const result = await send('PROXY', { path: '/envoy' }, viewer);
    expect(result).toMatchObject({ outcome: 'done', result: { body: { ready: 'LIVE', logging: { levels: {} } } } });
    expect(Object.keys(result.result.body).toSorted()).toEqual([
      'certs',
      'config_dump',
      'hot_restart_version',
      'listeners',
      'logging',
      'memory',
      'ready',
      'runtime',
      'server_info',
      'stats',
    ]);
    for (const secret of Object.values(SECRETS)) expect(JSON.stringify(result)).not.toContain(secret);
  });

  it('drains and ends that, and the service stays healthy for the agent', async () => {
    expect(await call('/healthcheck/fail')).toBe('OK');
    expect(await call('/ready')).toBe('DRAINING');
    expect((await call('/envoy', { parts: 'server_info' })).server_info.state).toBe('DRAINING');
    expect(await call('/healthcheck/ok')).toBe('OK');
    expect(await call('/ready')).toBe('LIVE');
    expect(host.reports()[0]).toMatchObject({ error: '', restarts: 0 });
  });

  it('sets log levels and runtime values, and resets counters', async () => {
    expect((await call('/logging', { paths: 'http:debug,main:off' })).levels).toMatchObject({
      http: 'debug',
      main: 'off',
    });
    expect((await call('/logging', { level: 'info' })).levels).toMatchObject({ http: 'info', main: 'info' });
    const unknown = await send('PROXY', { path: '/logging', queries: { paths: 'nobody:debug' } });
    expect(unknown).toMatchObject({ outcome: 'failed', error: { code: 'proxy.refused' } });
    await call('/runtime_modify', { 'shop.percent': '5' });
    expect((await call('/runtime')).entries['shop.percent']).toMatchObject({ final_value: '5' });
    const answered = async () => {
      const { stats } = await call('/stats', { filter: '^http\\.shop\\.downstream_rq_4xx$' });
      return stats[0]?.value;
    };
    await fetch(`http://127.0.0.1:${port}/`);
    await waitFor('a counted request', async () => (await answered()) > 0);
    await call('/reset_counters');
    expect(await answered()).toBe(0);
    await call('/reopen_logs');
  });
});

describe('secrets of a running Envoy', () => {
  it.each([
    {},
    { include_eds: 'true' },
    // Envoy knows endpoints only with include_eds, and `ecds_filters` only if there are some.
    ...CONFIG_DUMP_RESOURCES.filter((one) => one !== 'ecds_filters').map((resource) => ({
      resource,
      ...(resource.endsWith('_endpoint_configs') && { include_eds: 'true' }),
    })),
    { name_regex: '.*' },
  ])('are in no configuration dump (%j)', async (queries) => {
    const dump = JSON.stringify(await call('/config_dump', queries as Record<string, string>));
    for (const secret of Object.values(SECRETS)) {
      expect(dump).not.toContain(secret);
      expect(dump).not.toContain(Buffer.from(secret).toString('base64'));
    }
    expect(dump).not.toMatch(/flads_[0-9a-f]/);
  });

  it('are shown by Envoy itself, so that these tests prove something', async () => {
    const socket = host.adminSocket(serviceId);
    const { body } = (socket && (await callAdmin(socket, '/config_dump'))) ?? { body: '' };
    for (const secret of [SECRETS.header, SECRETS.metadata]) expect(body).toContain(secret);
    expect(body).toMatch(/flads_[0-9a-f]{64}/);
  });

  it('leave their names and surroundings visible', async () => {
    const dump = JSON.stringify(await call('/config_dump'));
    const { configs } = await call('/config_dump', { resource: 'dynamic_active_secrets' });
    expect(configs[0]).toMatchObject({
      name: 'word',
      secret: { generic_secret: { secret: { inline_string: '[redacted]' } } },
    });
    for (const shown of ['"team":"shop"', '"authorization"', 'x-flotilla-ads-secret', '"own"', '"word"', '[redacted]'])
      expect(dump).toContain(shown);
  });
});

describe('an Envoy that is away', () => {
  it('hangs: the command ends in time, and the next one works', async () => {
    const { envoyPid } = host.reports()[0] ?? { envoyPid: 0 };
    process.kill(envoyPid, 'SIGSTOP');
    const parts = { parts: 'ready,stats' };
    const hung = await send('PROXY', { path: '/envoy', queries: parts }).finally(() =>
      process.kill(envoyPid, 'SIGCONT'),
    );
    expect(hung).toMatchObject({ outcome: 'failed', error: { code: 'proxy.timeout' } });
    expect(await call('/ready')).toBe('LIVE');
  });

  it('is stopped, or its agent is: the command fails at once', async () => {
    const stop = { type: 'SERVICE', sub_type: 'SUB_STOP', clients: [{ client_id: await agent.clientId() }] };
    const command = { service_id: serviceId };
    await t.owner.call('POST', `/api/op/clients?project=${t.project}`, { ...stop, command });
    const stopped = await send('PROXY', { path: '/ready' });
    expect(stopped).toMatchObject({ outcome: 'failed', error: { code: 'service.not_running' } });
    await agent.agent?.close();
    await waitFor('offline', async () => (await send('PROXY', { path: '/ready' })).error?.code === 'client.offline');
  });
});

describe("the names of secret fields, compared with Envoy's API", () => {
  /** Fields with names like secrets that are not: names, files, addresses and types of tokens. */
  const HARMLESS = new Set([
    'envoy.config.core.v3.GrpcService.GoogleGrpc.credentials_factory_name',
    'envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.StsService.token_exchange_service_uri',
    'envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.StsService.requested_token_type',
    'envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.StsService.subject_token_path',
    'envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.StsService.subject_token_type',
    'envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.StsService.actor_token_path',
    'envoy.config.core.v3.GrpcService.GoogleGrpc.CallCredentials.StsService.actor_token_type',
    'envoy.config.trace.v3.LightstepConfig.access_token_file',
    'envoy.extensions.filters.common.jwks.v3.JwtHandshakeValidator.token_header',
    'envoy.extensions.filters.http.aws_lambda.v3.Config.credentials_profile',
    'envoy.extensions.filters.http.gcp_authn.v3.GcpAuthnFilterConfig.token_metadata_key',
    'envoy.extensions.filters.http.oauth2.v3.OAuth2Config.authorization_endpoint',
    'envoy.extensions.geoip_providers.common.v3.CommonGeoipProviderConfig.GeolocationFieldKeys.apple_private_relay',
    'envoy.extensions.geoip_providers.common.v3.CommonGeoipProviderConfig.GeolocationHeadersToAdd.apple_private_relay',
    'envoy.extensions.transport_sockets.tls.cert_selectors.on_demand_secret.v3.Config.prefetch_secret_names',
    // The message is always in a field `private_key_provider`, whose whole content is hidden.
    'envoy.extensions.transport_sockets.tls.v3.PrivateKeyProvider.typed_config',
  ]);

  it.each(Object.values(TEST_ENVOY_VERSIONS))(
    'cover what it marks as sensitive or calls a secret in %s',
    async (version) => {
      const { path } = await ensureTestEnvoy(version);
      const api = await loadEnvoyApi({ version, binaryPath: path });
      const fields = api
        .messages()
        .flatMap((message) => api.describe(message).fields.map((field) => ({ message, field })));
      const shown = fields.filter(({ message, field }) => {
        const isAsked = field.sensitive || (LOOKS_SECRET.test(field.name) && carriesText(field));
        const dump = { configs: [{ '@type': `type.googleapis.com/${message}`, [field.name]: sampleOf(api, field) }] };
        return isAsked && JSON.stringify(redactDump(dump)).includes('Hunter2');
      });
      expect(
        shown.map(({ message, field }) => `${message}.${field.name}`).filter((name) => !HARMLESS.has(name)),
      ).toEqual([]);
      expect(fields.filter(({ field }) => field.sensitive).length).toBeGreaterThan(20);
    },
  );
});

const LOOKS_SECRET = /passw|passphrase|secret|token|private|credential|api_?key|jwks|json_key|authorization/;
const SOURCE = 'envoy.config.core.v3.DataSource';

function carriesText({ value }: FieldDescription): boolean {
  if (value.kind === 'scalar') return value.type === 'string' || value.type === 'bytes';
  return value.kind === 'message' && value.type === SOURCE;
}

function sampleOf(api: EnvoyApi, { shape, value }: FieldDescription): JsonValue {
  const one = sampleValue(api, value);
  if (shape === 'list') return [one];
  return shape === 'map' ? { name: one } : one;
}

function sampleValue(api: EnvoyApi, value: ValueDescription): JsonValue {
  if (value.kind !== 'message') return 'Hunter2';
  if (value.type === SOURCE) return { inline_string: 'Hunter2' };
  if (value.wellKnown !== undefined) return { '@type': 'type.googleapis.com/x', value: 'Hunter2' };
  const names = api.describe(value.type).fields.map(({ name }) => name);
  // The name of an API client is no secret.
  return Object.fromEntries(names.filter((name) => name !== 'client').map((name) => [name, 'Hunter2']));
}
