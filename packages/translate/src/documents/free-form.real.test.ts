import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { ensureTestEnvoy, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreeForm } from './free-form.ts';

const BOOTSTRAP = 'envoy.config.bootstrap.v3.Bootstrap';
const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

const bootstrapWith = (cluster: JsonObject): JsonObject => ({
  static_resources: { clusters: [{ name: 'x', connect_timeout: '1s', ...cluster }] },
});
const struct = (value: JsonObject): JsonObject => ({
  '@type': 'type.googleapis.com/google.protobuf.Struct',
  value,
});
const typedStruct = (type_url: string, value: JsonObject): JsonObject => ({
  '@type': 'type.googleapis.com/xds.type.v3.TypedStruct',
  type_url,
  value,
});
const upstreamLua = (code: string): JsonObject => ({
  explicit_http_config: { http_protocol_options: {} },
  http_filters: [
    {
      name: 'envoy.filters.http.lua',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua',
        default_source_code: { inline_string: code },
      },
    },
    {
      name: 'envoy.filters.http.upstream_codec',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec',
      },
    },
  ],
});
const optionsOf = (options: JsonObject) =>
  bootstrapWith({ type: 'STATIC', typed_extension_protocol_options: { [HTTP_OPTIONS]: options } });
const aggregateOf = (config: JsonObject) =>
  bootstrapWith({
    lb_policy: 'CLUSTER_PROVIDED',
    cluster_type: { name: 'envoy.clusters.aggregate', typed_config: config },
  });

/** Content that Envoy reads as the message of the slot: valid and invalid for that message. */
const SMUGGLED: Record<string, [good: JsonObject, bad: JsonObject]> = {
  'Lua in a Struct': [
    optionsOf(struct(upstreamLua('function envoy_on_response(h) end'))),
    optionsOf(struct(upstreamLua('this is no Lua'))),
  ],
  'Lua in a TypedStruct that names another message': [
    optionsOf(
      typedStruct(
        'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router',
        upstreamLua('function envoy_on_response(h) end'),
      ),
    ),
    optionsOf(
      typedStruct('type.googleapis.com/envoy.extensions.filters.http.router.v3.Router', upstreamLua('this is no Lua')),
    ),
  ],
  'an aggregate cluster in a Struct': [
    aggregateOf(struct({ clusters: ['flotilla_xds'] })),
    aggregateOf(struct({ clusters: [] })),
  ],
};

describe.each(TIER_ENVOY_VERSIONS)('Envoy %s', { timeout: 120_000 }, (version) => {
  let folder: string;
  let envoy: string;
  let api: EnvoyApi;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'envoy-free-form-'));
    const { path, sha256 } = await ensureTestEnvoy(version);
    envoy = path;
    api = await loadEnvoyApi({ version, binaryPath: path, binarySha256: sha256, cacheDir: folder });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function isTaken(bootstrap: JsonObject): Promise<boolean> {
    const file = join(folder, 'bootstrap.json');
    await writeFile(file, JSON.stringify(bootstrap));
    const args = ['--mode', 'validate', '--config-path', file, '--log-level', 'error', '--disable-hot-restart'];
    return new Promise((resolve) => {
      execFile(envoy, [...args, '--concurrency', '1'], { timeout: 20_000 }, (error) => resolve(error === null));
    });
  }

  test.each(Object.entries(SMUGGLED))('executes %s, which our check rejects (attack 1)', async (_, [good, bad]) => {
    expect(await isTaken(good)).toBe(true);
    expect(await isTaken(bad)).toBe(false);
    expect(findFreeForm(api, BOOTSTRAP, good)).toHaveLength(1);
  });

  test('has no free-form field with an extension that our check misses', () => {
    const opaque = api.messages().flatMap((message) =>
      (api.registry.getMessage(message)?.fields ?? [])
        .filter((field) => field.message?.typeName === 'google.protobuf.Any' && /^(?:envoy|xds|udpa)\./.test(message))
        .filter((field) => {
          const any = struct({});
          const value = field.fieldKind === 'map' ? { x: any } : field.fieldKind === 'list' ? [any] : any;
          return findFreeForm(api, message, { [field.name]: value }).length === 0;
        })
        .map((field) => `${message}.${field.name}`),
    );
    const expected = /Metadata\.typed_(?:filter_metadata|value)$|\.wasm\.|\.dynamic_modules\./;
    expect(opaque.length).toBeGreaterThan(3);
    expect(opaque.filter((name) => !expected.test(name))).toEqual([]);
  });
});
