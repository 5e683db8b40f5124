import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const STRUCT = 'google.protobuf.Struct';

let t: TestController;
let editor: TestCaller;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  editor = await t.createMember('editor');
});
afterAll(() => t.close());

const any = (type: string, content: object) => ({ '@type': `type.googleapis.com/${type}`, ...content });
const options = any(STRUCT, {
  value: {
    explicit_http_config: { http_protocol_options: {} },
    http_filters: [
      {
        name: 'envoy.filters.http.lua',
        typed_config: any('envoy.extensions.filters.http.lua.v3.Lua', {
          default_source_code: { inline_string: "function envoy_on_response(h) io.popen('id') end" },
        }),
      },
      {
        name: 'envoy.filters.http.upstream_codec',
        typed_config: any('envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec', {}),
      },
    ],
  },
});
const CASES: Record<string, [resource: object, path: string]> = {
  'Lua in the HTTP options of a cluster': [
    { type: 'STATIC', connect_timeout: '1s', typed_extension_protocol_options: { [HTTP_OPTIONS]: options } },
    `resource.typed_extension_protocol_options["${HTTP_OPTIONS}"]`,
  ],
  'the same in camelCase': [
    { type: 'STATIC', connectTimeout: '1s', typedExtensionProtocolOptions: { [HTTP_OPTIONS]: options } },
    `resource.typed_extension_protocol_options["${HTTP_OPTIONS}"]`,
  ],
  'a cluster that leads to the cluster of the controller': [
    {
      connect_timeout: '1s',
      lb_policy: 'CLUSTER_PROVIDED',
      cluster_type: {
        name: 'envoy.clusters.aggregate',
        typed_config: any(STRUCT, { value: { clusters: ['flotilla_xds'] } }),
      },
    },
    'resource.cluster_type.typed_config',
  ],
  'a cluster that dials any address': [
    {
      connect_timeout: '1s',
      lb_policy: 'CLUSTER_PROVIDED',
      cluster_type: {
        name: 'envoy.clusters.dynamic_forward_proxy',
        typed_config: any('xds.type.v3.TypedStruct', {
          type_url: 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router',
          value: {},
        }),
      },
    },
    'resource.cluster_type.typed_config',
  ],
};

describe('a free-form message hides nothing from the check of host access (attack 1)', () => {
  test.each(Object.entries(CASES))(
    '%s is refused to editors and owners with its field',
    async (_, [resource, path]) => {
      for (const caller of [editor, t.owner]) {
        const body = { name: 'h2', version: VERSION, resource };
        const answers = [
          await caller.call('POST', `/api/v3/xds/clusters?project=${t.project}`, body),
          await caller.call('POST', '/api/v3/xds/apply', {
            project: t.project,
            documents: [{ collection: 'clusters', ...body }],
          }),
        ];
        for (const { status, body: refused } of answers) {
          expect(status, JSON.stringify(refused)).toBe(400);
          expect(JSON.stringify(refused)).toContain(JSON.stringify(path).slice(1, -1));
          expect(JSON.stringify(refused)).toMatch(/whose content cannot be checked: write the message itself/);
        }
        expect(answers[0]?.body).toMatchObject({
          code: 'document.invalid',
          details: [{ path, rule: 'any.free_form' }],
        });
      }
    },
  );

  test.each(Object.entries(CASES))('%s is reported by the check before a write', async (_, [resource, path]) => {
    const body = { project: t.project, version: VERSION, resource };
    for (const named of [{ collection: 'clusters', name: 'h2' }, { type: 'envoy.config.cluster.v3.Cluster' }]) {
      const { body: review } = await editor.call('POST', '/api/v3/schema/check', { ...body, ...named });
      expect(review.errors, JSON.stringify(review)).toContainEqual(
        expect.objectContaining({ path: path.slice('resource.'.length), rule: 'any.free_form' }),
      );
    }
  });
});

describe('no document accepts another type than its own (attack 2)', () => {
  const code = { '@type': 'type.googleapis.com/envoy.extensions.string_matcher.lua.v3.Lua', source_code: {} };

  test.each([
    STRUCT,
    'google.protobuf.Any',
    'google.protobuf.Value',
    'google.protobuf.ListValue',
    'xds.type.v3.TypedStruct',
    'udpa.type.v1.TypedStruct',
  ])('an extension or filter of type %s is refused to editors and owners', async (type) => {
    const resource = type.endsWith('TypedStruct')
      ? { type_url: 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router', value: {} }
      : code;
    for (const caller of [editor, t.owner]) {
      for (const collection of ['extensions', 'filters']) {
        const url = `/api/v3/eo/${collection}/${type}?project=${t.project}`;
        const { status, body } = await caller.call('POST', url, { name: 'sm1', version: VERSION, resource });
        expect(status, JSON.stringify(body)).toBe(400);
        expect(body.code).toBe('document.invalid');
      }
    }
  });

  test('a member that names a type is refused in a document of any other type', async () => {
    const url = `/api/v3/xds/extensions?project=${t.project}`;
    const type = 'envoy.extensions.string_matcher.lua.v3.Lua';
    for (const own of ['envoy.extensions.access_loggers.stream.v3.StdoutAccessLog', 'google.protobuf.Empty']) {
      const body = { name: 'sm2', version: VERSION, type: own, resource: any(type, {}) };
      const { status, body: refused } = await editor.call('POST', url, body);
      expect(status, JSON.stringify(refused)).toBe(400);
      expect(refused.details[0].path).toContain('@type');
    }
  });
});
