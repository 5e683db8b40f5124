import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { loadPolicyFiles } from '@flotilla/policy';
import { beforeAll, describe, expect, it } from 'vitest';
import { TEST_NODE, type TestDocuments, TestSource } from '../testing.ts';
import { Translator } from '../translator.ts';
import type { GuardedPolicies } from './connection-manager.ts';

let api: EnvoyApi;
beforeAll(async () => {
  api = await loadEnvoyApi({ version: '1.39.3' });
});

const any = (type: string, content: JsonObject = {}): JsonObject => ({
  '@type': `type.googleapis.com/envoy.extensions.${type}`,
  ...content,
});
const network = (type: string, content: JsonObject = {}): JsonObject => ({
  name: 'x',
  typed_config: any(`filters.network.${type}`, content),
});
const TCP = network('tcp_proxy.v3.TcpProxy', { stat_prefix: 'tcp', cluster: 'api' });
const HTTP = network('http_connection_manager.v3.HttpConnectionManager', {
  stat_prefix: 'http',
  route_config: {},
  http_filters: [{ name: 'router', typed_config: any('filters.http.router.v3.Router') }],
});
const listenerOf = (content: JsonObject): JsonObject => ({
  name: 'http',
  address: { socket_address: { address: '192.0.2.1', port_value: 8080 } },
  ...content,
});

function policiesOf(defaults = '', name = 'guard'): GuardedPolicies {
  const content = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: ${name} }
spec:
${defaults}
  domains:
    - hosts: [api.example.com]
      policy: { engines: { rate_limit: { requests_per_second: 1, burst: 1 } } }
`;
  const loaded = loadPolicyFiles([{ path: `${name}.yaml`, content }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return { digest: `${name}${defaults}`, domains: loaded.value.domains };
}

function errorsOf(documents: TestDocuments, policies: GuardedPolicies | undefined = policiesOf()) {
  const shield = { socket: '/run/shield.sock', threads: 1, xffTrustedHops: 1, policies };
  const source = new TestSource({ bootstrap: { main: {} }, clusters: { api: { name: 'api' } }, ...documents });
  const { errors, resources } = new Translator(api).translate(source, { ...TEST_NODE, shield });
  expect(resources.map(({ name }) => name)).toContain(TEST_NODE.listeners[0]);
  return errors.filter(({ rule }) => rule === 'shield.unguarded');
}
const ofListener = (content: JsonObject, policies?: GuardedPolicies) =>
  errorsOf({ listeners: { http: listenerOf(content) } }, policies);

describe('a bypass of the filter in a service with policies is a configuration error (attack 14)', () => {
  it('that names listener, chain and policy if a chain forwards without a connection manager', () => {
    const errors = ofListener({ filter_chains: [{ filters: [HTTP] }, { name: 'raw', filters: [TCP] }] });
    expect(errors).toMatchObject([{ document: 'listeners/http', path: 'filter_chains[1]' }]);
    expect(errors[0]?.message).toMatch(/^filter chain raw of listener http .*TcpProxy.*policy guard of this service/);
  });

  it('for the default chain, other proxies, several filters, referenced filters and those loaded by ECDS', () => {
    const redis = network('redis_proxy.v3.RedisProxy', { stat_prefix: 'r' });
    const rbac = network('rbac.v3.RBAC', { stat_prefix: 'r' });
    expect(ofListener({ default_filter_chain: { filters: [TCP] } })).toMatchObject([{ path: 'default_filter_chain' }]);
    expect(ofListener({ filter_chains: [{ filters: [redis] }] })).toHaveLength(1);
    expect(ofListener({ filter_chains: [{ filters: [rbac, TCP] }] })).toHaveLength(1);
    const proxy = 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';
    const filters: TestDocuments['filters'] = { raw: [proxy, { stat_prefix: 'tcp', cluster: 'api' }] };
    const referring = listenerOf({ filter_chains: [{ filters: [{ $ref: 'filters/raw' }] }] });
    expect(errorsOf({ filters, listeners: { http: referring } })).toHaveLength(1);
    const discovered = { name: 'raw', config_discovery: { type_urls: [`type.googleapis.com/${proxy}`] } };
    const late = listenerOf({ filter_chains: [{ filters: [discovered] }] });
    expect(errorsOf({ filters, listeners: { http: late } })).toHaveLength(1);
  });

  it('for UDP proxies, and for listeners in a bootstrap', () => {
    const udp = { name: 'udp', typed_config: any('filters.udp.udp_proxy.v3.UdpProxyConfig', { stat_prefix: 'u' }) };
    expect(ofListener({ listener_filters: [udp] })).toMatchObject([{ path: 'listener_filters[0]' }]);
    const main = { static_resources: { listeners: [listenerOf({ name: 's', filter_chains: [{ filters: [TCP] }] })] } };
    const listeners = { http: listenerOf({ filter_chains: [{ filters: [HTTP] }] }) };
    expect(errorsOf({ bootstrap: { main }, listeners })).toMatchObject([
      { document: 'bootstrap/main', path: 'static_resources.listeners[0].filter_chains[0]' },
    ]);
  });

  it('but not if nothing is forwarded, if there is a connection manager, or without policies', () => {
    const echo = network('echo.v3.Echo');
    const limit = network('connection_limit.v3.ConnectionLimit', { stat_prefix: 'c' });
    expect(ofListener({ filter_chains: [{ filters: [limit, echo] }, { filters: [HTTP] }, {}] })).toEqual([]);
    expect(ofListener({ filter_chains: [{ filters: [TCP] }] }, { digest: 'none', domains: [] })).toEqual([]);
    const source = new TestSource({
      bootstrap: { main: {} },
      clusters: { api: { name: 'api' } },
      listeners: { http: listenerOf({ filter_chains: [{ filters: [TCP] }] }) },
    });
    expect(new Translator(api).translate(source, TEST_NODE).errors).toEqual([]);
  });

  it('that only a policy can acknowledge by naming the listener, and no editor of documents', () => {
    const raw = { filter_chains: [{ filters: [TCP] }] };
    expect(ofListener(raw, policiesOf('  defaults: { unguarded_listeners: [http] }'))).toEqual([]);
    expect(ofListener(raw, policiesOf('  defaults: { unguarded_listeners: [other] }'))).toHaveLength(1);
    expect(ofListener({ ...raw, metadata: { filter_metadata: { unguarded_listeners: {} } } })).toHaveLength(1);
  });

  it('that follows the policies without a change of the listener', () => {
    const translator = new Translator(api);
    const source = new TestSource({
      bootstrap: { main: {} },
      clusters: { api: { name: 'api' } },
      listeners: { http: listenerOf({ filter_chains: [{ filters: [TCP] }] }) },
    });
    const count = (policies: GuardedPolicies) => {
      const shield = { socket: '/run/shield.sock', threads: 1, xffTrustedHops: 1, policies };
      return translator.translate(source, { ...TEST_NODE, shield }).errors.length;
    };
    expect(count(policiesOf())).toBe(1);
    expect(count(policiesOf('  defaults: { unguarded_listeners: [http] }'))).toBe(0);
    expect(count(policiesOf())).toBe(1);
  });
});
