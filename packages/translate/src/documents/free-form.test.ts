import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { findFreeForm, isOpaqueField } from './free-form.ts';

let api: EnvoyApi;
beforeAll(async () => {
  api = await loadEnvoyApi({ version: '1.39.3' });
});

const CLUSTER = 'envoy.config.cluster.v3.Cluster';
const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const pathsOf = (type: string, resource: JsonObject) => findFreeForm(api, type, resource).map(({ path }) => path);
const withOptions = (options: JsonObject): JsonObject => ({
  typed_extension_protocol_options: { [HTTP_OPTIONS]: options },
});

describe('a free-form message in place of a typed one (attack 1)', () => {
  const lua = { '@type': 'type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua', default_source_code: {} };
  const content = { http_filters: [{ name: 'x', typed_config: lua }] };
  const typedStruct = (type_url: string) => ({ type_url, value: content });
  const forms: Record<string, JsonObject> = {
    'a Struct': { '@type': 'type.googleapis.com/google.protobuf.Struct', value: content },
    'a Struct under another host': { '@type': 'evil.example.com/a/google.protobuf.Struct', value: content },
    'a Value': { '@type': 'type.googleapis.com/google.protobuf.Value', value: content },
    'a ListValue': { '@type': 'type.googleapis.com/google.protobuf.ListValue', value: [content] },
    'an Any in an Any': { '@type': 'type.googleapis.com/google.protobuf.Any', value: lua },
    'a TypedStruct': {
      '@type': 'type.googleapis.com/xds.type.v3.TypedStruct',
      ...typedStruct('type.googleapis.com/google.protobuf.Struct'),
    },
    'a TypedStruct that names another message': {
      '@type': 'type.googleapis.com/xds.type.v3.TypedStruct',
      ...typedStruct('type.googleapis.com/envoy.extensions.filters.http.router.v3.Router'),
    },
    'a TypedStruct of the old package': {
      '@type': 'type.googleapis.com/udpa.type.v1.TypedStruct',
      ...typedStruct(`type.googleapis.com/${HTTP_OPTIONS}`),
    },
  };

  it.each(Object.entries(forms))('%s is found where Envoy looks up an extension by name', (_, form) => {
    expect(pathsOf(CLUSTER, withOptions(form))).toEqual([`typed_extension_protocol_options["${HTTP_OPTIONS}"]`]);
    expect(pathsOf(CLUSTER, { cluster_type: { name: 'envoy.clusters.aggregate', typed_config: form } })).toEqual([
      'cluster_type.typed_config',
    ]);
  });

  it.each(Object.entries(forms))('%s is found in routes, in matchers and inside typed messages', (_, form) => {
    const ROUTES = 'envoy.config.route.v3.RouteConfiguration';
    expect(pathsOf(ROUTES, { typed_per_filter_config: { x: form } })).toEqual(['typed_per_filter_config.x']);
    const disabled = { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', config: form };
    expect(pathsOf(ROUTES, { typed_per_filter_config: { x: disabled } })).toEqual(['typed_per_filter_config.x.config']);
    expect(pathsOf('envoy.type.matcher.v3.StringMatcher', { custom: { name: 'x', typed_config: form } })).toEqual([
      'custom.typed_config',
    ]);
    expect(pathsOf('envoy.config.core.v3.TypedExtensionConfig', { typed_config: form })).toEqual(['typed_config']);
  });

  it.each([
    'google.protobuf.Any',
    'google.protobuf.Struct',
    'google.protobuf.Value',
    'google.protobuf.ListValue',
    'xds.type.v3.TypedStruct',
    'udpa.type.v1.TypedStruct',
  ])('a document of type %s is found (attack 2)', (type) => {
    expect(pathsOf(type, {})).toEqual(['']);
  });

  it('is allowed for data: metadata, plugin settings, and fields of type Struct', () => {
    const struct = { '@type': 'type.googleapis.com/google.protobuf.Struct', value: { a: 1 } };
    expect(
      pathsOf(CLUSTER, { metadata: { typed_filter_metadata: { x: struct }, filter_metadata: { y: {} } } }),
    ).toEqual([]);
    expect(pathsOf('envoy.extensions.wasm.v3.PluginConfig', { configuration: struct })).toEqual([]);
    expect(isOpaqueField('envoy.extensions.filters.http.dynamic_modules.v3.DynamicModuleFilter', 'filter_config')).toBe(
      true,
    );
    expect(pathsOf(CLUSTER, { lb_subset_config: { default_subset: { '@type': 'google.protobuf.Struct' } } })).toEqual(
      [],
    );
    expect(isOpaqueField(CLUSTER, 'typed_extension_protocol_options')).toBe(false);
    expect(isOpaqueField('envoy.extensions.filters.network.golangish.v3.X', 'config')).toBe(false);
  });

  it('does not include typed messages', () => {
    expect(pathsOf(CLUSTER, withOptions({ '@type': `type.googleapis.com/${HTTP_OPTIONS}`, ...content }))).toEqual([]);
  });
});
