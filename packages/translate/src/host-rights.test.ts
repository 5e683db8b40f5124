import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DocumentCollection } from './documents/collections.ts';
import { TEST_NODE, TestSource } from './testing.ts';
import { Translator } from './translator.ts';

const EDITOR = { mayReachHost: false };
const OWNER = { mayReachHost: true };
const LUA = 'envoy.extensions.string_matcher.lua.v3.Lua';
const FILE_LOG = 'envoy.extensions.access_loggers.file.v3.FileAccessLog';
const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const ROUTER = {
  name: 'router',
  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
};
const CODE: JsonObject = { source_code: { inline_string: 'function envoy_match(s) return true end' } };
const ROUTES_TYPE = 'envoy.config.route.v3.RouteConfiguration';

let api: EnvoyApi;
beforeAll(async () => {
  // The packaged set lacks Lua: the log to a file on the host represents all host access.
  api = await loadEnvoyApi({ version: '1.39.3' });
});

const routes = (action: JsonObject): JsonObject => ({
  name: 'main',
  virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, ...action }] }],
});
const hostFile = routes({ direct_response: { status: 200, body: { filename: '/etc/passwd' } } });
const harmless = routes({ direct_response: { status: 204 } });

class World {
  readonly source = new TestSource({ bootstrap: { main: {} }, routes: { main: harmless } });
  readonly translator = new Translator(api);

  constructor() {
    this.source.put('listeners', 'http', 'envoy.config.listener.v3.Listener', listener({}), EDITOR);
  }

  put(collection: DocumentCollection, name: string, type: string, resource: JsonObject, writer = EDITOR): void {
    this.source.put(collection, name, type, resource, writer);
  }

  translate() {
    return this.translator.translate(this.source, TEST_NODE);
  }

  sent(): string[] {
    return this.translate().resources.map(({ name, type }) => `${type.split('.').at(-1)}/${name}`);
  }
}

function listener(manager: JsonObject): JsonObject {
  const hcm = {
    '@type': `type.googleapis.com/${HCM}`,
    stat_prefix: 'http',
    rds: { route_config_name: 'main' },
    http_filters: [ROUTER],
    ...manager,
  };
  return {
    name: 'http',
    address: { socket_address: { address: '192.0.2.1', port_value: 8080 } },
    filter_chains: [{ filters: [{ name: 'hcm', typed_config: hcm }] }],
  };
}
const withLog = (log: JsonObject) => listener({ access_log: [log] });
const LISTENER = 'envoy.config.listener.v3.Listener';

describe('the rights of the last author when resources are built (attacks 1 and 2)', () => {
  it('host access that no owner has written is not sent, and everything else is', () => {
    const world = new World();
    world.put('routes', 'main', ROUTES_TYPE, hostFile);
    const { errors, withheld } = world.translate();
    expect(world.sent()).toEqual(['Listener/http']);
    expect(withheld).toEqual([{ typeUrl: `type.googleapis.com/${ROUTES_TYPE}`, name: 'main' }]);
    expect(errors).toEqual([
      expect.objectContaining({
        document: 'routes/main',
        path: 'virtual_hosts[0].routes[0].direct_response.body.filename',
        rule: 'document.host_access',
      }),
    ]);
    expect(errors[0]?.message).toMatch(/"\/etc\/passwd".*an owner has to review and save routes\/main, or .* removed/);
  });

  it('an owner who saves the document lifts the refusal, and an editor who saves it again restores it', () => {
    const world = new World();
    world.put('routes', 'main', ROUTES_TYPE, hostFile);
    expect(world.translate().withheld).toHaveLength(1);
    world.put('routes', 'main', ROUTES_TYPE, hostFile, OWNER);
    expect(world.translate()).toMatchObject({ withheld: [], errors: [] });
    world.put('routes', 'main', ROUTES_TYPE, hostFile);
    expect(world.translate().withheld).toHaveLength(1);
  });

  it('an editor may refer to what an owner has written, but content of the editor around it is refused', () => {
    const world = new World();
    world.put('extensions', 'log', FILE_LOG, { path: '/var/log/edge.log' }, OWNER);
    world.put('listeners', 'http', LISTENER, withLog({ $ref: 'extensions/log' }));
    expect(world.translate()).toMatchObject({ withheld: [], errors: [] });
    world.put('extensions', 'log', FILE_LOG, { path: '/var/log/edge.log' }, EDITOR);
    expect(world.translate()).toMatchObject({
      withheld: [{ name: 'http' }],
      errors: [{ document: 'listeners/http', rule: 'document.host_access' }],
    });
    expect(world.translate().errors[0]?.message).toContain('extensions/log was last saved by');
    world.put('extensions', 'log', FILE_LOG, { path: 'files/edge.log' }, OWNER);
    world.put('listeners', 'http', LISTENER, {
      ...withLog({ $ref: 'extensions/log' }),
      access_log: [
        { name: 'x', typed_config: { '@type': `type.googleapis.com/${FILE_LOG}`, path: '/var/log/mine.log' } },
      ],
    });
    expect(world.translate().errors).toMatchObject([{ path: 'access_log[0].typed_config.path' }]);
  });

  it('an owner who refers to an editor’s document is not responsible for its content', () => {
    const world = new World();
    world.put('extensions', 'log', FILE_LOG, { path: '/var/log/edge.log' }, EDITOR);
    world.put('listeners', 'http', LISTENER, withLog({ $ref: 'extensions/log' }), OWNER);
    expect(world.translate().errors).toMatchObject([{ document: 'listeners/http', rule: 'document.host_access' }]);
  });

  it('files of the service and additions of the controller need no right', () => {
    const world = new World();
    world.put('extensions', 'log', FILE_LOG, { path: 'files/edge.log' });
    world.put('listeners', 'http', LISTENER, withLog({ $ref: 'extensions/log' }));
    const shield = { socket: '/run/shield.sock', threads: 1, xffTrustedHops: 1, policies: undefined };
    const { errors, withheld } = world.translator.translate(world.source, { ...TEST_NODE, shield });
    expect({ errors, withheld }).toEqual({ errors: [], withheld: [] });
  });

  it('virtual hosts are checked both as part of their routes and separately', async () => {
    for (const [version, held] of [
      ['1.39.3', 'main/www'],
      ['1.36.4', 'main'],
    ] as const) {
      const world = new World();
      const host = { name: 'www', domains: ['www.example.com'], routes: [] };
      const action = { direct_response: { status: 200, body: { filename: '/etc/passwd' } } };
      world.put('virtual_hosts', 'main/www', 'envoy.config.route.v3.VirtualHost', {
        ...host,
        routes: [{ match: { prefix: '/' }, ...action }],
      });
      const translator = new Translator(await loadEnvoyApi({ version }));
      const { withheld, errors } = translator.translate(world.source, TEST_NODE);
      expect(withheld.map(({ name }) => name)).toEqual([held]);
      expect(errors).toMatchObject([{ document: 'virtual_hosts/main/www', rule: 'document.host_access' }]);
    }
  });

  it('a bootstrap is checked', () => {
    const world = new World();
    world.put('bootstrap', 'main', 'envoy.config.bootstrap.v3.Bootstrap', { flags_path: '/etc' });
    expect(world.translate().errors).toMatchObject([
      { document: 'bootstrap/main', path: 'flags_path', rule: 'document.host_access' },
    ]);
  });

  it('a stored member that names a type does not change the type of a document (attack 2)', () => {
    for (const type of ['google.protobuf.Struct', 'google.protobuf.Any', 'xds.type.v3.TypedStruct']) {
      const world = new World();
      const resource = { '@type': `type.googleapis.com/${FILE_LOG}`, path: '/var/log/edge.log', ...CODE };
      world.put('extensions', 'log', type, resource, OWNER);
      world.put('listeners', 'http', LISTENER, withLog({ $ref: 'extensions/log' }), OWNER);
      expect(world.sent(), type).toEqual(['RouteConfiguration/main']);
      expect(world.translate().errors, type).toMatchObject([
        { document: 'listeners/http', rule: 'document.free_form' },
      ]);
    }
    const world = new World();
    const other = { '@type': `type.googleapis.com/${LUA}`, ...CODE };
    world.put('extensions', 'log', FILE_LOG, other, OWNER);
    world.put('listeners', 'http', LISTENER, withLog({ $ref: 'extensions/log' }), OWNER);
    expect(world.sent()).toEqual(['RouteConfiguration/main']);
    expect(world.translate().errors[0]?.message).toContain('source_code');
  });

  it('a stored free-form message is never sent (attack 1)', () => {
    const world = new World();
    const struct = { '@type': 'type.googleapis.com/google.protobuf.Struct', value: {} };
    world.put('listeners', 'http', LISTENER, withLog({ name: 'x', typed_config: struct }), OWNER);
    expect(world.sent()).toEqual(['RouteConfiguration/main']);
    expect(world.translate().errors.some(({ rule }) => rule === 'document.free_form')).toBe(true);
  });
});
