import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANY_SLOT, type EnvoyApi, listExtensions, loadEnvoyApi, slotOf } from '../index.ts';
import { readExtensions } from '../testing/read-extensions.ts';
import { namedSlotFields } from './slots.ts';
import { reportedExtensions } from './table.ts';

const HTTP_FILTER = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter';
/** Settings of a dynamic module: any message, not an extension. */
const FREE = /dynamic_modules/;
const UNNAMED_MAX = 38;

describe.each(Object.values(TEST_ENVOY_VERSIONS))('for Envoy %s,', (version) => {
  let cacheDir: string;
  let binaryPath: string;
  let api: EnvoyApi;
  beforeAll(async () => {
    cacheDir = await mkdtemp(join(tmpdir(), 'envoy-catalog-'));
    const { path, sha256 } = await ensureTestEnvoy(version);
    binaryPath = path;
    api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256, cacheDir });
  });
  afterAll(() => rm(cacheDir, { recursive: true, force: true }));

  test('the catalog equals what the running binary reports', async () => {
    const said = (await readExtensions(binaryPath)).filter(({ types }) => types.length > 0);
    const known = reportedExtensions(version) ?? [];
    const key = ({ category, name, types }: { category: string; name: string; types: readonly string[] }) =>
      `${category} ${name} ${types.join()}`;
    expect(known.map(key).toSorted()).toEqual(said.map(key).toSorted());
    expect(said.length).toBeGreaterThan(300);
  });

  test('the HTTP filters include the router, common ones come first, and nothing is listed twice', () => {
    const filters = listExtensions(api, 'envoy.filters.http');
    expect(filters.find(({ name }) => name === 'envoy.filters.http.router')).toMatchObject({
      type: 'envoy.extensions.filters.http.router.v3.Router',
      title: 'Router',
      common: true,
    });
    const firstRare = filters.findIndex(({ common }) => !common);
    expect(filters.slice(firstRare).some(({ common }) => common)).toBe(false);
    expect(new Set(filters.map(({ type }) => type)).size).toBe(filters.length);
    expect(new Set(filters.map(({ title }) => title)).size).toBe(filters.length);
  });

  test('a slot with several categories lists a message once', () => {
    for (const slot of ['envoy.matching.input', 'envoy.matching.custom', 'envoy.transport_sockets']) {
      const types = listExtensions(api, slot).map(({ type }) => type);
      expect(new Set(types).size, slot).toBe(types.length);
      expect(types.length, slot).toBeGreaterThan(5);
    }
  });

  test('messages for routes are distinguished from those for the filter', () => {
    const perRoute = listExtensions(api, 'envoy.filters.http.per_route').map(({ type }) => type);
    const own = listExtensions(api, 'envoy.filters.http').map(({ type }) => type);
    expect(perRoute).toContain('envoy.extensions.filters.http.cors.v3.CorsPolicy');
    expect(own).not.toContain('envoy.extensions.filters.http.cors.v3.CorsPolicy');
    expect(perRoute).toContain('envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit');
    expect(perRoute).not.toContain('envoy.extensions.filters.http.router.v3.Router');
  });

  test('every place for an extension has a slot; few accept anything', () => {
    const places = api
      .messages()
      .filter((name) => /^(?:envoy|xds)\./.test(name) && !/^envoy\.(?:service|admin|data)\./.test(name))
      .flatMap((message) => api.describe(message).fields.map(({ name }) => ({ message, field: name })))
      .map((place) => ({ ...place, slot: slotOf(api, place.message, place.field) }))
      .filter(({ slot }) => slot !== undefined);
    const unnamed = places
      .filter(({ message, slot }) => slot === ANY_SLOT && !FREE.test(message))
      .map(({ message, field }) => `${message}.${field}`);
    expect(places.length).toBeGreaterThan(150);
    expect(unnamed.length, unnamed.join('\n')).toBeLessThanOrEqual(UNNAMED_MAX);
    for (const { slot } of places) expect(listExtensions(api, slot).length).toBeGreaterThan(0);
  });

  test('the name of a filter chain is offered as the action of a matcher, although 1.40 no longer lists it', () => {
    const actions = listExtensions(api, 'envoy.matching.action').map(({ name, type }) => `${name} ${type}`);
    expect(actions).toContain('filter-chain-name google.protobuf.StringValue');
  });

  test('the frequently used slots are known', () => {
    const cluster = 'envoy.config.cluster.v3.Cluster';
    expect(slotOf(api, HTTP_FILTER, 'typed_config')).toBe('envoy.filters.http');
    expect(slotOf(api, HTTP_FILTER.replace('HttpFilter', 'HttpConnectionManager'), 'http_filters')).toBe(
      'envoy.filters.http',
    );
    expect(slotOf(api, 'envoy.config.listener.v3.FilterChain', 'transport_socket')).toBe(
      'envoy.transport_sockets.downstream',
    );
    expect(slotOf(api, cluster, 'transport_socket')).toBe('envoy.transport_sockets.upstream');
    expect(slotOf(api, cluster, 'typed_extension_protocol_options')).toBe('envoy.upstream_options');
    expect(slotOf(api, 'envoy.config.route.v3.Route', 'typed_per_filter_config')).toBe('envoy.filters.http.per_route');
    expect(slotOf(api, cluster, 'name')).toBeUndefined();
    expect(slotOf(api, cluster, 'no_such_field')).toBeUndefined();
  });

  test('slots are defined only for fields that some version has', async () => {
    const newest = await ensureTestEnvoy(TEST_ENVOY_VERSIONS.newest);
    const all = await loadEnvoyApi({ version: TEST_ENVOY_VERSIONS.newest, binaryPath: newest.path, cacheDir });
    const missing = namedSlotFields().filter((field) => {
      const at = field.lastIndexOf('.');
      const desc = all.registry.getMessage(field.slice(0, at));
      return !desc?.fields.some(({ name }) => name === field.slice(at + 1));
    });
    expect(missing).toEqual([]);
  });
});

test('an unknown version gets the nearest table, without what its descriptors lack', async () => {
  const api = await loadEnvoyApi({ version: '1.33.0' });
  const listed = listExtensions(api, 'envoy.filters.http');
  expect(listed.map(({ name }) => name)).toContain('envoy.filters.http.router');
  expect(listed.every(({ type }) => api.hasMessage(type))).toBe(true);
});
