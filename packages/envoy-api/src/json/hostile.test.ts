import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EnvoyApi } from '../api.ts';
import { loadEnvoyApi } from '../load.ts';
import { createBase } from '../testing/verdict-cases/index.ts';
import { MAX_HINTS, MAX_VIOLATIONS } from './limits.ts';

const BOOTSTRAP = 'envoy.config.bootstrap.v3.Bootstrap';
const CLUSTER = 'envoy.config.cluster.v3.Cluster';
const STRUCT = 'google.protobuf.Struct';
const ANY_CLUSTER = `type.googleapis.com/${CLUSTER}`;
let api: EnvoyApi;

beforeAll(async () => {
  api = await loadEnvoyApi({ version: '1.39.3' });
});

function nest(depth: number, wrap: (inner: JsonValue) => JsonValue, core: JsonValue = {}): JsonValue {
  let json = core;
  for (let i = 0; i < depth; i += 1) json = wrap(json);
  return json;
}

/** Calls everything that takes a document; nothing may throw. */
function touchEverything(typeName: string, json: JsonValue): void {
  api.check(typeName, json);
  api.check(typeName, json, { allowRefs: true });
  api.walk(typeName, json, { field: () => undefined, message: () => undefined });
  api.sensitivePaths(typeName, json);
  const encoded = api.encode(typeName, json);
  if (encoded.ok) api.decode(typeName, encoded.value);
}

describe('a hostile document', () => {
  test('nested 10,000 deep is an error and not a crash, in messages, in Any and in free-form parts', () => {
    const shapes: Array<[string, JsonValue]> = [
      [CLUSTER, { metadata: { filter_metadata: { a: nest(10_000, (inner) => ({ x: inner })) } } }],
      [CLUSTER, { metadata: { filter_metadata: { a: { x: nest(10_000, (inner) => [inner]) } } } }],
      [STRUCT, nest(10_000, (inner) => ({ x: inner }))],
      ['envoy.config.rbac.v3.Permission', nest(10_000, (inner) => ({ not_rule: inner }), { any: true })],
      ['google.protobuf.Any', nest(10_000, (value) => ({ '@type': 'type.googleapis.com/google.protobuf.Any', value }))],
      [
        'envoy.config.core.v3.TypedExtensionConfig',
        nest(10_000, (inner) => ({
          name: 'x',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig',
            ...(inner as object),
          },
        })),
      ],
    ];
    for (const [typeName, json] of shapes) {
      expect(
        api.check(typeName, json).errors.map((error) => error.rule),
        typeName,
      ).toContain('too_deep');
      expect(api.encode(typeName, json).ok).toBe(false);
      touchEverything(typeName, json);
    }
  });

  test('hides nothing from a walk by its depth: what passes the check is walked completely', () => {
    const EXTENSION = 'envoy.config.core.v3.TypedExtensionConfig';
    const TYPED_STRUCT = 'type.googleapis.com/xds.type.v3.TypedStruct';
    const any = (inner: JsonValue): JsonObject => ({
      name: 'x',
      typed_config: { '@type': `type.googleapis.com/${EXTENSION}`, ...(inner as JsonObject) },
    });
    const struct = (value: JsonValue): JsonObject => ({
      name: 'x',
      typed_config: { '@type': TYPED_STRUCT, type_url: `type.googleapis.com/${EXTENSION}`, value },
    });
    for (const wrap of [any, struct]) {
      let deepest = 0;
      for (let depth = 1; depth < 120; depth += 1) {
        const json = nest(depth, wrap, { name: 'deepest', typed_config: {} });
        if (api.check(EXTENSION, json).errors.length > 0) break;
        deepest = depth;
        const names: JsonValue[] = [];
        api.walk(EXTENSION, json, {
          field: ({ field, value }) => {
            if (field.name === 'name') names.push(value);
            return undefined;
          },
        });
        expect(names.at(-1), `depth ${depth}`).toBe('deepest');
      }
      expect(deepest).toBeGreaterThan(10);
      expect(deepest).toBeLessThan(119);
    }
  });

  test('nested 10,000 deep in bytes is an error and not a crash', () => {
    const buffer = new Uint8Array(60_000);
    let start = buffer.length;
    for (let i = 0; i < 10_000; i += 1) {
      const length: number[] = [];
      for (let rest = buffer.length - start; length.length === 0 || rest > 0; rest >>>= 7)
        length.push((rest & 127) | 128);
      length[length.length - 1] = (length.at(-1) ?? 0) & 127;
      // not_rule = 8
      start -= length.length + 1;
      buffer.set([0x42, ...length], start);
    }
    const bytes = buffer.subarray(start);
    expect(() => api.decode('envoy.config.rbac.v3.Permission', bytes)).toThrow(/nested deeper/);
  });

  // A check that is not linear would time out here.
  test('of 10 MB is checked completely, with a bounded number of messages', () => {
    const clusters = Array.from({ length: 40_000 }, (_, i) => ({
      name: `cluster-${i}`.padEnd(220, 'x'),
      connect_timeout: 'soon',
    }));
    const json = { static_resources: { clusters } };
    expect(JSON.stringify(json).length).toBeGreaterThan(9_500_000);
    expect(api.check(BOOTSTRAP, json).errors).toHaveLength(MAX_VIOLATIONS);
    const text = 'x'.repeat(10_000_000);
    expect(api.check(CLUSTER, { name: text, alt_stat_name: text }).errors).toEqual([]);
    expect(api.check(CLUSTER, { [text]: 1, name: 'c' }).errors[0]?.message.length).toBeLessThan(400);
    expect(api.check(CLUSTER, { name: 'c', type: text }).errors[0]?.message.length).toBeLessThan(400);
    expect(api.check(CLUSTER, { name: 'c', connect_timeout: `${'9'.repeat(1_000_000)}s` }).errors).toHaveLength(1);
  });

  test.each([
    [
      'fields',
      (i: number) => [`connect_timeou${i}`, 1] as const,
      (entries: JsonObject): JsonObject => ({ name: 'c', ...entries }),
    ],
    [
      'types',
      (i: number) => [`m${i}`, { '@type': `type.googleapis.com/envoy.UpstreamTlsContex${i}` }] as const,
      (entries: JsonObject): JsonObject => ({ name: 'c', typed_extension_protocol_options: entries }),
    ],
    [
      'values of an enum',
      (i: number) =>
        [`m${i}`, { name: 'x', typed_config: { '@type': ANY_CLUSTER, lb_policy: `ROUND_ROBI${i}` } }] as const,
      (entries: JsonObject): JsonObject => ({
        name: 'c',
        load_balancing_policy: {
          policies: Object.values(entries).map((typed_extension_config) => ({ typed_extension_config })),
        },
      }),
    ],
  ])('with very many unknown %s gets suggestions for the first few only (attack 8, fault H1)', (_, entryOf, wrap) => {
    const entries = Object.fromEntries(Array.from({ length: 1000 }, (_item, i) => entryOf(i)));
    const { errors } = api.check(CLUSTER, wrap(entries as JsonObject));
    expect(errors).toHaveLength(MAX_VIOLATIONS);
    expect(errors.filter(({ message }) => message.includes('did you mean'))).toHaveLength(MAX_HINTS);
    expect(errors[0]?.message).toContain('did you mean');
  });

  test('with __proto__ keys changes no prototype and loses nothing', () => {
    const json = JSON.parse('{"fields":1,"__proto__":{"polluted":true},"constructor":{"prototype":1}}') as JsonValue;
    const encoded = api.encode(STRUCT, json);
    if (!encoded.ok) throw new Error('a Struct takes every key');
    expect(JSON.stringify(api.decode(STRUCT, encoded.value))).toBe(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"fields":1}',
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const unknown = api.check(
      CLUSTER,
      JSON.parse('{"name":"c","__proto__":{},"toString":1,"hasOwnProperty":2}') as JsonValue,
    );
    expect(unknown.errors.map((error) => error.path)).toEqual(['__proto__', 'toString', 'hasOwnProperty']);
  });

  test('with half a surrogate pair is rejected, because it would not be stored unchanged', () => {
    expect(api.check(CLUSTER, { name: 'a\ud800' }).errors[0]).toMatchObject({ path: 'name', rule: 'type' });
    expect(api.check(STRUCT, { a: ['\udc00'], '\ud800': 1 }).errors).toHaveLength(2);
  });

  test('of any JSON breaks nothing, for any message', () => {
    const names = fc.constantFrom(...api.messages());
    fc.assert(
      fc.property(names, fc.jsonValue({ maxDepth: 4 }), (typeName, json) =>
        touchEverything(typeName, json as JsonValue),
      ),
      { numRuns: 1_000 },
    );
  });

  test('with any JSON in one place of a valid one breaks nothing', () => {
    const places = listPlaces(createBase());
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 3 }), (place, value) => {
        const json = createBase();
        replaceAt(json, place, value as JsonValue);
        touchEverything(BOOTSTRAP, json);
      }),
      { numRuns: 1_000 },
    );
  });

  test('of random bytes throws at most an Error', () => {
    const names = fc.constantFrom(
      BOOTSTRAP,
      CLUSTER,
      STRUCT,
      'google.protobuf.Any',
      'google.protobuf.FileDescriptorProto',
    );
    fc.assert(
      fc.property(names, fc.uint8Array({ maxLength: 200 }), (typeName, bytes) => {
        try {
          api.decode(typeName, bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(RangeError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a document that passes the check', () => {
  test('is encoded, and decoded and encoded again to the same bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...api.messages()), fc.jsonValue({ maxDepth: 3 }), (typeName, json) => {
        const first = api.encode(typeName, json as JsonValue);
        if (!first.ok) return;
        const again = api.encode(typeName, api.decode(typeName, first.value));
        expect(again.ok && Buffer.from(again.value).toString('hex')).toBe(Buffer.from(first.value).toString('hex'));
      }),
      {
        numRuns: 1_000,
        examples: [
          ['google.protobuf.FloatValue', 5e-324],
          ['google.protobuf.FloatValue', -5e-324],
        ],
      },
    );
  });
});

type Place = ReadonlyArray<string | number>;

function listPlaces(json: JsonValue, at: Place = []): Place[] {
  if (typeof json !== 'object' || json === null) return [at];
  const keys = Array.isArray(json) ? [...json.keys()] : Object.keys(json);
  const inside = keys.flatMap((key) => listPlaces((json as Record<string, JsonValue>)[key] as JsonValue, [...at, key]));
  return at.length > 0 ? [at, ...inside] : inside;
}

function replaceAt(root: JsonValue, place: Place, value: JsonValue): void {
  let at = root as Record<string | number, JsonValue>;
  for (const key of place.slice(0, -1)) at = at[key] as Record<string | number, JsonValue>;
  at[place.at(-1) ?? ''] = value;
}
