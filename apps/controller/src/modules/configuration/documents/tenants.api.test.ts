import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
let t: TestController;
let editor: TestCaller;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  editor = await t.createMember('editor');
});
afterAll(() => t.close());

const any = (type: string, value: object = {}) => ({ '@type': `type.googleapis.com/${type}`, ...value });
const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const route = (action: object) => ({
  virtual_hosts: [{ name: 'a', domains: ['*'], routes: [{ match: { prefix: '/' }, ...action }] }],
});
const listenerWith = (manager: object) => ({
  address: { socket_address: { address: '0.0.0.0', port_value: 8080 } },
  filter_chains: [
    { filters: [{ name: 'x', typed_config: any(HCM, { stat_prefix: 'x', route_config: {}, ...manager }) }] },
  ],
});
const fileLog = (path: string) => ({
  access_log: [{ name: 'x', typed_config: any('envoy.extensions.access_loggers.file.v3.FileAccessLog', { path }) }],
});
const textLog = (text: string) => ({
  access_log: [
    {
      name: 'x',
      typed_config: any('envoy.extensions.access_loggers.stream.v3.StdoutAccessLog', {
        log_format: { text_format_source: { inline_string: text } },
      }),
    },
  ],
});

/** Case name -> collection, resource, reported path, type if needed. */
const CASES: Record<string, [string, object, string, string?]> = {
  'a response that reads a host file': [
    'routes',
    route({ direct_response: { status: 200, body: { filename: '/etc/passwd' } } }),
    'direct_response.body.filename',
  ],
  'the same in camelCase': [
    'routes',
    {
      virtualHosts: [
        {
          name: 'a',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, directResponse: { status: 200, body: { filename: '/etc/passwd' } } }],
        },
      ],
    },
    'direct_response.body.filename',
  ],
  'a path that leaves the folder': [
    'routes',
    route({ direct_response: { status: 200, body: { filename: 'files/../../key' } } }),
    'direct_response.body.filename',
  ],
  'a relative path outside the folder': [
    'routes',
    route({ direct_response: { status: 200, body: { filename: 'etc/passwd' } } }),
    'direct_response.body.filename',
  ],
  'an environment variable': [
    'routes',
    route({ direct_response: { status: 200, body: { environment_variable: 'PATH' } } }),
    'body.environment_variable',
  ],
  'a log outside': ['listeners', listenerWith(fileLog('/var/log/x')), 'path'],
  'a log format that reads the environment': [
    'listeners',
    listenerWith(textLog('%ENVIRONMENT(HOME)%')),
    'inline_string',
  ],
  'an admin endpoint': [
    'bootstrap',
    { admin: { address: { socket_address: { address: '0.0.0.0', port_value: 9901 } } } },
    'admin',
  ],
  'a pipe of the host': [
    'clusters',
    {
      type: 'STATIC',
      load_assignment: {
        cluster_name: 'x',
        endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: '/run/x.sock' } } } }] }],
      },
    },
    'pipe.path',
  ],
  'an upstream on an admin port': [
    'clusters',
    {
      type: 'STATIC',
      load_assignment: {
        cluster_name: 'x',
        endpoints: [
          {
            lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: 33100 } } } }],
          },
        ],
      },
    },
    'socket_address',
  ],
  'a disk layer of the runtime': [
    'bootstrap',
    { layered_runtime: { layers: [{ name: 'x', disk_layer: { symlink_root: '/srv' } }] } },
    'disk_layer',
  ],
  'a secret in a host file': [
    'secrets',
    { tls_certificate: { private_key: { filename: '/etc/ssl/key.pem' } } },
    'private_key.filename',
  ],
  'code in the proxy': [
    'filters',
    { default_source_code: { inline_string: 'x' } },
    'resource',
    'envoy.extensions.filters.http.lua.v3.Lua',
  ],
  'a cluster chosen by a header': ['routes', route({ route: { cluster_header: 'x-to' } }), 'cluster_header'],
  'a gRPC target that is a socket': [
    'filters',
    { grpc_service: { google_grpc: { target_uri: 'unix:/run/x', stat_prefix: 'x' } } },
    'target_uri',
    'envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor',
  ],
};

describe('tenants', () => {
  for (const [name, [collection, resource, path, type]] of Object.entries(CASES)) {
    it(`may not use ${name}; the answer names the field, and an owner may use it`, async () => {
      const url = `/api/v3/xds/${collection}?project=${t.project}&dry_run=true`;
      const body = { name: 'attempt', version: VERSION, resource, ...(type && { type }) };
      const refused = await editor.call('POST', url, body);
      expect(refused.status, JSON.stringify(refused.body)).toBe(403);
      expect(refused.body.code).toBe('document.restricted');
      expect(refused.body.details[0].path).toContain(path);
      const allowed = await t.owner.call('POST', url, body);
      expect(allowed.status, JSON.stringify(allowed.body)).toBe(200);
    });
  }

  it('may use files of their service and standard output', async () => {
    const url = (collection: string) => `/api/v3/xds/${collection}?project=${t.project}&dry_run=true`;
    const good: [string, object][] = [
      ['routes', route({ direct_response: { status: 200, body: { filename: 'files/page.html' } } })],
      ['listeners', listenerWith(fileLog('files/logs/access.log'))],
      ['listeners', listenerWith(fileLog('/dev/stdout'))],
      [
        'clusters',
        {
          type: 'STATIC',
          load_assignment: {
            cluster_name: 'x',
            endpoints: [
              {
                lb_endpoints: [
                  { endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: 8081 } } } },
                ],
              },
            ],
          },
        },
      ],
    ];
    for (const [collection, resource] of good) {
      const answer = await editor.call('POST', url(collection), { name: 'fine', version: VERSION, resource });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    }
  });

  it('cannot add restricted features by patch, restore or apply either', async () => {
    const secretive = route({ direct_response: { status: 200, body: { filename: '/etc/hostname' } } });
    const url = `/api/v3/xds/routes/mixed?project=${t.project}&version=${VERSION}`;
    await t.owner.call('POST', `/api/v3/xds/routes?project=${t.project}`, {
      name: 'mixed',
      version: VERSION,
      resource: secretive,
    });
    await t.owner.call('PUT', url, { resource: { virtual_hosts: [] } });
    const attempts = [
      await editor.call('PATCH', url, { resource: secretive }),
      await editor.call('POST', url.replace('?', '/restore?'), { revision: 1 }),
      await editor.call('POST', '/api/v3/xds/apply', {
        project: t.project,
        documents: [{ collection: 'routes', name: 'mixed', version: VERSION, resource: secretive }],
      }),
    ];
    expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403]);
    const denied = async () => {
      const rows = await t.database.db
        .selectFrom('audit_log')
        .select('action')
        .where('error_code', '=', 'document.restricted')
        .where('actor_id', '=', editor.userId)
        .execute();
      return rows.map(({ action }) => action);
    };
    await expect.poll(denied).toEqual(expect.arrayContaining(['document.patch', 'document.restore', 'document.apply']));
  });

  it('may not configure what belongs to the controller, and neither may owners', async () => {
    const bad: [string, object, string][] = [
      ['bootstrap', { node: { id: 'me', cluster: 'x' } }, 'resource.node'],
      ['bootstrap', { dynamic_resources: {} }, 'resource.dynamic_resources'],
      [
        'bootstrap',
        { static_resources: { clusters: [{ name: 'flotilla_xds', type: 'STATIC' }] } },
        'resource.static_resources.clusters[0].name',
      ],
      [
        'routes',
        { typed_per_filter_config: { flotilla_shield: any('envoy.config.route.v3.FilterConfig', { disabled: true }) } },
        'flotilla_shield',
      ],
    ];
    for (const [collection, resource, path] of bad) {
      const answer = await t.owner.call('POST', `/api/v3/xds/${collection}?project=${t.project}`, {
        name: 'own',
        version: VERSION,
        resource,
      });
      expect(answer.status).toBe(400);
      expect(answer.body.details[0].path).toContain(path);
    }
  });
});

describe('huge and deep documents', () => {
  it('are refused with a reason instead of a crash', async () => {
    const url = `/api/v3/xds/clusters?project=${t.project}`;
    const post = (body: string) =>
      t.app.inject({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${t.owner.token}`, 'content-type': 'application/json' },
        payload: body,
      });
    for (const depth of [150, 2000, 200_000]) {
      const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      const resource = `{"metadata":{"filter_metadata":{"x":${deep}}}}`;
      const nested = await post(`{"name":"deep","version":"${VERSION}","resource":${resource}}`);
      expect(nested.statusCode, nested.body.slice(0, 300)).toBe(400);
    }
    const large = await t.owner.call('POST', url, {
      name: 'large',
      version: VERSION,
      resource: { alt_stat_name: 'x'.repeat(9_000_000) },
    });
    expect(large.status).toBe(413);
    const bad = Array.from({ length: 20_000 }, (_, i) => ({ nope: i }));
    const many = await t.owner.call('POST', url, { name: 'many', version: VERSION, resource: { health_checks: bad } });
    expect(many.status).toBe(400);
    expect(many.body.details.length).toBeLessThan(500);
    expect((await t.owner.call('GET', `${url}&limit=1`)).status).toBe(200);
  });

  it('of a realistic size are accepted', async () => {
    const hosts = Array.from({ length: 2000 }, (_, i) => ({
      name: `h${i}`,
      domains: [`h${i}.example.com`],
      routes: [{ match: { prefix: '/' }, redirect: { host_redirect: 'example.com' } }],
    }));
    const answer = await t.owner.call('POST', `/api/v3/xds/routes?project=${t.project}`, {
      name: 'big',
      version: VERSION,
      resource: { virtual_hosts: hosts },
    });
    expect(answer.status).toBe(201);
  });
});
